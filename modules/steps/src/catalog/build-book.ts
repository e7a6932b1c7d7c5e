import type { Clock, Timer } from '@treadle/api';

/** A build of an application; `build` is undefined for what runs without a lock file. */
export interface BuildId {
  readonly application: string;
  readonly build: string | undefined;
}

/** How long the newest build may be without sessions while another one runs; milliseconds. Workers come back within 30 s. */
const GRACE_MS = 60_000;

interface Build extends BuildId {
  readonly key: string;
  /** Whether each of its sessions brought all of it, without a problem. */
  readonly sessions: Map<object, boolean>;
  /** When it was attached, counted over all builds. */
  order: number;
  complete: boolean;
  timer?: Timer | undefined;
}

/**
 * Which builds of which applications there are. Of one application's builds the one attached last is the newest, a rollback
 * too; it stays when its sessions leave, the others do not.
 */
export class BuildBook {
  private readonly builds = new Map<string, Build>();
  private order = 0;

  /** `onGone`: a build was given up without anybody leaving. */
  constructor(private readonly clock: Clock, private readonly onGone: () => void) {}

  /** A session serves this build; again when what it brings has changed. */
  attach(session: object, id: BuildId, complete: boolean): void {
    const key = buildKey(id);
    const build = this.builds.get(key) ?? { ...id, key, sessions: new Map<object, boolean>(), order: 0, complete: false };
    this.builds.set(key, build);
    if (build.sessions.size === 0) build.order = ++this.order;
    build.timer?.cancel();
    build.timer = undefined;
    build.sessions.set(session, complete);
    build.complete = [...build.sessions.values()].every(Boolean);
    this.prune(id.application);
  }

  leave(session: object): void {
    for (const build of this.builds.values()) {
      if (!build.sessions.delete(session)) continue;
      if (build.sessions.size > 0) build.complete = [...build.sessions.values()].every(Boolean);
      else build.timer = this.clock.after(GRACE_MS, () => this.giveUp(build));
      this.prune(build.application);
    }
  }

  /** Keys of the builds of an application, the newest first. */
  keysOf(application: string): readonly string[] {
    return this.of(application).map(({ key }) => key);
  }

  has(key: string): boolean {
    return this.builds.has(key);
  }

  applications(): readonly string[] {
    return [...new Set([...this.builds.values()].map(({ application }) => application))];
  }

  /** True when the newest build is known as a whole and no other one is attached. */
  isComplete(application: string): boolean {
    const [newest, ...others] = this.of(application);
    return newest?.build !== undefined && newest.complete && others.length === 0;
  }

  close(): void {
    for (const { timer } of this.builds.values()) timer?.cancel();
  }

  private of(application: string): readonly Build[] {
    return [...this.builds.values()].filter((build) => build.application === application).sort((a, b) => b.order - a.order);
  }

  /** Of the builds without a session only the newest is kept. */
  private prune(application: string): void {
    for (const build of this.of(application).slice(1)) if (build.sessions.size === 0) this.drop(build);
  }

  private giveUp(build: Build): void {
    build.timer = undefined;
    if (this.of(build.application).length === 1) return;
    this.drop(build);
    this.onGone();
  }

  private drop(build: Build): void {
    build.timer?.cancel();
    this.builds.delete(build.key);
  }
}

/** One text for each build. */
export function buildKey({ application, build }: BuildId): string {
  return JSON.stringify([application, build ?? null]);
}
