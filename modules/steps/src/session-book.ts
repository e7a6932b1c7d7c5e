import type { RuntimeSession, SessionHandle, SessionInfo, Sessions } from '@treadle/api';
import type { HelloMessage } from '@treadle/protocol';
import { applicationName } from '@treadle/protocol/build-lock';
import type { BuildId } from './catalog/build-book.js';
import { LOCAL_SOURCE, type CatalogMaker } from './catalog/catalog-maker.js';
import type { WorkerConnection } from './gateway/worker-connection.js';

interface Entry {
  readonly session: RuntimeSession;
  readonly handle: SessionHandle;
  readonly origin: SessionInfo['origin'];
  readonly application?: string | undefined;
  readonly build?: string | undefined;
}

/** Which sessions there are: those of the gateway and those of this process. */
export class SessionBook {
  private readonly joined = new Map<RuntimeSession, SessionHandle>();

  constructor(private readonly sessions: Sessions, private readonly connections: () => readonly WorkerConnection[], private readonly catalog: CatalogMaker) {}

  /** Takes in a session of this process. */
  join(session: RuntimeSession): SessionHandle {
    const handle = this.sessions.attach(session);
    this.joined.set(session, handle);
    return handle;
  }

  /** All of them, as console and CLI see them. */
  list(): readonly SessionInfo[] {
    return this.entries().map(({ session, handle, origin, application, build }) => ({
      id: session.id, runtime: session.runtime, version: session.version, pid: session.pid, origin, application, build,
      steps: this.catalog.session(session)?.steps ?? [], running: handle.running,
    }));
  }

  /** Calls that sessions have in hand. */
  get running(): number {
    return this.entries().reduce((sum, { handle }) => sum + handle.running, 0);
  }

  /** No session gets new calls. */
  retire(): void {
    for (const { handle } of this.entries()) handle.retire();
  }

  /** Those that somebody else started and stops. */
  remote(): readonly RuntimeSession[] {
    return this.connections().filter((connection) => !connection.child);
  }

  /** The sessions of this process end with it. */
  close(): void {
    for (const [session, handle] of this.joined) {
      handle.lost('the engine stops');
      this.catalog.leave(session);
    }
    this.joined.clear();
  }

  private entries(): readonly Entry[] {
    const connected = this.connections().map((session): Entry => ({
      session, handle: session.handle, origin: session.child ? 'child' : 'remote', application: session.hello.application,
      build: session.hello.build,
    }));
    const joined = [...this.joined].map(([session, handle]): Entry => ({ session, handle, origin: 'in-process' }));
    return [...connected, ...joined];
  }
}

/** Sessions with the same source bring the same application; a later one replaces what an earlier one said. */
export function sourceOf(session: WorkerConnection): string {
  if (session.child) return LOCAL_SOURCE;
  const { application, build, root, runtime } = session.hello;
  return JSON.stringify(['remote', application ?? root ?? session.id, build ?? null, runtime]);
}

/** The build that a remote process serves. One that does not say of which application has that of the engine. */
export function buildOf({ application, build, root }: HelloMessage, own: string): BuildId {
  return { application: application ?? (root === undefined ? own : applicationName(root, {})), build };
}

/** How a remote process is named in the log. */
export function remoteName(hello: HelloMessage): string {
  return hello.application ?? hello.root ?? `process ${hello.pid}`;
}
