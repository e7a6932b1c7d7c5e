import { randomBytes } from 'node:crypto';
import { type ChildEvents, type Clock, type Logger, PeerComplaints, type SecretToken, type Sessions, type Turn, WORKER_CREDITS } from '@treadle/api';
import {
  CLOSE, FIRST_CHUNKS, HEARTBEAT_MS, type HelloMessage, PROTOCOL_VERSION, type RegisterMessage,
} from '@treadle/protocol';
import type { WebSocket } from 'ws';
import { Connection, type MessageReader } from './connection.js';
import { HeartbeatReader } from './heartbeat-reader.js';
import type { Acceptor } from './listener.js';
import { SessionWatch, type Watched } from './session-watch.js';
import { Withdrawals } from './withdrawals.js';
import { WorkerConnection } from './worker-connection.js';

export interface GatewayOptions {
  readonly clock: Clock;
  readonly turn: Turn;
  readonly log: Logger;
  readonly sessions: Sessions;
  readonly token: SecretToken;
  readonly engineVersion: string;
  readonly mode: 'development' | 'production';
  readonly events: GatewayEvents;
}

export interface GatewayEvents {
  registered(session: WorkerConnection, message: RegisterMessage): void;
  closed(session: WorkerConnection, reason: string): void;
}

/** Lets Step processes in and keeps their sessions. */
export class Gateway implements Acceptor {
  readonly complaints: PeerComplaints;
  private readonly sessions = new Map<string, WorkerConnection>();
  private readonly watched = new Map<WorkerConnection, Watched>();
  private readonly connections = new Set<Connection>();
  private readonly children = new Map<string, ChildEvents>();
  private readonly watch: SessionWatch;
  private open = true;

  constructor(private readonly options: GatewayOptions) {
    this.watch = new SessionWatch(options.clock);
    this.complaints = new PeerComplaints(options.log, 'worker channel');
  }

  /** Takes a connection that a listener accepted. */
  accept(socket: WebSocket, peer: string, known: () => void): void {
    let name = peer;
    const connection = new Connection({
      socket, clock: this.options.clock,
      onHello: (hello, from) => {
        name = `${hello.runtime} process ${hello.pid} at ${peer}`;
        const reader = this.greet(hello, from);
        if (reader) known();
        return reader;
      },
      onFault: (fault) => this.complaints.about(name, fault),
      onClosed: (closed) => this.connections.delete(closed),
    });
    this.connections.add(connection);
  }

  all(): readonly WorkerConnection[] {
    return [...this.sessions.values()];
  }

  expectChild(childId: string, events: ChildEvents): void {
    this.children.set(childId, events);
  }

  /** Accepts nobody from now on. */
  shut(): void {
    this.open = false;
  }

  /** Ends all sessions. */
  close(): void {
    this.shut();
    for (const session of this.all()) session.close(CLOSE.goingAway, 'the engine stops');
    for (const connection of [...this.connections]) connection.close(CLOSE.goingAway, 'the engine stops');
  }

  private greet(hello: HelloMessage, connection: Connection): MessageReader | undefined {
    if (!this.options.token.matches(hello.token)) {
      this.options.log.warn('a worker with a wrong token was refused', { runtime: hello.runtime, pid: hello.pid });
      connection.refuse({ code: 'bad_token', message: 'the token is wrong; set ENGINE_TOKEN to the content of worker.token' }, CLOSE.badToken);
      return undefined;
    }
    if (hello.protocol !== PROTOCOL_VERSION) {
      const message = `this engine speaks protocol ${PROTOCOL_VERSION}, the worker ${hello.protocol}; install the same version of both`;
      connection.refuse({ code: 'protocol_version', message }, CLOSE.protocolVersion);
      return undefined;
    }
    if (!this.open) {
      connection.refuse({ code: 'draining', message: 'the engine is stopping' }, CLOSE.goingAway);
      return undefined;
    }
    return hello.role === 'heartbeat' ? this.joinHeartbeat(hello, connection) : this.begin(hello, connection);
  }

  private joinHeartbeat(hello: HelloMessage, connection: Connection): MessageReader | undefined {
    const session = this.sessions.get(hello.session ?? '');
    const watched = session && this.watched.get(session);
    if (!session || !watched) {
      connection.refuse({ code: 'unknown_session', message: 'there is no such session' }, CLOSE.goingAway);
      return undefined;
    }
    this.welcome(session.id, connection);
    const ask = hello.withdraws === true ? (frame: string | Uint8Array): void => connection.write(frame) : undefined;
    return new HeartbeatReader({ watch: this.watch, session: watched, withdrawals: session.withdrawals, ask });
  }

  private begin(hello: HelloMessage, connection: Connection): MessageReader | undefined {
    const child = hello.childId === undefined ? undefined : this.children.get(hello.childId);
    if (hello.childId !== undefined && !child) {
      connection.refuse({ code: 'unknown_child', message: 'this engine did not start that process' }, CLOSE.badToken);
      return undefined;
    }
    // A child connects once; whoever comes with its id later is somebody else.
    if (hello.childId !== undefined) this.children.delete(hello.childId);
    const session = this.createSession(hello, connection, child);
    this.welcome(session.id, connection);
    child?.onHello(session);
    return session;
  }

  private createSession(hello: HelloMessage, connection: Connection, child: ChildEvents | undefined): WorkerConnection {
    const watched: Watched = {
      ping: () => session.post({ type: 'ping' }), unresponsive: (reason) => this.giveUp(session, reason),
      blocked: (reason) => session.handle.blocked(reason, () => this.giveUp(session, reason)),
      held: () => session.handle.held(),
      delayed: (ms) => { session.loopDelayMs = ms; },
    };
    const session: WorkerConnection = new WorkerConnection({
      id: `w${randomBytes(6).toString('hex')}`, hello, connection, child, withdrawals: new Withdrawals(this.options.clock, hello.withdraws),
      turn: this.options.turn, pulse: this.watch.add(watched),
      events: {
        registered: (message) => this.registered(session, message),
        closed: (reason) => this.ended(session, watched, reason),
      },
    });
    session.handle = this.options.sessions.attach(session);
    this.sessions.set(session.id, session);
    this.watched.set(session, watched);
    return session;
  }

  private welcome(session: string, connection: Connection): void {
    connection.write(JSON.stringify([{
      type: 'welcome', session, protocol: PROTOCOL_VERSION, engineVersion: this.options.engineVersion,
      mode: this.options.mode, heartbeatMs: HEARTBEAT_MS, credits: WORKER_CREDITS, chunks: FIRST_CHUNKS,
    }]));
  }

  private registered(session: WorkerConnection, message: RegisterMessage): void {
    this.options.events.registered(session, message);
    session.child?.onRegistered();
  }

  /** Its calls fail at once: whether the process ever wakes up again, nobody waits for it. */
  private giveUp(session: WorkerConnection, reason: string): void {
    this.options.log.warn('a worker does not respond', { worker: session.id, pid: session.pid, runtime: session.runtime, reason });
    session.close(CLOSE.goingAway, reason);
    session.child?.onUnresponsive();
  }

  private ended(session: WorkerConnection, watched: Watched, reason: string): void {
    this.watch.remove(watched);
    this.watched.delete(session);
    this.sessions.delete(session.id);
    this.options.events.closed(session, reason);
    session.child?.onLost(reason);
  }
}
