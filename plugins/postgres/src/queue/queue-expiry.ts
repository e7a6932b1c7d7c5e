import type { QueueExpired, QueueExpiry, SubscriptionKey } from '@treadle/api';
import type { Queries } from '../store/connections.js';
import { keyOf } from './delivery-row.js';
import type { QueueWork } from './queue-work.js';

/** Rows of one statement. */
const PORTION = 5_000;

const OLD = `DELETE FROM queue_dead WHERE id = ANY (ARRAY(SELECT id FROM queue_dead WHERE dead_at < $1 LIMIT $2)) RETURNING step, topic`;
const MANY = `SELECT step, topic, count(*) AS count FROM queue_dead WHERE reason <> 'subscription_retired' GROUP BY step, topic HAVING count(*) > $1`;
const EXCESS = `DELETE FROM queue_dead WHERE id = ANY (ARRAY(
  SELECT id FROM queue_dead WHERE step = $1 AND topic = $2 AND reason <> 'subscription_retired' ORDER BY id LIMIT $3)) RETURNING step, topic`;
const UNROUTED = `DELETE FROM queue_deliveries d USING queue_subscriptions s
  WHERE s.step = '' AND d.sub = s.number AND d.enqueued_at < $1 RETURNING d.sub, s.topic, '' AS step`;
const USED = 'DELETE FROM queue_used WHERE ctid = ANY (ARRAY(SELECT ctid FROM queue_used WHERE until <= $1 LIMIT $2)) RETURNING 1';
const VOTES = 'DELETE FROM queue_votes WHERE ended_at < $1';
const DAY_MS = 24 * 60 * 60 * 1000;

interface Gone extends Record<string, unknown> { readonly step: string; readonly topic: string; readonly sub?: number }

/** What goes with time. */
export class QueueExpirer {
  /** @param returnAhead gives back what is claimed and nobody has asked for; no claim or settlement is under way meanwhile */
  constructor(private readonly work: QueueWork, private readonly returnAhead: () => Promise<void>) {}

  expire({ deadBefore, maxDead, unroutedBefore }: QueueExpiry): Promise<QueueExpired> {
    const { work } = this;
    return work.exclusively(async () => {
      const dead = await this.all(OLD, (most) => [work.time.toStore(deadBefore), most]);
      const many = await work.queries.rows<Gone & { count: number }>(MANY, [maxDead]);
      for (const { step, topic, count } of many) dead.push(...await this.all(EXCESS, (most) => [step, topic, most], count - maxDead));
      const unrouted = await work.queries.rows<Gone>(UNROUTED, [work.time.toStore(unroutedBefore)]);
      work.counts.forget(unrouted.map(({ sub = 0 }) => sub));
      return { dead: counted(dead), unrouted: counted(unrouted).map(({ topic, count }) => ({ topic, count })) };
    });
  }

  /** Removes what waits and says how many; with an empty Step what lies unrouted. What this engine has claimed ahead waits as well. */
  purge(key: SubscriptionKey): Promise<number> {
    const { work } = this;
    return work.exclusively(() => work.claiming.run(async () => {
      await this.returnAhead();
      const found = work.list.get(key);
      if (!found) return 0;
      const gone = await work.store.connections.transaction((queries) => this.purgeWithin(queries, found.number));
      work.counts.forget([found.number]);
      return gone;
    }));
  }

  /** Forgets keys that may be used again, and votes that count nowhere any more. */
  async forget(): Promise<void> {
    const now = this.work.time.now();
    await this.all(USED, (most) => [now, most]);
    await this.work.queries.rows(VOTES, [now - 7 * DAY_MS]);
  }

  private async purgeWithin(queries: Queries, number: number): Promise<number> {
    await queries.rows('SELECT pg_advisory_xact_lock(store_key(), $1)', [number]);
    await queries.rows('SELECT queue_free($1, $2)', [number, this.work.time.now()]);
    const [row] = await queries.rows<{ count: number }>(
      'WITH gone AS (DELETE FROM queue_deliveries WHERE sub = $1 AND state <> 3 RETURNING 1) SELECT count(*) AS count FROM gone', [number]);
    return row?.count ?? 0;
  }

  /** Portion by portion, until nothing is left or `limit` are gone. */
  private async all(statement: string, values: (most: number) => readonly unknown[], limit = Infinity): Promise<Gone[]> {
    const all: Gone[] = [];
    while (all.length < limit) {
      const rows = await this.work.queries.rows<Gone>(statement, values(Math.min(PORTION, limit - all.length)));
      if (rows.length === 0) break;
      all.push(...rows);
    }
    return all;
  }
}

function counted(gone: readonly Gone[]): (SubscriptionKey & { readonly count: number })[] {
  const counts = new Map<string, SubscriptionKey & { count: number }>();
  for (const row of gone) {
    const text = JSON.stringify([row.step, row.topic]);
    const entry = counts.get(text) ?? { ...keyOf(row), count: 0 };
    entry.count += 1;
    counts.set(text, entry);
  }
  return [...counts.values()];
}
