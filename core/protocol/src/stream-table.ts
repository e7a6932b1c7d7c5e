import type { Readable } from 'node:stream';
import { FIRST_CHUNKS, INITIAL_CREDITS, SHARED_CHUNKS } from './limits.js';
import type { ChunkMessage, CreditMessage } from './messages.js';
import { StreamReceiver } from './stream-receiver.js';
import { StreamSender } from './stream-sender.js';
import type { WriteAhead } from './write-ahead.js';

export interface StreamTableOptions {
  /** The engine opens even streams, a worker odd ones. */
  readonly side: 'engine' | 'worker';
  /** `weight` is about the bytes of the message, for `TurnBatch.push`. */
  readonly send: (message: ChunkMessage | CreditMessage, weight: number) => void;
  /** Holds the streams to what the connection's socket takes; who writes the frames asks it. Without one only credits bound them. */
  readonly ahead?: WriteAhead;
}

/** All streams of one connection, in both directions. */
export class StreamTable {
  readonly #send: StreamTableOptions['send'];
  readonly #senders = new Map<number, StreamSender>();
  readonly #receivers = new Map<number, StreamReceiver>();
  readonly #ahead: WriteAhead | undefined;
  /** A worker's streams begin with few chunks: `welcome` tells it how many. */
  readonly #received: number;
  #credits = INITIAL_CREDITS;
  #next: number;

  constructor(options: StreamTableOptions) {
    this.#send = options.send;
    this.#ahead = options.ahead;
    this.#next = options.side === 'engine' ? 2 : 1;
    this.#received = options.side === 'engine' ? FIRST_CHUNKS : INITIAL_CREDITS;
  }

  /** Streams that are not over. */
  get size(): number {
    return this.#senders.size + this.#receivers.size;
  }

  /** Streams that are sent from now on begin with so many chunks. */
  beginWith(chunks: number): void {
    this.#credits = chunks;
  }

  /**
   * Starts to send a readable and returns the id of its stream. The first chunk follows in a later turn or this one. `over` is called when
   * the last one went out, or nobody wants it.
   */
  send(source: Readable, over?: () => void): number {
    const stream = this.#next;
    this.#next += 2;
    const onClose = (): void => {
      this.#senders.delete(stream);
      over?.();
    };
    this.#senders.set(stream, new StreamSender({ stream, source, credits: this.#credits, ahead: this.#ahead, send: this.#send, onClose }));
    return stream;
  }

  /** The readable of a stream that the other side opened. To be called before its first chunk is handled. */
  receive(stream: number): Readable {
    const onClose = (): void => void this.#receivers.delete(stream);
    const receiver = new StreamReceiver({
      stream, send: (message) => this.#send(message, 0), onClose, credits: this.#received, window: () => this.#window(),
    });
    this.#receivers.set(stream, receiver);
    return receiver;
  }

  /** Takes a `chunk` or `credit` message. Those of streams that are over are ignored: they crossed its end. */
  handle(message: ChunkMessage | CreditMessage): void {
    if (message.type === 'chunk') this.#receivers.get(message.stream)?.receive(message);
    else this.#senders.get(message.stream)?.grant(message.chunks);
  }

  /** All streams share what may be under way, so that many who do not read hold no more than a few. */
  #window(): number {
    const share = Math.floor(SHARED_CHUNKS / Math.max(1, this.#receivers.size));
    return Math.min(INITIAL_CREDITS, Math.max(FIRST_CHUNKS, share));
  }

  /** The connection is gone: receivers fail with `reason`, sources are destroyed. */
  close(reason: string): void {
    for (const sender of [...this.#senders.values()]) sender.stop();
    for (const receiver of [...this.#receivers.values()]) receiver.destroy(new Error(reason));
  }
}
