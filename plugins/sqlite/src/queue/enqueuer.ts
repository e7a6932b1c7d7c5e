import { DEDUPE_MS, encodeKey, type EnqueueOutcome, type NewMessage, type SubscriptionKey } from '@treadle/api';
import type { Row } from '../store/store-area.js';
import { EnqueueRows } from './enqueue-rows.js';
import type { Repeat } from './enqueue-operation.js';
import { heldOf, type HeldDelivery } from './held-delivery.js';
import type { Lane } from './lane.js';
import type { PreparedWrite } from '../store/prepared-write.js';
import type { Settled } from '../store/write-queue.js';
import type { QueueWork } from './queue-work.js';

/** A delivery on its way to the disk. */
interface Coming {
  readonly lane: Lane;
  readonly delivery: HeldDelivery;
  readonly dueAt: number;
}

/** What of a write is to be noted once it has ended. */
interface Sent {
  readonly coming: readonly Coming[];
  readonly lanes: ReadonlyMap<Lane, number>;
}

/** Batches that are gathered; each counts against the limits from then on. */
export interface StagedMessages {
  /** There has to be room for it. */
  add(messages: readonly NewMessage[]): void;
  /** Undefined: there is nothing to write. `told`: of messages whose key was used before, and the first of the key; not when it fails. */
  prepare(told: (repeats: ReadonlyMap<string, string>) => void): PreparedWrite | undefined;
}

/** Writes messages. */
export class Enqueuer {
  constructor(private readonly work: QueueWork) {}

  async enqueueMany(batches: readonly (readonly NewMessage[])[], { maxWaiting }: { readonly maxWaiting: number }): Promise<readonly EnqueueOutcome[]> {
    const { gate } = this.work;
    while (gate.waiting) await gate.waiting;
    const rows = new EnqueueRows();
    const coming: Coming[] = [];
    const outcomes = this.batches(batches, maxWaiting, { rows, coming });
    if (rows.empty) return outcomes;
    return this.write(rows, coming, outcomes);
  }

  /** Batches for which there is room, to be written with something else while the gate is open. */
  stage(): StagedMessages {
    const [rows, coming]: [EnqueueRows, Coming[]] = [new EnqueueRows(), []];
    return {
      add: (messages) => void this.route(messages, { rows, coming }),
      prepare: (told) => (rows.empty ? undefined : this.prepare(rows, coming, told)),
    };
  }

  private prepare(rows: EnqueueRows, coming: readonly Coming[], told: (repeats: ReadonlyMap<string, string>) => void): PreparedWrite {
    const { list, lanes } = rows.finish();
    this.work.gate.enter();
    return {
      request: { operation: 'queue.enqueue', rows: list },
      settled: (settled) => {
        const repeats = this.ended({ coming, lanes }, settled);
        if (repeats) told(repeats);
      },
    };
  }

  private write(rows: EnqueueRows, coming: readonly Coming[], outcomes: readonly EnqueueOutcome[]): Promise<readonly EnqueueOutcome[]> {
    const { gate, store } = this.work;
    const { list, lanes } = rows.finish();
    gate.enter();
    return new Promise((resolve, reject) => {
      store.write({ operation: 'queue.enqueue', rows: list }, (outcome) => {
        const repeats = this.ended({ coming, lanes }, outcome);
        if (!outcome.ok) reject(outcome.error);
        else resolve(repeats && repeats.size > 0 ? renamed(outcomes, repeats) : outcomes);
      });
    });
  }

  /** Gives the repeats; undefined when nothing was written. */
  private ended({ coming, lanes }: Sent, outcome: Settled): ReadonlyMap<string, string> | undefined {
    this.work.gate.leave();
    for (const { lane } of coming) lane.coming -= 1;
    if (!outcome.ok) return undefined;
    for (const [lane, ceiling] of lanes) lane.ceiling = Math.max(lane.ceiling, ceiling);
    const repeats = new Map(outcome.value as readonly Repeat[]);
    this.committed(coming, repeats);
    return repeats;
  }

  private committed(coming: readonly Coming[], repeats: ReadonlyMap<string, string>): void {
    const { due } = this.work;
    for (const { lane, delivery, dueAt } of coming) {
      if (repeats.size > 0 && repeats.has(delivery.messageId)) continue;
      const isDue = dueAt <= due.cursor;
      lane.kept += 1;
      lane.added(delivery.deliveryId, delivery, isDue);
      if (!isDue) {
        lane.countLater(false, 1);
        due.note(dueAt);
      } else this.work.touched.add(lane);
    }
    this.work.tell();
  }

  /** @throws OperationError when a topic needs a subscription for which there is no number; then nothing is on its way */
  private batches(batches: readonly (readonly NewMessage[])[], maxWaiting: number, into: { readonly rows: EnqueueRows; readonly coming: Coming[] }): readonly EnqueueOutcome[] {
    try {
      return batches.map((batch) => this.batch(batch, maxWaiting, into));
    } catch (error) {
      for (const { lane } of into.coming) lane.coming -= 1;
      throw error;
    }
  }

  private batch(batch: readonly NewMessage[], maxWaiting: number, into: { readonly rows: EnqueueRows; readonly coming: Coming[] }): EnqueueOutcome {
    const full = this.fullAfter(batch, maxWaiting);
    return full ? { ok: false, full } : { ok: true, ids: this.route(batch, into) };
  }

  private route(batch: readonly NewMessage[], into: { readonly rows: EnqueueRows; readonly coming: Coming[] }): readonly string[] {
    const ids: string[] = [];
    for (const message of batch) {
      const lanes = this.work.lanes.of(message);
      if (message.dedupeKey !== undefined && lanes.length > 0) into.rows.add(usedRow(message, lanes.length));
      for (const lane of lanes) this.deliver(lane, message, into);
      ids.push(message.id);
    }
    return ids;
  }

  private deliver(lane: Lane, message: NewMessage, { rows, coming }: { readonly rows: EnqueueRows; readonly coming: Coming[] }): void {
    const { stored } = lane;
    const delivery = heldOf(stored, lane.nextNumber(), message);
    const dueAt = stored.delayMs > 0 ? Math.max(message.dueAt ?? 0, message.enqueuedAt + stored.delayMs) : message.dueAt ?? 0;
    if (lane.lastNumber > lane.ceiling) rows.reserve(lane);
    rows.delivery(lane, delivery, { dueAt, alone: message.dedupeKey !== undefined });
    lane.coming += 1;
    coming.push({ lane, delivery, dueAt });
  }

  /** The first subscription that would have more than it may; repeats are looked for only when there is one. */
  fullAfter(batch: readonly NewMessage[], maxWaiting: number): SubscriptionKey | undefined {
    const full = this.fullBy(batch, maxWaiting);
    return full && batch.some(({ dedupeKey }) => dedupeKey !== undefined) ? this.fullBy(this.withoutRepeats(batch), maxWaiting) : full;
  }

  private fullBy(batch: readonly NewMessage[], maxWaiting: number): SubscriptionKey | undefined {
    const added = new Map<Lane, number>();
    for (const message of batch) {
      for (const lane of this.work.lanes.of(message)) {
        const more = batch.length === 1 ? 1 : (added.get(lane) ?? 0) + 1;
        if (batch.length > 1) added.set(lane, more);
        if (lane.kept + lane.coming + more > maxWaiting) return { step: lane.stored.step, topic: lane.stored.topic };
      }
    }
    return undefined;
  }

  private withoutRepeats(batch: readonly NewMessage[]): NewMessage[] {
    const seen = new Set<string>();
    return batch.filter((message) => {
      const { dedupeKey, enqueuedAt } = message;
      if (dedupeKey === undefined) return true;
      const [scope, key] = [scopeOf(message), encodeKey(dedupeKey)];
      const id = `${scope}\0${key}`;
      if (seen.has(id) || this.work.reader.isUsed(scope, key, enqueuedAt)) return false;
      seen.add(id);
      return true;
    });
  }
}

function usedRow(message: NewMessage, deliveries: number): Row {
  const { id, enqueuedAt, dedupeKey = '' } = message;
  return [scopeOf(message), encodeKey(dedupeKey), id, enqueuedAt + DEDUPE_MS, null, enqueuedAt, deliveries];
}

function scopeOf({ topic, to }: NewMessage): string {
  return to === undefined ? `topic:${encodeKey(topic)}` : `step:${encodeKey(to)}`;
}

function renamed(outcomes: readonly EnqueueOutcome[], repeats: ReadonlyMap<string, string>): readonly EnqueueOutcome[] {
  return outcomes.map((outcome) => (outcome.ok ? { ok: true, ids: renamedBy(repeats, outcome.ids) } : outcome));
}

/** Ids of messages, those of repeats replaced by that of the first. */
export const renamedBy = (repeats: ReadonlyMap<string, string>, ids: readonly string[]): readonly string[] => ids.map((id) => repeats.get(id) ?? id);
