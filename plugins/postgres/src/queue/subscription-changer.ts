import { type DeclaredSubscription, encodeKey, StandingVotes, type SubscriptionChange, type SubscriptionKey } from '@treadle/api';
import type { Queries } from '../store/connections.js';
import { NEXT_VERSION } from './queue-schema.js';
import type { QueueWork } from './queue-work.js';
import { keyColumns, SubscriptionList } from './subscription-list.js';

const PUT = `INSERT INTO queue_subscriptions AS s (step, topic, application, fifo, delay_ms, settings) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (step, topic) DO UPDATE SET application = excluded.application, fifo = excluded.fifo, delay_ms = excluded.delay_ms,
    settings = excluded.settings, paused = s.paused AND NOT s.retired, retired = false
  RETURNING number`;
/** One of a member that others have taken for gone meanwhile has ended. */
const VOTE = `INSERT INTO queue_votes (number, member, ended_at)
  SELECT $1, $2, CASE WHEN EXISTS (SELECT 1 FROM members m WHERE m.member = $2 FOR KEY SHARE) THEN NULL ELSE store_time() END
  ON CONFLICT (number, member) DO UPDATE SET ended_at = excluded.ended_at`;
const WANTED = `SELECT 1 FROM queue_votes WHERE number = $1 AND (ended_at IS NULL OR ended_at + $2 > $3) LIMIT 1`;
/** What lies unrouted for a topic, once more for a new subscription; `queue_arrange` puts it in order. */
const TAKE_OVER = `INSERT INTO queue_deliveries (sub, id, state, message, data, headers, trace, enqueued_at, hops, kind, due_at, grp)
  SELECT $2, nextval('queue_ids'), 2, u.message, u.data, u.headers, u.trace, u.enqueued_at, u.hops, u.kind,
    CASE WHEN $3::bigint > 0 THEN GREATEST(u.due_at, u.enqueued_at + $3) ELSE u.due_at END, u.grp
  FROM (SELECT * FROM queue_deliveries WHERE sub = $1 ORDER BY id) u`;
const BURY = 'SELECT queue_bury($1, $2) AS gone';

/** Changes subscriptions, for all engines; nothing is written or settled meanwhile by any of them. */
export class SubscriptionChanger {
  private readonly votes = new StandingVotes();

  constructor(private readonly work: QueueWork) {}

  async change(changes: readonly SubscriptionChange[]): Promise<void> {
    const { work } = this;
    await work.exclusively(async () => {
      await this.votes.change(changes, () => work.member, async () => {
        await this.transaction((queries) => this.carryOut(queries, changes));
        work.counts.forget();
        await work.reload();
      });
      work.store.notifier.tellAll('s', ['']);
      await work.look();
    });
  }

  /** Votes again when this engine is another member than it was. */
  keepVotes(): Promise<void> {
    const { member } = this.work;
    return this.votes.keep(member, (keys) => this.vote(member, keys));
  }

  /** Makes dead letters of what has come back to retired subscriptions; those that have nothing left go. */
  async buryRetired(): Promise<void> {
    const { work } = this;
    const retired = work.list.retired;
    if (retired.length === 0) return;
    const gone = await this.transaction(async (queries) => {
      let any = false;
      for (const { number } of retired) any = (await this.bury(queries, number)) || any;
      if (any) await this.nextVersion(queries);
      return any;
    });
    work.counts.forget(retired.map(({ number }) => number));
    if (!gone) return;
    await work.reload();
    work.store.notifier.tellAll('s', ['']);
  }

  private async vote(member: number, keys: readonly SubscriptionKey[]): Promise<void> {
    const { work } = this;
    for (const key of keys) {
      const found = work.list.get(key);
      if (found && !found.retired) await work.queries.rows(VOTE, [found.number, member]);
    }
  }

  private async transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    try {
      return await this.work.store.connections.transaction(async (queries) => {
        await queries.rows('SELECT pg_advisory_xact_lock(store_key(), 0)');
        return work(queries);
      });
    } catch (error) {
      // Another engine may make the version that was noted here.
      this.work.told = -1;
      throw error;
    }
  }

  private async carryOut(queries: Queries, changes: readonly SubscriptionChange[]): Promise<void> {
    const before = await SubscriptionList.read(queries);
    for (const change of changes) if (change.action === 'retire') await this.retire(queries, before, change);
    const between = await SubscriptionList.read(queries);
    const fresh = new Map<string, number[]>();
    for (const change of changes) {
      if (change.action !== 'put') continue;
      const { subscription } = change;
      const known = between.get(subscription);
      const number = await this.put(queries, subscription);
      if (!known || known.retired) fresh.set(subscription.topic, [...new Set([...fresh.get(subscription.topic) ?? [], number])]);
      else if (known.stored.fifo !== subscription.fifo) await this.arrange(queries, number, subscription.fifo);
    }
    await this.route(queries, fresh);
    for (const change of changes) if (change.action === 'pause') await this.pause(queries, change);
    await this.nextVersion(queries);
  }

  /** Nobody here needs to be told of an own change alone. Noted before the commit: the list may be read with it before its answer is here. */
  private async nextVersion(queries: Queries): Promise<void> {
    const [row] = await queries.rows<{ before: number; after: number }>(NEXT_VERSION);
    if (row?.before === this.work.told) this.work.told = row.after;
  }

  private async put(queries: Queries, subscription: DeclaredSubscription): Promise<number> {
    const { application, fifo, delayMs, settings } = subscription;
    const [row] = await queries.rows<{ number: number }>(PUT, [...keyColumns(subscription), encodeKey(application), fifo, delayMs, encodeKey(settings)]);
    const number = row?.number ?? 0;
    await queries.rows(VOTE, [number, this.work.member]);
    return number;
  }

  /** New subscriptions of a topic get what lies unrouted for it. */
  private async route(queries: Queries, fresh: ReadonlyMap<string, readonly number[]>): Promise<void> {
    const list = await SubscriptionList.read(queries);
    for (const [topic, numbers] of fresh) {
      const unrouted = topic === '' ? undefined : list.get({ step: '', topic });
      for (const number of numbers) {
        const { delayMs = 0, fifo = false } = list.numbered(number)?.stored ?? {};
        if (unrouted) await queries.rows(TAKE_OVER, [unrouted.number, number, delayMs]);
        await this.arrange(queries, number, fifo);
      }
      if (unrouted) await queries.rows('DELETE FROM queue_deliveries WHERE sub = $1', [unrouted.number]);
    }
  }

  private async arrange(queries: Queries, number: number, fifo: boolean): Promise<void> {
    await queries.rows('SELECT queue_arrange($1, $2, $3)', [number, fifo, this.work.time.now()]);
  }

  private async retire(queries: Queries, list: SubscriptionList, { key, afterMs }: Extract<SubscriptionChange, { action: 'retire' }>): Promise<void> {
    const found = list.get(key);
    if (!found || found.retired || found.stored.step === '') return;
    const { number } = found;
    await queries.rows('DELETE FROM queue_votes WHERE number = $1 AND member = $2', [number, this.work.member]);
    const wanted = await queries.rows(WANTED, [number, Math.ceil(afterMs), this.work.time.now()]);
    if (wanted.length > 0) return;
    await queries.rows('UPDATE queue_subscriptions SET retired = true WHERE number = $1', [number]);
    await this.bury(queries, number);
  }

  private async bury(queries: Queries, number: number): Promise<boolean> {
    const [row] = await queries.rows<{ gone: boolean }>(BURY, [number, this.work.time.now()]);
    if (row?.gone) await queries.rows('DELETE FROM queue_votes WHERE number = $1', [number]);
    return row?.gone ?? false;
  }

  private async pause(queries: Queries, { key, paused }: Extract<SubscriptionChange, { action: 'pause' }>): Promise<void> {
    await queries.rows("UPDATE queue_subscriptions SET paused = $3 WHERE step = $1 AND topic = $2 AND NOT retired AND step <> ''", [...keyColumns(key), paused]);
  }
}
