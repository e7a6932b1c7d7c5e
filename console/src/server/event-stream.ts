import type { ServerResponse } from 'node:http';
import type { Clock, Timer, Unsubscribe } from '@treadle/api';
import { SAFE_HEADERS } from './refusal.js';

const HEARTBEAT_MS = 15_000;
/** What may wait for a client that does not read, in bytes; then it is cut off. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** Server-sent events to one client. What is sent before it is open waits for it. */
export class EventStream {
  private early: string[] | undefined = [];
  private heartbeat: Timer | undefined;
  private ended = false;
  private readonly whenEnded: (() => void)[] = [];

  /** `isServed`: asked at each heartbeat whether there is still somebody to send. */
  constructor(private readonly response: ServerResponse, private readonly clock: Clock, private readonly isServed: () => boolean) {
    response.on('close', () => this.end());
    response.on('error', () => this.end());
  }

  /** One event, as JSON. */
  readonly send = (event: unknown): void => {
    this.write(`data: ${JSON.stringify(event) ?? 'null'}\n\n`);
  };

  /** Begins the answer; `leave` is called once, at the end. */
  open(leave: Unsubscribe): void {
    this.onEnd(leave);
    if (this.ended) return;
    this.response.writeHead(200, { ...SAFE_HEADERS, 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    this.response.write(': open\n\n');
    const { early = [] } = this;
    this.early = undefined;
    for (const text of early) this.write(text);
    this.heartbeat = this.clock.every(HEARTBEAT_MS, () => (this.isServed() ? this.write(': alive\n\n') : this.end()));
  }

  /** Runs `listener` at the end; at once when that was already. */
  onEnd(listener: () => void): void {
    if (this.ended) listener();
    else this.whenEnded.push(listener);
  }

  /** Ends the answer. Idempotent. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.heartbeat?.cancel();
    this.response.end();
    for (const listener of this.whenEnded.splice(0)) listener();
  }

  private write(text: string): void {
    if (this.ended) return;
    if (this.early) {
      this.early.push(text);
      return;
    }
    this.response.write(text);
    if (this.response.writableLength <= MAX_WAITING_BYTES) return;
    this.response.destroy();
    this.end();
  }
}
