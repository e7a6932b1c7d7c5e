import type { Readable } from 'node:stream';
import type { ChunkMessage, CreditMessage } from './messages.js';
import { StreamReceiver } from './stream-receiver.js';
import { StreamSender } from './stream-sender.js';

export interface StreamTableOptions {
  /** The engine opens even streams, a worker odd ones. */
  readonly side: 'engine' | 'worker';
  /** `weight` is about the bytes of the message, for `TurnBatch.push`. */
  readonly send: (message: ChunkMessage | CreditMessage, weight: number) => void;
}

/** All streams of one connection, in both directions. */
export class StreamTable {
  readonly #send: StreamTableOptions['send'];
  readonly #senders = new Map<number, StreamSender>();
  readonly #receivers = new Map<number, StreamReceiver>();
  #next: number;

  constructor(options: StreamTableOptions) {
    this.#send = options.send;
    this.#next = options.side === 'engine' ? 2 : 1;
  }

  /** Streams that are not over. */
  get size(): number {
    return this.#senders.size + this.#receivers.size;
  }

  /** Starts to send a readable and returns the id of its stream. The first chunk follows in a later turn or this one. */
  send(source: Readable): number {
    const stream = this.#next;
    this.#next += 2;
    const onClose = (): void => void this.#senders.delete(stream);
    this.#senders.set(stream, new StreamSender({ stream, source, send: this.#send, onClose }));
    return stream;
  }

  /** The readable of a stream that the other side opened. To be called before its first chunk is handled. */
  receive(stream: number): Readable {
    const onClose = (): void => void this.#receivers.delete(stream);
    const receiver = new StreamReceiver({ stream, send: (message) => this.#send(message, 0), onClose });
    this.#receivers.set(stream, receiver);
    return receiver;
  }

  /** Takes a `chunk` or `credit` message. Those of streams that are over are ignored: they crossed its end. */
  handle(message: ChunkMessage | CreditMessage): void {
    if (message.type === 'chunk') this.#receivers.get(message.stream)?.receive(message);
    else this.#senders.get(message.stream)?.grant(message.chunks);
  }

  /** The connection is gone: receivers fail with `reason`, sources are destroyed. */
  close(reason: string): void {
    for (const sender of [...this.#senders.values()]) sender.stop();
    for (const receiver of [...this.#receivers.values()]) receiver.destroy(new Error(reason));
  }
}
