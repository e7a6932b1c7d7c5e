import { OperationError, type StoreClock } from '@treadle/api';
import { inPortions } from '../store/in-portions.js';
import type { JetLog } from '../store/jet-log.js';
import { type BodyContent, contentOf, type Moments } from './message-body.js';
import type { BodyRef, KeptMessage } from './machine/delivery.js';

/** Bytes of messages of the log that are kept in memory. */
const MOST_BYTES = 32_000_000;
const READ_AT_ONCE = 16;

/** Messages of the log that have bodies. What has come by or was needed lately is in memory. */
export class Bodies {
  private readonly known = new Map<number, Uint8Array>();
  private bytes = 0;

  constructor(private readonly log: JetLog, private readonly time: StoreClock) {}

  keep(seq: number, message: Uint8Array): void {
    this.forget(seq);
    this.known.set(seq, message);
    this.bytes += message.length;
    for (const first of this.known.keys()) {
      if (this.bytes <= MOST_BYTES) break;
      this.forget(first);
    }
  }

  forget(seq: number): void {
    this.bytes -= this.known.get(seq)?.length ?? 0;
    this.known.delete(seq);
  }

  /** What the messages have in their bodies, in order. @throws an `OperationError` when the server does not answer, or has lost one */
  async contentsOf(messages: readonly KeptMessage[], time: Moments = this.time): Promise<readonly BodyContent[]> {
    const wanted = new Set(messages.flatMap(({ body, data }) => (data ? [body[0], data[0]] : [body[0]])));
    const found = new Map<number, Uint8Array>();
    const missing: number[] = [];
    for (const seq of wanted) {
      const known = this.known.get(seq);
      if (known) found.set(seq, known);
      else missing.push(seq);
    }
    await inPortions(missing, READ_AT_ONCE, async (seq) => found.set(seq, await this.read(seq)));
    const textAt = ([seq, from, to]: BodyRef): Buffer => {
      const { buffer, byteOffset } = found.get(seq) as Uint8Array;
      return Buffer.from(buffer, byteOffset + from, to - from);
    };
    return messages.map(({ body, data, redriven }) => {
      const content = contentOf(textAt(body), time, data && textAt(data));
      return redriven ? { ...content, hops: 0 } : content;
    });
  }

  private async read(seq: number): Promise<Uint8Array> {
    const bytes = await this.log.bytesAt(seq);
    if (!bytes) throw new OperationError('StorageFailed', `message ${seq} of the stream ${this.log.stream} is gone, with messages of the queue in it`);
    this.keep(seq, bytes);
    return bytes;
  }
}
