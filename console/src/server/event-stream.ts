import type { ServerResponse } from 'node:http';
import type { Clock, Timer, Unsubscribe } from '@treadle/api';
import { EventBacklog, MAX_WAITING_BYTES } from './event-backlog.js';
import { SAFE_HEADERS } from './refusal.js';

const HEARTBEAT_MS = 15_000;
/** What is written at a time, in bytes; an event that is longer is written alone. */
const PIECE_BYTES = 64 * 1024;

/**
 * Server-sent events to one client. What is sent before it is open, or faster than the client reads, waits for it; where that is too much the oldest gives
 * way to an event `{dropped}`. A client that reads nothing at all is cut off by the server, as for any other answer.
 */
export class EventStream {
  private readonly backlog: EventBacklog;
  private isOpen = false;
  private heartbeat: Timer | undefined;
  private ended = false;
  private readonly whenEnded: (() => void)[] = [];

  /** `isServed`: asked at each heartbeat whether there is still somebody to send. */
  constructor(private readonly response: ServerResponse, private readonly clock: Clock, private readonly isServed: () => boolean) {
    this.backlog = new EventBacklog(clock);
    response.on('close', () => this.end());
    response.on('error', () => this.end());
    response.on('drain', () => this.pump());
  }

  /** One event, as JSON. */
  readonly send = (event: unknown): void => {
    if (this.ended) return;
    this.backlog.add(event);
    this.backlog.keepBytes(MAX_WAITING_BYTES);
    this.pump();
  };

  /** Begins the answer; `leave` is called once, at the end. */
  open(leave: Unsubscribe): void {
    this.onEnd(leave);
    if (this.ended) return;
    this.response.writeHead(200, { ...SAFE_HEADERS, 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    this.response.write(': open\n\n');
    this.isOpen = true;
    this.pump();
    this.heartbeat = this.clock.every(HEARTBEAT_MS, () => (this.isServed() ? this.beat() : this.end()));
  }

  /** Runs `listener` at the end; at once when that was already. */
  onEnd(listener: () => void): void {
    if (this.ended) listener();
    else this.whenEnded.push(listener);
  }

  /** Ends the answer after what waits. Idempotent. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.heartbeat?.cancel();
    this.response.end(this.isOpen ? this.taken(Infinity) : '');
    for (const listener of this.whenEnded.splice(0)) listener();
  }

  /** A client that has not read yet what came before needs none. */
  private beat(): void {
    if (!this.response.writableNeedDrain) this.response.write(': alive\n\n');
  }

  /** Writes what waits, as far as the client reads. */
  private pump(): void {
    if (!this.isOpen || this.ended) return;
    while (!this.response.writableNeedDrain) {
      const text = this.taken(PIECE_BYTES);
      if (text === '') return;
      this.response.write(text);
    }
  }

  /** The oldest of what waits, as it is written; empty when nothing does. */
  private taken(bytes: number): string {
    const { gap } = this.backlog;
    this.backlog.closeGap();
    const texts = this.backlog.take(bytes, true);
    return [...gap ? [JSON.stringify({ dropped: gap.dropped })] : [], ...texts].map((text) => `data: ${text}\n\n`).join('');
  }
}
