import type { ChildProcess as NodeChild } from 'node:child_process';
import type { ChildEvents, Clock, RuntimeHost, RuntimeSession, Timer, WorkerStatus } from '@treadle/api';
import type { Mark, StepFile } from '@treadle/protocol';
import { ChildProcess } from './child-process.js';
import { HEALTHY_MS, RestartPolicy } from './restart-policy.js';

export interface SupervisedWorkerOptions {
  /** From 0. */
  readonly worker: number;
  /** Name of the runtime. */
  readonly runtime: string;
  /** Starts a process. */
  readonly launch: () => NodeChild;
  /** Further members of the first line on its standard input. */
  readonly start: Readonly<Record<string, unknown>>;
  readonly clock: Clock;
  readonly host: RuntimeHost;
  /**
   * The process does not come to an end with loading its files, or has ended meanwhile or, again, soon afterwards. True: the
   * caller looks for the file at fault, and then calls `resume` or `giveUp`.
   */
  readonly onLoadFailed?: (how: 'ended' | 'stalled' | 'died') => boolean;
  /** It ended, for this reason, while it opened the setups of these files: at least one of them is at fault. True: the caller has left them out. */
  readonly onOpenFailed?: (files: readonly string[], reason: string) => boolean;
  /** All files that it was given are loaded. */
  readonly onLoaded?: () => void;
  /** One of its handlers harms it. */
  readonly onRelief?: () => void;
  /** It has said whose code is about to end it. */
  readonly onMark?: (mark: Mark) => void;
}

/** Longest time from the start of a process to its first registration; milliseconds. */
const CONNECT_MS = 30_000;
/** A process that takes longer to load its files is worth a look at them; milliseconds. */
const STALL_MS = 3_000;
/** A process that ends sooner than this after it has loaded its files may owe that to one of them; milliseconds. */
const YOUNG_MS = 5_000;
/** Crashes before it, as `RestartPolicy.streak` counts them, from which on that is thought of also when a handler is known to have ended it: others wait while files are tried. */
const HARMED_STREAK = 2;
/** How long the end of a process waits for that of its session, which says whose handlers ran; milliseconds. */
const SESSION_END_MS = 200;
/** How long a process may live on without its session; milliseconds. */
const ORPHAN_MS = 2_000;

/** One place for a worker process: starts it, starts it again whenever it ends, and ends it for good. */
export class SupervisedWorker {
  private readonly policy = new RestartPolicy();
  private child: ChildProcess | undefined;
  private session: RuntimeSession | undefined;
  private files: readonly StepFile[] = [];
  private state: WorkerStatus['state'] = 'stopped';
  private generation = 0;
  private restarts = 0;
  private settled = false;
  private retired = false;
  /** The one thing that is waited for: a restart, a connection, an end or lasting health. */
  private timer: Timer | undefined;
  /** Loads that were asked for and not answered. */
  private loading = 0;
  /** What comes after a load: it takes long, or has been over for a while. */
  private watched: Timer | undefined;
  /** It registered only a moment ago. */
  private isYoung = false;
  /** A handler is known to harm this process. */
  private isHarmed = false;
  /** Setups that it is opening. */
  private readonly opening = new Set<string>();
  /** Its process is gone, and its session not yet. */
  private ending: { readonly reason: string; readonly output: string } | undefined;
  /** The end of a process that did not survive its files, until the caller has found out which. */
  private failed: { readonly reason: string; readonly output: string; readonly pid: number | undefined } | undefined;

  /** It is retired, and neither its process nor its session is left. */
  private readonly stopped: Promise<void>;
  private stop: () => void = () => undefined;

  constructor(private readonly options: SupervisedWorkerOptions) {
    this.stopped = new Promise((resolve) => { this.stop = resolve; });
  }

  get status(): WorkerStatus {
    const { state, restarts, settled } = this;
    return { worker: this.options.worker, pid: this.child?.pid, state, restarts, settled };
  }

  start(files: readonly StepFile[]): void {
    this.files = files;
    this.spawn();
  }

  /** True while a process serves what it has loaded. */
  get serves(): boolean {
    return this.session !== undefined && !this.ending && this.state === 'ready';
  }

  /** It is given files that it has not loaded yet. */
  get isLoading(): boolean {
    return this.loading > 0;
  }

  /**
   * Serves these files from now on. New content ends the wait of a worker that crashed with the old one. `fresh`: what a process
   * loads that has to begin anew, when that is not the same.
   */
  update(files: readonly StepFile[], fresh = files): void {
    this.files = fresh;
    if (this.session && !this.ending) return this.load(this.session, files);
    if (this.child || this.retired || this.failed) return undefined;
    this.policy.reset();
    return this.spawn();
  }

  /** What the next process will load. */
  prepare(files: readonly StepFile[]): void {
    this.files = files;
  }

  /** The files at fault are found: begins with these at once. A process that is still stuck with the old ones is ended. */
  resume(files: readonly StepFile[]): void {
    this.files = files;
    if (this.retired) return undefined;
    if (!this.failed) {
      if (this.loading === 0) return undefined;
      this.failed = { reason: 'a file blocks it', output: '', pid: this.child?.pid };
      return this.child?.kill();
    }
    // Its end, which is under way, comes back here.
    if (this.child) return undefined;
    this.failed = undefined;
    this.restarts++;
    return this.spawn();
  }

  /** No file is at fault: an end like any other. A process whose end is under way has been ended for a file. */
  giveUp(): void {
    const { failed } = this;
    if (!failed || this.child) return;
    this.failed = undefined;
    if (!this.retired) this.crashed(failed);
  }

  /** Ends the process: its handlers have until `deadlineMs` from now. It is not started again. */
  async retire(deadlineMs: number): Promise<void> {
    this.retired = true;
    this.watched?.cancel();
    const { child, session } = this;
    if (!this.ending) {
      this.timer?.cancel();
      if (!child) return this.become('stopped');
      session?.drain(deadlineMs);
      // Without a session there is nothing that it could finish.
      await child.end(session ? deadlineMs : 0);
    }
    await this.stopped;
  }

  private marked(mark: Mark): void {
    if ('opening' in mark) this.opening.add(mark.opening);
    else if ('opened' in mark) this.opening.delete(mark.opened);
    else this.options.onMark?.(mark);
  }

  private spawn(): void {
    this.opening.clear();
    this.isHarmed = false;
    const { worker, runtime, launch, start, clock, host } = this.options;
    const { socketUrl, token, root, mode } = host;
    const generation = ++this.generation;
    // What is told of a process that another one has replaced is not about that one.
    const about = (task: () => void): void => { if (generation === this.generation) task(); };
    const childId = `${runtime}-${worker}-${generation}`;
    host.expectChild(childId, this.eventsOf(about));
    this.child = new ChildProcess({
      launch, clock, start: { ...start, socketUrl, token, childId, root, mode },
      onLine: (line, stream) => host.output(line, stream, childId), onMark: (mark) => about(() => this.marked(mark)),
      onExit: (reason, output) => about(() => this.exited(reason, output)),
    });
    this.await(CONNECT_MS, () => this.child?.kill('did not register its Steps in 30 s'));
    this.become(this.policy.looping ? 'crash_looping' : 'starting');
  }

  private eventsOf(about: (task: () => void) => void): ChildEvents {
    return {
      onHello: (session) => about(() => this.connected(session)),
      onRegistered: () => about(() => this.registered()),
      onLost: () => about(() => this.disconnected()),
      onRelief: () => about(() => {
        this.isHarmed = true;
        this.options.onRelief?.();
      }),
      onUnresponsive: () => about(() => this.child?.kill('unresponsive for 15 s')),
    };
  }

  private connected(session: RuntimeSession): void {
    this.session = session;
    this.load(session, this.files);
  }

  private load(session: RuntimeSession, files: readonly StepFile[]): void {
    this.loading++;
    // A setup that holds it up is told apart from the files when it does not come to an end.
    this.watch(STALL_MS, () => { if (this.opening.size === 0) this.options.onLoadFailed?.('stalled'); });
    session.load(files);
  }

  private loaded(): void {
    this.loading = Math.max(0, this.loading - 1);
    if (this.loading > 0) return;
    this.isYoung = true;
    this.watch(YOUNG_MS, () => { this.isYoung = false; });
    this.options.onLoaded?.();
  }

  private registered(): void {
    this.loaded();
    if (this.retired || this.ending || this.state === 'ready') return;
    this.settled = true;
    this.await(HEALTHY_MS, () => {
      this.policy.reset();
      this.become('ready');
    });
    // One that has crashed again and again has to last before it counts as well.
    if (!this.policy.looping) this.become('ready');
  }

  private disconnected(): void {
    this.session = undefined;
    if (this.ending) this.gone();
    else if (this.child && !this.retired) this.await(ORPHAN_MS, () => this.child?.kill('it lost its connection to the engine'));
  }

  private exited(reason: string, output: string): void {
    this.ending = { reason, output };
    if (this.session) this.await(SESSION_END_MS, () => this.gone());
    else this.gone();
  }

  private gone(): void {
    if (!this.ending) return undefined;
    const { reason, output } = this.ending;
    const pid = this.child?.pid;
    // First, for it tells what the process has still said, and whether a handler has harmed it.
    this.session?.gone?.(reason);
    const wasLoading = this.loading > 0;
    const isSuspect = this.isYoung && this.policy.streak >= (this.isHarmed ? HARMED_STREAK : 1);
    this.child = this.session = this.ending = undefined;
    this.isYoung = false;
    this.loading = 0;
    this.timer?.cancel();
    this.watched?.cancel();
    if (this.retired) {
      this.become('stopped');
      return this.stop();
    }
    if (this.opening.size > 0 && this.options.onOpenFailed?.([...this.opening], reason) === true) {
      this.failed = undefined;
      this.restarts++;
      return this.spawn();
    }
    if (this.failed) {
      // Ended for a file that is known by now.
      return this.resume(this.files);
    }
    this.failed = { pid, reason, output };
    const how = wasLoading ? 'ended' : isSuspect ? 'died' : undefined;
    if (how !== undefined) this.become('restarting');
    if (how === undefined || !this.options.onLoadFailed?.(how)) this.giveUp();
    return undefined;
  }

  private crashed({ pid, reason, output }: NonNullable<SupervisedWorker['failed']>): void {
    const { host, runtime, worker } = this.options;
    const restartMs = this.policy.crashed();
    const { looping } = this.policy;
    this.settled ||= looping;
    this.restarts++;
    this.state = looping ? 'crash_looping' : 'restarting';
    this.await(restartMs, () => this.spawn());
    host.reportCrash({ runtime, worker, pid, reason, output, crashLooping: looping, restartMs });
  }

  private watch(ms: number, task: () => void): void {
    this.watched?.cancel();
    this.watched = this.options.clock.after(ms, task);
  }

  private await(ms: number, task: () => void): void {
    this.timer?.cancel();
    this.timer = this.options.clock.after(ms, task);
  }

  private become(state: WorkerStatus['state']): void {
    this.state = state;
    this.options.host.statusChanged();
  }
}
