import { Readable } from 'node:stream';
import { MAX_WAITING_BODY_BYTES, type StreamTable } from '@treadle/protocol';
import type { BodyOutlet } from './result-text.js';

/** Sends the bodies of answers over a connection, and counts those that lie in memory until the engine has fetched them. */
export class BodySender implements BodyOutlet {
  readonly #table: StreamTable;
  #waiting = 0;

  constructor(table: StreamTable) {
    this.#table = table;
  }

  stream(source: Readable): number {
    return this.#table.send(source);
  }

  whole(bytes: Buffer): number | undefined {
    const { length } = bytes;
    if (this.#waiting + length > MAX_WAITING_BODY_BYTES) return undefined;
    this.#waiting += length;
    return this.#table.send(Readable.from([bytes], { objectMode: false }), () => { this.#waiting -= length; });
  }
}
