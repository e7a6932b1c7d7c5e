import type { PeekedDelivery, SubscriptionKey, SubscriptionStatistics } from '@treadle/api';
import { keyOf, messageOf, type MessageRow } from './delivery-row.js';
import type { QueueWork } from './queue-work.js';

/** All are counted by an index alone, which reads no messages; others only where they are not simply waiting. */
const STATISTICS = `SELECT s.step, s.topic, l.*, (SELECT count(*) FROM queue_deliveries d WHERE d.sub = s.number) AS "all",
    (SELECT count(*) FROM queue_deliveries d WHERE d.sub = s.number AND d.state = 3 AND d.lease_until > $1) AS active,
    (SELECT count(*) FROM queue_dead e WHERE e.step = s.step AND e.topic = s.topic) AS dead,
    (SELECT f.enqueued_at FROM queue_deliveries f WHERE f.sub = s.number ORDER BY f.id LIMIT 1) AS oldest
  FROM queue_subscriptions s CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE d.attempts + d.deaths = 0) AS delayed, count(*) FILTER (WHERE d.attempts + d.deaths > 0) AS retrying FROM (
      SELECT attempts, deaths FROM queue_deliveries WHERE sub = s.number AND state = 1 AND due_at > $1
      UNION ALL SELECT attempts, deaths FROM queue_deliveries WHERE sub = s.number AND state = 2 AND lane IS NOT NULL AND due_at > $1) d) l
  WHERE s.step <> ''`;
const UNROUTED = `SELECT s.topic, c.* FROM queue_subscriptions s
  CROSS JOIN LATERAL (SELECT count(*) AS count, min(enqueued_at) AS oldest FROM queue_deliveries WHERE sub = s.number) c
  WHERE s.step = '' AND c.count > 0`;
const PEEK = `SELECT *, state = 3 AND lease_until > $3 AS active FROM queue_deliveries WHERE sub = $1 AND id > $4 ORDER BY id LIMIT $2`;

interface StatisticsRow extends Record<string, unknown> {
  readonly step: string; readonly topic: string; readonly delayed: number; readonly retrying: number; readonly active: number; readonly all: number;
  readonly dead: number; readonly oldest: number | null;
}
interface PeekRow extends MessageRow {
  readonly active: boolean;
  readonly hops: number;
  readonly due_at: number | null;
}

/** What operators see. */
export class QueueReader {
  constructor(private readonly work: QueueWork) {}

  async statistics(): Promise<readonly SubscriptionStatistics[]> {
    const { queries, time } = this.work;
    const rows = await queries.rows<StatisticsRow>(STATISTICS, [time.now()]);
    return rows.map((row) => {
      const { delayed, retrying, active, dead, oldest } = row;
      const waiting = row.all - delayed - retrying - active;
      return { ...keyOf(row), waiting, delayed, retrying, active, dead, ...oldest !== null && { oldest: time.fromStore(oldest) } };
    });
  }

  async unrouted(): Promise<readonly { readonly topic: string; readonly count: number; readonly oldest: number }[]> {
    const { queries, time } = this.work;
    const rows = await queries.rows<{ topic: string; count: number; oldest: number }>(UNROUTED);
    return rows.map(({ topic, count, oldest }) => ({ topic: keyOf({ step: '', topic }).topic, count, oldest: time.fromStore(oldest) }));
  }

  async peek(key: SubscriptionKey, limit: number, after = 0): Promise<readonly PeekedDelivery[]> {
    const { list, queries, time } = this.work;
    const found = list.get(key);
    if (!found) return [];
    const { step, topic } = found.stored;
    const now = time.now();
    const rows = await queries.rows<PeekRow>(PEEK, [found.number, limit, now, after]);
    return rows.map((row) => ({
      step, topic, deliveryId: row.id, hops: row.hops, active: row.active, ...messageOf(row, time),
      dueAt: row.active || row.due_at === null || row.due_at <= now ? undefined : time.fromStore(row.due_at),
    }));
  }
}
