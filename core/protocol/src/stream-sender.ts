import type { Readable } from 'node:stream';
import { CHUNK_BYTES, INITIAL_CREDITS } from './limits.js';
import type { ChunkMessage } from './messages.js';

export interface StreamSenderOptions {
  readonly stream: number;
  readonly source: Readable;
  /** `weight` is about the bytes of the message. */
  readonly send: (message: ChunkMessage, weight: number) => void;
  /** The last chunk went out, the source failed or the receiver has gone. Called once. */
  readonly onClose: () => void;
}

/** Sends a readable as `chunk` messages, never more than the receiver has granted. */
export class StreamSender {
  readonly #options: StreamSenderOptions;
  #credits = INITIAL_CREDITS;
  #rest: Buffer | undefined;
  #ended = false;
  #closed = false;

  constructor(options: StreamSenderOptions) {
    this.#options = options;
    const { source } = options;
    source.on('readable', () => this.#pump());
    source.on('end', () => {
      this.#ended = true;
      this.#pump();
    });
    source.on('error', (error: Error) => this.#finish({ error: error.message }));
    source.on('close', () => {
      if (!this.#ended) this.#finish({ error: 'the stream was closed before its end' });
    });
  }

  /** Takes a `credit` message: `chunks` more, or 0 when the receiver has gone. */
  grant(chunks: number): void {
    if (chunks === 0) {
      this.stop();
      return;
    }
    this.#credits += chunks;
    this.#pump();
  }

  /** Ends without a word to the other side, which has gone; destroys the source. */
  stop(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.source.destroy();
    this.#options.onClose();
  }

  #pump(): void {
    while (!this.#closed && this.#credits > 0) {
      const piece = this.#next();
      if (!piece) break;
      this.#credits--;
      const data = piece.toString('base64');
      this.#options.send({ type: 'chunk', stream: this.#options.stream, data }, data.length + 64);
    }
    if (this.#ended && !this.#rest) this.#finish({ end: true });
  }

  #next(): Buffer | undefined {
    const whole = this.#rest ?? this.#read();
    if (!whole || whole.length <= CHUNK_BYTES) {
      this.#rest = undefined;
      return whole;
    }
    this.#rest = whole.subarray(CHUNK_BYTES);
    return whole.subarray(0, CHUNK_BYTES);
  }

  #read(): Buffer | undefined {
    const value = this.#options.source.read() as unknown;
    if (value === null) return undefined;
    if (Buffer.isBuffer(value)) return value;
    if (typeof value === 'string') return Buffer.from(value);
    if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    this.#options.source.destroy(new Error(`a stream carries strings and bytes, not a value of type ${typeof value}`));
    return undefined;
  }

  #finish(how: { end: true } | { error: string }): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.send({ type: 'chunk', stream: this.#options.stream, data: '', ...how }, 0);
    this.#options.source.destroy();
    this.#options.onClose();
  }
}
