import { Readable } from 'node:stream';
import { CHUNK_BYTES, INITIAL_CREDITS } from './limits.js';
import type { ChunkMessage, CreditMessage } from './messages.js';

export interface StreamReceiverOptions {
  readonly stream: number;
  readonly send: (message: CreditMessage) => void;
  /** Chunks that the sender may send before it is granted any. */
  readonly credits: number;
  /** Chunks that may be under way from now on. */
  readonly window: () => number;
  /** Nothing more will come or be taken. Called once. */
  readonly onClose: () => void;
}

/** More than any sender has credits for, one that did not heed the `chunks` of `welcome` included. */
const MOST_WAITING = 2 * INITIAL_CREDITS;

/** The readable at the other end of a `StreamSender`. Destroying it tells the sender to stop. */
export class StreamReceiver extends Readable {
  readonly #options: StreamReceiverOptions;
  readonly #waiting: Buffer[] = [];
  #wanted = false;
  /** Granted, and not yet taken by whoever reads. */
  #open: number;
  #over = false;

  constructor(options: StreamReceiverOptions) {
    super({ highWaterMark: CHUNK_BYTES });
    this.#options = options;
    this.#open = options.credits;
    // Whoever reads it hears of a failure; one that nobody reads must not take the process down.
    this.on('error', () => undefined);
  }

  /** Takes a `chunk` message. A sender that exceeds its credits or the size of a chunk fails the stream. */
  receive(message: ChunkMessage): void {
    if (this.#over || this.destroyed) return;
    if (message.error !== undefined) {
      this.destroy(new Error(message.error));
      return;
    }
    if (message.data !== '' && !this.#accept(Buffer.from(message.data, 'base64'))) return;
    this.#over = message.end === true;
    this.#hand();
  }

  override _read(): void {
    this.#wanted = true;
    this.#hand();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#waiting.length = 0;
    if (!this.#over) this.#options.send({ type: 'credit', stream: this.#options.stream, chunks: 0 });
    this.#over = true;
    this.#options.onClose();
    done(error);
  }

  #accept(bytes: Buffer): boolean {
    if (this.#waiting.length >= MOST_WAITING || bytes.length > CHUNK_BYTES) {
      this.destroy(new Error('the sender of a stream exceeded its credits'));
      return false;
    }
    this.#waiting.push(bytes);
    return true;
  }

  #hand(): void {
    const before = this.#open;
    while (this.#wanted && this.#waiting.length > 0) {
      this.#wanted = this.push(this.#waiting.shift());
      this.#open = Math.max(0, this.#open - 1);
    }
    if (this.#over && this.#waiting.length === 0) {
      this.push(null);
      return;
    }
    if (this.#open < before) this.#grant();
  }

  /** Credits are given in halves of the window: few messages, and the sender never runs dry. */
  #grant(): void {
    const window = this.#options.window();
    if (this.#open > window / 2) return;
    const chunks = window - this.#open;
    this.#open = window;
    this.#options.send({ type: 'credit', stream: this.#options.stream, chunks });
  }
}
