import type { JsMsg } from '@nats-io/jetstream';
import type { MsgHdrs } from '@nats-io/transport-node';
import type { Following, JetLog } from '../store/jet-log.js';
import type { NatsStore } from '../store/nats-store.js';
import { decodeEntry } from './log-entry.js';
import type { LogEntry } from './machine/commands.js';

/** While entries are read that were there before, so long none may come; milliseconds. */
const SILENCE_MS = 3_000;

/** The subjects of the queue's stream. */
export interface QueueSubjects {
  /** Entries that bring bodies, and those that do not. */
  readonly withBodies: string;
  readonly withoutBodies: string;
  /** Both. */
  readonly entries: string;
  /** Of snapshots. */
  snapshot(seq: number | '*', portion: number | '>'): string;
}

/** The log of the queue: what engines write into it comes to all of them in one order. */
export class QueueLog {
  readonly subjects: QueueSubjects;

  constructor(readonly store: NatsStore, readonly log: JetLog) {
    const head = `${store.prefix}.q`;
    this.subjects = {
      withBodies: `${head}.b`, withoutBodies: `${head}.c`, entries: `${head}.*`, snapshot: (seq, portion) => `${head}.s.${seq}.${portion}`,
    };
  }

  /** Stores messages in their order. @throws an `OperationError`; with `StorageFull` the last of them was not stored, otherwise it is not known */
  async publish(messages: readonly Buffer[], withBodies: boolean, headers?: MsgHdrs): Promise<void> {
    const subject = withBodies ? this.subjects.withBodies : this.subjects.withoutBodies;
    await Promise.all(messages.map((message) => this.log.put(subject, message, headers)));
  }

  /**
   * Gives entries from one sequence on, with the bytes in which they came; `lost` when one went astray. `read` is resolved once those have come that were there
   * before, however many they are, or none comes any more.
   */
  async follow(from: number, told: (entry: LogEntry, data: Uint8Array) => void, lost: () => void): Promise<Following & { readonly read: Promise<void> }> {
    const progress = new Progress();
    let before = Infinity;
    const following = await this.log.follow({ filter: this.subjects.entries, from }, (message) => {
      progress.count += 1;
      if (message.info.deliverySequence !== progress.count) lost();
      else told(decodeEntry(message.data, message.seq, this.timeOf(message)), message.data);
      if (progress.count >= before || message.info.pending === 0) progress.end();
    });
    before = following.pending;
    // Some may have come before their number was known.
    if (progress.count >= before) progress.end();
    return {
      ...following, read: progress.ended,
      stop: () => {
        progress.end();
        following.stop();
      },
    };
  }

  /** When the server stored it; milliseconds since the epoch. */
  timeOf({ timestampNanos }: Pick<JsMsg, 'timestampNanos' | 'headers'>): number {
    return Number(timestampNanos / 1_000_000n);
  }
}

/** How far the reading of what is there has come; it ends also when nothing has come for a while. */
class Progress {
  count = 0;
  end: () => void = () => undefined;
  readonly ended: Promise<void>;

  constructor() {
    let seen = 0;
    const watch = setInterval(() => {
      if (this.count === seen) this.end();
      seen = this.count;
    }, SILENCE_MS);
    this.ended = new Promise((resolve) => { this.end = resolve; });
    void this.ended.then(() => clearInterval(watch));
  }
}
