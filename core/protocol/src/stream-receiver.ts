import { Readable } from 'node:stream';
import { CHUNK_BYTES, INITIAL_CREDITS } from './limits.js';
import type { ChunkMessage, CreditMessage } from './messages.js';

export interface StreamReceiverOptions {
  readonly stream: number;
  readonly send: (message: CreditMessage) => void;
  /** Nothing more will come or be taken. Called once. */
  readonly onClose: () => void;
}

/** Credits are given back in halves of the window: few messages, and the sender never runs dry. */
const GRANT_AT = INITIAL_CREDITS / 2;

/** The readable at the other end of a `StreamSender`. Destroying it tells the sender to stop. */
export class StreamReceiver extends Readable {
  readonly #options: StreamReceiverOptions;
  readonly #waiting: Buffer[] = [];
  #wanted = false;
  #taken = 0;
  #over = false;

  constructor(options: StreamReceiverOptions) {
    super({ highWaterMark: CHUNK_BYTES });
    this.#options = options;
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
    if (this.#waiting.length >= INITIAL_CREDITS || bytes.length > CHUNK_BYTES) {
      this.destroy(new Error('the sender of a stream exceeded its credits'));
      return false;
    }
    this.#waiting.push(bytes);
    return true;
  }

  #hand(): void {
    while (this.#wanted && this.#waiting.length > 0) {
      this.#wanted = this.push(this.#waiting.shift());
      this.#taken++;
    }
    if (this.#over && this.#waiting.length === 0) {
      this.push(null);
      return;
    }
    if (this.#taken < GRANT_AT) return;
    this.#options.send({ type: 'credit', stream: this.#options.stream, chunks: this.#taken });
    this.#taken = 0;
  }
}
