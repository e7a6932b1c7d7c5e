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

const CONNECTION = Symbol('connection');
const LINGER_MS = 1000;
/** Connections beyond the limit that are accepted nevertheless: a health check is answered, anything else refused in words. */
const RESERVE = 64;

interface TrackedSocket extends Socket {
  [CONNECTION]?: Connection;
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

  constructor(private readonly socket: Socket, private readonly clock: Clock, private readonly address: ListeningAddress, beyond = false) {
    this.beyond = beyond;
    (socket as TrackedSocket)[CONNECTION] = this;
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

  /** The request that came last, if it is still open. */
  get newest(): OpenRequest | undefined {
    return this.first && this.last(this.first);
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
  }
}

/** Counts open connections, over all handles that accept them. */
export class ConnectionLimit {
  private open = 0;

  /** @param most a reload may change it; open connections stay, however many there are */
  constructor(public most: number) {}

  /** Counts a connection until it closes; `beyond`: there are too many; `none`: so many that it was cut off. */
  enter(socket: Socket): 'within' | 'beyond' | 'none' {
    if (this.open >= this.most + RESERVE) {
      socket.destroy();
      return 'none';
    }
    this.open += 1;
    socket.once('close', () => { this.open -= 1; });
    return this.open > this.most ? 'beyond' : 'within';
  }
}

/** Ends our direction once everything is out, the rest when the client has read it, or after a second. */
export function endInSteps(socket: Socket, clock: Clock): void {
  socket.end();
  const timer = clock.after(LINGER_MS, () => socket.destroy());
  socket.once('close', () => timer.cancel());
}
