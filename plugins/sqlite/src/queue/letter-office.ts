import type { DeadLetterPage, DeadLetterSelection, QueueExpired, QueueExpiry, Redrive, SubscriptionKey } from '@treadle/api';
import { DeadLetters, type LetterKey } from './dead-letters.js';
import type { Lane } from './lane.js';
import { rowOf } from './lanes.js';
import type { QueueWork } from './queue-work.js';
import type { Ticket } from '../store/write-queue.js';

/** Rows changed in one commit. */
const PORTION = 1_000;

/** A letter on its way back. */
interface Returning {
  readonly letter: LetterKey;
  readonly lane: Lane;
  readonly number: number;
  readonly dueAt: number;
}

/** Dead letters: shown, put back, thrown away; and the expiry of what nobody wants any more. */
export class LetterOffice {
  private readonly letters: DeadLetters;

  constructor(private readonly work: QueueWork) {
    this.letters = new DeadLetters(work.store.reads);
  }

  page(selection: DeadLetterSelection, page: { readonly limit: number; readonly cursor?: string | undefined }): DeadLetterPage {
    return this.letters.page(selection, page);
  }

  counts(): readonly (SubscriptionKey & { readonly count: number })[] {
    const { lanes, reader } = this.work;
    return this.letters.subscriptions().map((key) => ({ ...key, count: lanes.get(key)?.dead ?? reader.dead(key) }));
  }

  async redrive({ selection, step, data, limit, now }: Redrive): Promise<number> {
    const { gate, lanes } = this.work;
    while (gate.waiting) await gate.waiting;
    const returning = this.letters.keys(selection, limit, { step, now }).flatMap((letter): Returning[] => {
      const lane = lanes.get({ step: step ?? letter.step, topic: letter.topic });
      if (!lane || lane.retired) return [];
      const { delayMs } = lane.stored;
      return [{ letter, lane, number: lane.nextNumber(), dueAt: delayMs > 0 ? letter.enqueuedAt + delayMs : 0 }];
    });
    return returning.length === 0 ? 0 : this.putBack(returning, data);
  }

  async discard(selection: DeadLetterSelection, limit: number): Promise<number> {
    return (await this.remove(this.letters.keys(selection, limit))).length;
  }

  async expire({ deadBefore, maxDead, unroutedBefore }: QueueExpiry): Promise<QueueExpired> {
    const dead = [
      ...await this.removeAll(() => this.letters.olderThan(deadBefore, PORTION)), ...await this.removeAll(() => this.letters.excess(maxDead, PORTION)),
    ];
    const unrouted: { topic: string; count: number }[] = [];
    for (const lane of this.work.lanes.unrouted()) {
      const count = await this.expireUnrouted(lane, unroutedBefore);
      if (count > 0) unrouted.push({ topic: lane.stored.topic, count });
    }
    return { dead: counted(dead), unrouted };
  }

  /** Noted as soon as it is durable: what was enqueued meanwhile has higher numbers, and is noted after it. */
  private putBack(returning: readonly Returning[], data: string | undefined): Promise<number> {
    const { gate, store } = this.work;
    const rows = returning.map(({ letter, lane, number, dueAt }) => (
      [letter.id, lane.number, number, data ?? null, dueAt > 0 ? dueAt : null, lane.stored.fifo ? 1 : 0]));
    gate.enter();
    return new Promise((resolve, reject) => {
      store.write({ operation: 'queue.redrive', rows }, (outcome) => {
        gate.leave();
        if (outcome.ok) resolve(this.arrived(returning, outcome.value as readonly boolean[]));
        else reject(outcome.error);
      }, this.reserve(returning));
    });
  }

  /** Reserves numbers where the letters have used them up; the letters must not be written without. */
  private reserve(returning: readonly Returning[]): Ticket | undefined {
    const short = [...new Set(returning.map(({ lane }) => lane))].filter((lane) => lane.lastNumber > lane.ceiling);
    if (short.length === 0) return undefined;
    const reserved = short.map((lane) => ({ lane, row: rowOf(lane) }));
    return this.work.store.write({ operation: 'queue.enqueue', rows: reserved.map(({ row }) => row) }, ({ ok }) => {
      if (ok) for (const { lane, row } of reserved) lane.ceiling = Math.max(lane.ceiling, Number(row.at(-1)));
    });
  }

  private arrived(returning: readonly Returning[], was: readonly boolean[]): number {
    const { lanes, due, touched } = this.work;
    const back = returning.filter((_, index) => was[index]);
    for (const { letter, lane, number, dueAt } of back) {
      const from = lanes.get(letter);
      if (from) from.dead -= 1;
      lane.kept += 1;
      lane.added(number, undefined, false);
      if (dueAt > due.cursor) {
        lane.countLater(false, 1);
        due.note(dueAt);
      } else touched.add(lane);
    }
    this.work.tell();
    return back.length;
  }

  private async removeAll(find: () => readonly LetterKey[]): Promise<LetterKey[]> {
    const removed: LetterKey[] = [];
    for (let found = find(); found.length > 0; found = find()) removed.push(...await this.remove(found));
    return removed;
  }

  private async remove(letters: readonly LetterKey[]): Promise<LetterKey[]> {
    if (letters.length === 0) return [];
    const was = await this.work.store.apply({ operation: 'queue.discard', rows: letters.map(({ id }) => [id]) }) as readonly boolean[];
    const removed = letters.filter((_, index) => was[index]);
    for (const letter of removed) {
      const lane = this.work.lanes.get(letter);
      if (lane) lane.dead -= 1;
    }
    return removed;
  }

  private async expireUnrouted(lane: Lane, before: number): Promise<number> {
    let removed = 0;
    // Its number may be another's once it is gone.
    for (let found = PORTION; found === PORTION && lane.unrouted && this.work.lanes.numbered(lane.number) === lane;) {
      found = Number(await this.work.store.apply({ operation: 'queue.expire', rows: [[lane.number, PORTION, before]] }));
      lane.kept -= found;
      removed += found;
    }
    if (removed > 0) lane.recount();
    if (lane.kept === 0) this.work.finished(lane);
    return removed;
  }
}

function counted(letters: readonly LetterKey[]): QueueExpired['dead'] {
  const counts = new Map<string, { readonly step: string; readonly topic: string; count: number }>();
  for (const { step, topic } of letters) {
    const key = JSON.stringify([step, topic]);
    const entry = counts.get(key) ?? { step, topic, count: 0 };
    entry.count += 1;
    counts.set(key, entry);
  }
  return [...counts.values()];
}
