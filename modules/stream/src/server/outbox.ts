import type { FlushTurn } from './flush-turn.js';

/** What an outbox needs of a socket. */
export interface OutboxSocket {
  /** Bytes that the system has not taken yet. */
  readonly writableLength: number;
  /** `done` is called when the system has taken it, or never will. */
  write(bytes: Buffer, done?: () => void): unknown;
}

export interface OutboxLimits {
  readonly max_queued_messages: number;
  readonly max_queued_bytes: number;
}

/** A write that the system has not taken as a whole yet. */
interface Queued {
  /** Bytes written to the socket up to its end. */
  readonly end: number;
  readonly bytes: number;
  readonly messages: number;
  /** The beginning of a subscription: as long as its group is, so it does not count. */
  readonly exempt: boolean;
}

const NOTHING: Queued[] = [];

/**
 * What one socket is sent: collected over a turn and written at once. More than the limits for a reader that does not
 * keep up, and it is cut off.
 */
export class Outbox {
  private frames: Buffer[] = [];
  private queue = NOTHING;
  private written = 0;
  private closed = false;
  /** Resolves when the beginning of the last subscription has gone out as a whole; undefined when it has. */
  catchingUp: Promise<void> | undefined;

  constructor(
    private readonly socket: OutboxSocket, private readonly turn: FlushTurn, private readonly limits: OutboxLimits,
    private readonly onOverflow: () => void,
  ) {}

  /** Adds a message to this turn's. */
  add(frame: Buffer): void {
    if (this.closed) return;
    this.frames.push(frame);
    if (this.frames.length === 1) this.turn.add(this);
    else if (this.frames.length >= this.limits.max_queued_messages) this.flush();
  }

  /** Adds what a subscription begins with, however long it is, in order with the rest. */
  addCatchUp(frames: readonly Buffer[]): void {
    if (this.closed || frames.length === 0) return;
    this.flush();
    if (this.closed) return;
    let taken = (): void => undefined;
    const going = new Promise<void>((resolve) => {
      taken = resolve;
    });
    const done = (): void => {
      if (this.catchingUp === going) this.catchingUp = undefined;
      taken();
    };
    this.write(this.turn.joined(frames), { messages: frames.length, exempt: true, done });
    this.catchingUp = this.socket.writableLength > 0 ? going : undefined;
  }

  /** Writes what was collected. */
  flush(): void {
    const { frames } = this;
    if (this.closed || frames.length === 0) return;
    this.frames = [];
    if (this.overflows(frames.length)) {
      this.close();
      this.onOverflow();
      return;
    }
    this.write(this.turn.joined(frames), { messages: frames.length, exempt: false });
  }

  /** Sends nothing more; what was not written is dropped. */
  close(): void {
    this.closed = true;
    this.frames = [];
    this.queue = NOTHING;
  }

  private write(bytes: Buffer, { messages, exempt, done }: { readonly messages: number; readonly exempt: boolean; readonly done?: () => void }): void {
    if (done) this.socket.write(bytes, done);
    else this.socket.write(bytes);
    this.written += bytes.length;
    if (this.socket.writableLength === 0) {
      if (this.queue.length > 0) this.queue = NOTHING;
      return;
    }
    if (this.queue === NOTHING) this.queue = [];
    this.queue.push({ end: this.written, bytes: bytes.length, messages, exempt });
  }

  private overflows(more: number): boolean {
    if (this.socket.writableLength === 0) return false;
    this.settle();
    let [messages, bytes] = [more, 0];
    for (const one of this.queue) {
      if (one.exempt) continue;
      messages += one.messages;
      bytes += one.bytes;
    }
    return messages > this.limits.max_queued_messages || bytes > this.limits.max_queued_bytes;
  }

  /** Forgets writes that the system has taken. */
  private settle(): void {
    if (this.queue.length === 0) return;
    const taken = this.written - this.socket.writableLength;
    let gone = 0;
    for (let first = this.queue[0]; first && first.end <= taken; first = this.queue[gone]) gone += 1;
    if (gone > 0) this.queue = this.queue.slice(gone);
  }
}
