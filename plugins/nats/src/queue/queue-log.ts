import type { JsMsg } from '@nats-io/jetstream';
import type { MsgHdrs } from '@nats-io/transport-node';
import type { Following, JetLog } from '../store/jet-log.js';
import type { NatsStore } from '../store/nats-store.js';
import { decodeEntry } from './log-entry.js';
import type { LogEntry } from './machine/commands.js';

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

  /** Gives entries from one sequence on, with the bytes in which they came; `lost` when one went astray. */
  async follow(from: number, told: (entry: LogEntry, data: Uint8Array) => void, lost: () => void): Promise<Following> {
    let count = 0;
    return this.log.follow({ filter: this.subjects.entries, from }, (message) => {
      count += 1;
      if (message.info.deliverySequence !== count) lost();
      else told(decodeEntry(message.data, message.seq, this.timeOf(message)), message.data);
    });
  }

  /** When the server stored it; milliseconds since the epoch. */
  timeOf({ timestampNanos }: Pick<JsMsg, 'timestampNanos' | 'headers'>): number {
    return Number(timestampNanos / 1_000_000n);
  }
}
