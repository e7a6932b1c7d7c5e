import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@treadle/api';
import type { Problem } from '../response/problem.js';

/** Where connections are accepted. */
export interface ListeningAddress {
  /** It is given up: its connections end with their next answer. */
  readonly leaving: boolean;
}

/** A request on a connection, as far as the connection is concerned. */
export interface OpenRequest {
  nextOnConnection: OpenRequest | undefined;
  /** The client is gone. */
  abandon(): void;
  /** What follows is no request: where its own body is what is broken it is refused, else its answer is the last one. */
  breakOff(problem: Problem): void;
}

/** What a request that is answered holds until its answer is out. */
export interface Held {
  /** The client is gone. */
  release(): void;
}

const CONNECTION = Symbol('connection');
const LINGER_MS = 1000;
/** What a client has opened and sent nothing on for so long is idle; before, its first request may be on its way. Milliseconds. */
const UNUSED_MS = 1_000;
/** Connections beyond the limit that are accepted nevertheless: a health check is answered, anything else refused in words. */
const RESERVE = 64;

/** What Node.js and we keep at a socket of the server. */
interface TrackedSocket extends Socket {
  [CONNECTION]?: Connection;
  /** The answer whose turn it is, until its last byte is with the system; then the next pipelined one. */
  readonly _httpMessage?: ServerResponse | null;
  /** The duration is that of the request that is being received, or since the connection was accepted; 0 between two. No parser reads an upgraded connection. */
  readonly parser?: { duration(): number } | null;
}

/**
 * The requests under way on one connection: nearly always none or one, more with pipelining. One listener a connection
 * instead of one a request.
 */
export class Connection {
  /** No further request is taken: the answer to the latest one closes the connection. */
  closing = false;
  /** There are too many connections: only health is told. */
  readonly beyond: boolean;
  /** Requests so far. */
  private count = 0;
  private first: OpenRequest | undefined;
  /** Of answers that are not out. A pipelined one whose turn has not come learns nowhere else that the client is gone. */
  private held: Set<Held> | undefined;

  constructor(private readonly socket: TrackedSocket, private readonly clock: Clock, private readonly address: ListeningAddress, beyond = false) {
    this.beyond = beyond;
    socket[CONNECTION] = this;
    socket.on('close', () => this.closed());
  }

  static of(socket: Socket): Connection | undefined {
    return (socket as TrackedSocket)[CONNECTION];
  }

  /** True when the answer to the latest request is to be the last one. */
  get ending(): boolean {
    return this.closing || this.address.leaving;
  }

  /** Gives the number of the request on this connection, from 1. */
  add(request: OpenRequest): number {
    if (this.first === undefined) this.first = request;
    else this.last(this.first).nextOnConnection = request;
    return ++this.count;
  }

  /** True when no request came after that of this number. An earlier one must not close: later answers would be lost. */
  isLatest(number: number): boolean {
    return number === this.count;
  }

  remove(request: OpenRequest): void {
    if (this.first === request) {
      this.first = request.nextOnConnection;
      return;
    }
    for (let at = this.first; at; at = at.nextOnConnection) {
      if (at.nextOnConnection === request) at.nextOnConnection = request.nextOnConnection;
    }
  }

  /** Releases this when the connection is gone, unless it is let go before. */
  hold(held: Held): void {
    (this.held ??= new Set()).add(held);
  }

  letGo(held: Held): void {
    this.held?.delete(held);
  }

  /** The request that came last, if it is still open. */
  get newest(): OpenRequest | undefined {
    return this.first && this.last(this.first);
  }

  /**
   * Closes it when no request is being received and every answer is out. Browsers open connections that they may never use. For `closeIdleConnections` of Node.js an answer is out
   * as soon as it was given to the socket, where megabytes of it may wait for a slow client.
   */
  closeIdle(): void {
    const { _httpMessage: answer, parser, bytesRead } = this.socket;
    const durationMs = parser?.duration();
    if (answer || durationMs === undefined) return;
    if (durationMs === 0 || (durationMs > UNUSED_MS && bytesRead === 0)) this.socket.destroy();
  }

  /** Closes it when an answer is not out. */
  cutAnswers(): void {
    if (this.first !== undefined || this.socket._httpMessage) this.socket.destroy();
  }

  /**
   * Closes in two steps once the answer is out: first our direction, then, when the client has read it or after a
   * second, the rest. Closing at once while the client still sends would reset the connection and lose the answer.
   */
  linger(): void {
    this.closing = true;
    const { socket, clock } = this;
    socket.destroySoon = () => endInSteps(socket, clock);
  }

  private last(from: OpenRequest): OpenRequest {
    let at = from;
    while (at.nextOnConnection) at = at.nextOnConnection;
    return at;
  }

  private closed(): void {
    this.closing = true;
    for (let at = this.first; at;) {
      const next = at.nextOnConnection;
      at.abandon();
      at = next;
    }
    this.first = undefined;
    this.held?.forEach((held) => held.release());
  }
}

/** The open connections of a server, over all handles that accept them. */
export class Connections {
  private readonly open = new Set<Connection>();
  private waiting: (() => void)[] = [];

  /** @param most a reload may change it; open connections stay, however many there are */
  constructor(public most: number, private readonly clock: Clock, private readonly address: ListeningAddress) {}

  /** Takes a connection in until it closes; one of too many is only told of health, and where even those are many it is cut off. */
  enter(socket: Socket): void {
    // It is here already where the server got it anew, see `ignoreUpgrade`.
    if (Connection.of(socket)) return;
    const { open, most } = this;
    if (open.size >= most + RESERVE) {
      socket.destroy();
      return;
    }
    const connection = new Connection(socket, this.clock, this.address, open.size >= most);
    open.add(connection);
    socket.once('close', () => this.leave(connection));
  }

  /** Closes those on which nothing is under way. */
  closeIdle(): void {
    for (const connection of this.open) connection.closeIdle();
  }

  /** Breaks off those whose answers are not out: `closeAllConnections` of Node.js leaves out what no parser reads, as where an upgrade waits for them. */
  cutAnswers(): void {
    for (const connection of this.open) connection.cutAnswers();
  }

  /** Resolves when none is open. For who accepts no more: a `net.Server` knows only those of its own handle. */
  async gone(): Promise<void> {
    if (this.open.size > 0) await new Promise<void>((resolve) => { this.waiting.push(resolve); });
  }

  private leave(connection: Connection): void {
    this.open.delete(connection);
    if (this.open.size === 0) for (const resolve of this.waiting.splice(0)) resolve();
  }
}

/** Ends our direction once everything is out, the rest when the client has read it, or after a second. */
export function endInSteps(socket: Socket, clock: Clock): void {
  socket.end();
  const timer = clock.after(LINGER_MS, () => socket.destroy());
  socket.once('close', () => timer.cancel());
}
