import type { Logger, StoreClock } from '@treadle/api';
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
  /** Those that are known to be gone. */
  private readonly lost = new Set<number>();

  constructor(private readonly log: JetLog, private readonly time: StoreClock, private readonly logger: Logger) {}

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

  /** The log may be another one. */
  clear(): void {
    this.known.clear();
    this.bytes = 0;
  }

  /**
   * What the messages have in their bodies, in order. One whose body the server has lost has data that are no JSON, so that it becomes a dead letter
   * and does not stop the others. @throws an `OperationError` when the server does not answer
   */
  async contentsOf(messages: readonly KeptMessage[], time: Moments = this.time): Promise<readonly BodyContent[]> {
    const wanted = [...new Set(messages.flatMap(({ body, data }) => (data ? [body[0], data[0]] : [body[0]])))];
    const found = new Map(wanted.map((seq) => [seq, this.known.get(seq)]));
    await inPortions(wanted.filter((seq) => !found.get(seq)), READ_AT_ONCE, async (seq) => found.set(seq, await this.read(seq)));
    return messages.map((message) => {
      const { body, data, redriven } = message;
      const [text, replaced] = [textAt(found, body), data && textAt(found, data)];
      if (!text || (data && !replaced)) return this.lostContent(message, time);
      const content = contentOf(text, time, replaced);
      return redriven ? { ...content, hops: 0 } : content;
    });
  }

  private async read(seq: number): Promise<Uint8Array | undefined> {
    const bytes = await this.log.bytesAt(seq);
    if (bytes) this.keep(seq, bytes);
    else if (!this.lost.has(seq)) {
      this.lost.add(seq);
      const what = 'a message of the stream is gone, with messages of the queue in it; they become dead letters';
      this.logger.error(what, { stream: this.log.stream, seq });
    }
    return bytes;
  }

  private lostContent({ body: [seq, from], enqueuedAt, groupId }: KeptMessage, time: Moments): BodyContent {
    const data = `lost: message ${seq} of the stream ${this.log.stream} is gone`;
    const facts = { kind: 'queue', headers: undefined, traceparent: '', hops: 0 } as const;
    return { ...facts, messageId: `lost-${seq}-${from}`, data, enqueuedAt: time.fromStore(enqueuedAt), groupId };
  }
}

function textAt(found: ReadonlyMap<number, Uint8Array | undefined>, [seq, from, to]: BodyRef): Buffer | undefined {
  const message = found.get(seq);
  return message && Buffer.from(message.buffer, message.byteOffset + from, to - from);
}
