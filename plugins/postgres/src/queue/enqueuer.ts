import { Batcher, encodeKey, type EnqueueOutcome, type NewMessage } from '@treadle/api';
import type { Queries } from '../store/connections.js';
import { type Batch, columnsOf, EnqueuePlan, type KeyUse, type Row, useOf, useText } from './enqueue-plan.js';
import type { QueueWork } from './queue-work.js';

/** Batches that are written at once. */
const MOST_BATCHES = 2_000;

const ADD = 'SELECT queue_add($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) AS ok';
const FIND = `SELECT u.scope, u.key, u.message, u.until FROM unnest($1::text[], $2::text[]) AS k (scope, key) JOIN queue_used u ON u.scope = k.scope AND u.key = k.key`;
const USE = `INSERT INTO queue_used AS u (scope, key, message, until)
  SELECT scope, key, message, until FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) AS n (scope, key, message, until) ORDER BY scope, key
  ON CONFLICT (scope, key) DO UPDATE SET message = excluded.message, until = excluded.until WHERE u.until <= excluded.until - ${24 * 60 * 60 * 1000}
  RETURNING 1`;
const UNROUTED = `INSERT INTO queue_subscriptions (step, topic, application, fifo, delay_ms, settings)
  SELECT '', t, '', false, 0, '' FROM unnest($1::text[]) AS t ON CONFLICT (step, topic) DO NOTHING`;

/** Another engine has used the same key meanwhile, or subscriptions have changed: nothing was written, and it is to be planned again. */
export class KeyTaken extends Error {}

/** Writes messages. What comes while a write is under way goes with the next one. */
export class Enqueuer {
  private readonly batcher: Batcher<Batch, EnqueueOutcome>;

  constructor(private readonly work: QueueWork) {
    this.batcher = new Batcher(work.enqueueing, MOST_BATCHES, (batches) => this.write(batches));
  }

  enqueueMany(batches: readonly (readonly NewMessage[])[], { maxWaiting }: { readonly maxWaiting: number }): Promise<readonly EnqueueOutcome[]> {
    return this.batcher.add(batches.map((messages) => ({ messages, maxWaiting })));
  }

  private async write(batches: readonly Batch[]): Promise<readonly EnqueueOutcome[]> {
    const { work } = this;
    await this.makeUnrouted(batches);
    const plan = await work.current(async () => {
      const made = await this.planOf(batches);
      try {
        return await this.store(made) ? made : undefined;
      } catch (error) {
        if (error instanceof KeyTaken || (error as Error).cause instanceof KeyTaken) return undefined;
        work.counts.forget(made.added.keys());
        throw error;
      }
    });
    this.stored(plan);
    return plan.outcomes;
  }

  /** What becomes of batches, by what is known now. */
  async planOf(batches: readonly Batch[]): Promise<EnqueuePlan> {
    const { work: { list, counts, time } } = this;
    const limit = Math.max(...batches.map(({ maxWaiting }) => maxWaiting));
    const messages = batches.flatMap((batch) => batch.messages);
    await counts.learn(new Set(messages.flatMap((message) => (list.targetsOf(message) ?? []).map(({ number }) => number))), limit);
    const used = await this.usesOf(messages);
    for (;;) {
      const plan = new EnqueuePlan(list, time, used, (sub) => counts.of(sub));
      for (const batch of batches) plan.add(batch);
      if (!plan.refusedBy || !await counts.doubt(plan.refusedBy.number, limit)) return plan;
    }
  }

  private async usesOf(messages: readonly NewMessage[]): Promise<ReadonlyMap<string, KeyUse>> {
    const keyed = messages.filter(({ dedupeKey }) => dedupeKey !== undefined).map(useOf);
    if (keyed.length === 0) return new Map();
    const rows = await this.work.queries.rows<{ scope: string; key: string; message: string; until: number }>(
      FIND, [keyed.map(([scope]) => scope), keyed.map(([, key]) => key)], 'queue.used');
    return new Map(rows.map(({ scope, key, message, until }) => [useText(scope, key), { message, until }]));
  }

  /** False when subscriptions have changed meanwhile; then nothing was written. */
  private async store({ rows, uses }: EnqueuePlan): Promise<boolean> {
    if (rows.length === 0) return true;
    const { queries, store } = this.work;
    if (uses.size === 0) return this.add(queries, rows);
    await store.connections.transaction((within) => this.writeWithin(within, { rows, uses }));
    return true;
  }

  /** Writes what is planned within a transaction. @throws KeyTaken */
  async writeWithin(within: Queries, { rows, uses }: Pick<EnqueuePlan, 'rows' | 'uses'>): Promise<void> {
    if (rows.length === 0) return;
    const all = [...uses.values()];
    const noted = all.length === 0 ? [] : await within.rows(USE, [0, 1, 2, 3].map((column) => all.map((use) => use[column])), 'queue.use');
    if (noted.length < all.length || !await this.add(within, rows)) throw new KeyTaken();
  }

  private async add(queries: Queries, rows: readonly Row[]): Promise<boolean> {
    const { list, time } = this.work;
    const [row] = await queries.rows<{ ok: boolean }>(ADD, [list.version, time.now(), ...columnsOf(rows, time)], 'queue.add');
    return row?.ok ?? false;
  }

  /** What was planned is written. */
  stored({ rows, added }: EnqueuePlan): void {
    const { work } = this;
    const now = work.time.now();
    for (const [sub, count] of added) work.counts.add(sub, count);
    const ready = new Set<number>();
    for (const { target, dueAt } of rows) {
      if (dueAt === null || dueAt <= now) ready.add(target.number);
      else work.due.note(target.number, dueAt);
    }
    work.wake(ready, true);
  }

  /** Topics that nobody has written or subscribed to before get a place for what is unrouted. */
  async makeUnrouted(batches: readonly Pick<Batch, 'messages'>[]): Promise<void> {
    const { work } = this;
    const missing = new Set(batches.flatMap(({ messages }) => messages.filter((message) => !work.list.targetsOf(message)).map(({ topic }) => topic)));
    if (missing.size === 0) return;
    await work.reload();
    const topics = [...missing].filter((topic) => !work.list.targetsOf({ topic }));
    if (topics.length === 0) return;
    await work.queries.rows(UNROUTED, [topics.map(encodeKey)]);
    await work.reload();
  }
}
