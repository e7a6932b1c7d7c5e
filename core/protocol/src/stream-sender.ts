import type { Readable } from 'node:stream';
import { CHUNK_BYTES } from './limits.js';
import type { ChunkMessage } from './messages.js';
import type { WriteAhead } from './write-ahead.js';

/** Chunks that are sent in one turn of the event loop: to encode and to write these takes 2 to 4 ms. */
const CHUNKS_PER_TURN = 4;

export interface StreamSenderOptions {
  readonly stream: number;
  readonly source: Readable;
  /** Chunks that may be under way before the receiver has granted any. */
  readonly credits: number;
  /** Of the connection. */
  readonly ahead: WriteAhead | undefined;
  /** `weight` is about the bytes of the message. */
  readonly send: (message: ChunkMessage, weight: number) => void;
  /** The last chunk went out, the source failed or the receiver has gone. Called once. */
  readonly onClose: () => void;
}

/** Sends a readable as `chunk` messages, never more than the receiver has granted and the socket takes. */
export class StreamSender {
  readonly #options: StreamSenderOptions;
  readonly #go = (): void => this.#pump();
  #credits: number;
  #left: Buffer | undefined;
  #ended = false;
  #closed = false;
  /** The rest waits for the next turn. */
  #resting = false;

  constructor(options: StreamSenderOptions) {
    this.#options = options;
    this.#credits = options.credits;
    const { source } = options;
    source.on('readable', this.#go);
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
    this.#close();
  }

  #pump(): void {
    const { ahead, send, stream } = this.#options;
    for (let sent = 0; !this.#resting && !this.#closed && this.#credits > 0 && ahead?.admits(this.#go) !== false; sent++) {
      if (sent === CHUNKS_PER_TURN) return this.#rest();
      const piece = this.#next();
      if (!piece) break;
      this.#credits--;
      const data = piece.toString('base64');
      const weight = data.length + 64;
      ahead?.push(weight);
      send({ type: 'chunk', stream, data }, weight);
    }
    if (this.#ended && !this.#resting && !this.#left) this.#finish({ end: true });
  }

  #rest(): void {
    this.#resting = true;
    setImmediate(() => {
      this.#resting = false;
      this.#pump();
    });
  }

  #next(): Buffer | undefined {
    const whole = this.#left ?? this.#read();
    if (!whole || whole.length <= CHUNK_BYTES) {
      this.#left = undefined;
      return whole;
    }
    this.#left = whole.subarray(CHUNK_BYTES);
    return whole.subarray(0, CHUNK_BYTES);
  }

  /** An empty piece is none: it would cost a credit that the receiver, which gets nothing by it, never gives back. */
  #read(): Buffer | undefined {
    const { source } = this.#options;
    for (let value = source.read() as unknown; value !== null; value = source.read()) {
      const piece = bytesOf(value);
      if (!piece) source.destroy(new Error(`a stream carries strings and bytes, not a value of type ${typeof value}`));
      if (!piece || piece.length > 0) return piece;
    }
    return undefined;
  }

  #finish(how: { end: true } | { error: string }): void {
    if (this.#closed) return;
    this.#options.send({ type: 'chunk', stream: this.#options.stream, data: '', ...how }, 0);
    this.#close();
  }

  #close(): void {
    this.#closed = true;
    const { ahead, source, onClose } = this.#options;
    ahead?.forget(this.#go);
    source.destroy();
    onClose();
  }
}

function bytesOf(value: unknown): Buffer | undefined {
  if (Buffer.isBuffer(value)) return value;
  if (typeof value === 'string') return Buffer.from(value);
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : undefined;
}
