import {
  type DeadLetter, type DeadLetterPage, type DeadLetterReason, type DeadLetterSelection, encodeKey, OperationError, type Redrive, type SubscriptionKey,
} from '@treadle/api';
import type { Queries } from '../store/connections.js';
import { keyOf, messageOf, type MessageRow } from './delivery-row.js';
import { KINDS, columnsOf, type Row } from './enqueue-plan.js';
import { isLetterId, LetterQuery } from './letter-query.js';
import type { QueueWork } from './queue-work.js';

/** Letters of one transaction. */
const PORTION = 200;
/** Characters of data after which a page ends early. */
const PAGE_CHARACTERS = 8_000_000;
const COUNTS = 'SELECT step, topic, count(*) AS count FROM queue_dead GROUP BY step, topic ORDER BY step, topic';

interface LetterRow extends MessageRow {
  readonly step: string; readonly topic: string; readonly reason: DeadLetterReason; readonly dead_at: number; readonly target?: number;
}

/** Dead letters: shown, put back, thrown away. */
export class DeadLetters {
  constructor(private readonly work: QueueWork) {}

  /** @throws an `OperationError` `QueueInvalidArgument` for a cursor that no page gave */
  async page(selection: DeadLetterSelection, { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined }): Promise<DeadLetterPage> {
    if (cursor !== undefined && !isLetterId(cursor)) throw new OperationError('QueueInvalidArgument', `"${cursor}" is no cursor of this store`);
    const query = new LetterQuery(selection);
    if (cursor !== undefined) query.and((at) => `d.id < ${at}`, cursor);
    const most = query.parameter(limit + 1);
    const rows = await this.work.queries.rows<LetterRow>(
      `SELECT * FROM (SELECT d.*, sum(length(d.data)) OVER (ORDER BY d.id DESC) - length(d.data) AS before
        FROM (SELECT * FROM queue_dead d WHERE ${query.where} ORDER BY d.id DESC LIMIT ${most}) d) p WHERE before <= ${PAGE_CHARACTERS} ORDER BY id DESC`,
      query.values);
    return this.pageOf(rows, limit, rows.length > limit || await this.hasMore(selection, rows.at(-1)?.id));
  }

  async counts(): Promise<readonly (SubscriptionKey & { readonly count: number })[]> {
    const rows = await this.work.queries.rows<{ step: string; topic: string; count: number }>(COUNTS);
    return rows.map((row) => ({ ...keyOf(row), count: row.count }));
  }

  redrive(redrive: Redrive): Promise<number> {
    return this.work.exclusively(async () => {
      let all = 0;
      while (all < redrive.limit) {
        const count = await this.redrivePortion({ ...redrive, limit: Math.min(PORTION, redrive.limit - all) });
        all += count;
        if (count === 0) break;
      }
      if (all > 0) await this.work.look();
      return all;
    });
  }

  discard(selection: DeadLetterSelection, limit: number): Promise<number> {
    return this.work.exclusively(async () => {
      const query = new LetterQuery(selection);
      const most = query.parameter(limit);
      const rows = await this.work.queries.rows(
        `DELETE FROM queue_dead WHERE id = ANY (ARRAY(
          SELECT d.id FROM queue_dead d WHERE ${query.where} ORDER BY d.id LIMIT ${most} FOR UPDATE SKIP LOCKED)) RETURNING 1`, query.values);
      return rows.length;
    });
  }

  private async redrivePortion(redrive: Redrive): Promise<number> {
    const { work } = this;
    return work.current(() => work.store.connections.transaction(async (queries) => {
      const rows = await this.taken(queries, redrive);
      if (rows.length === 0) return 0;
      const back = rows.map((row) => this.rowOf(row, redrive.data));
      if (back.some((row) => row === undefined)) return undefined;
      const deliveries = back as readonly Row[];
      const [added] = await queries.rows<{ ok: boolean }>(
        'SELECT queue_add($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) AS ok', [work.list.version, work.time.now(), ...columnsOf(deliveries, work.time)]);
      if (!added?.ok) throw new StaleList();
      work.counts.forget(deliveries.map(({ target }) => target.number));
      work.store.notifier.tell('q', deliveries.map(({ target }) => String(target.number)));
      return rows.length;
    }).catch(undefinedWhenStale));
  }

  /** Letters whose subscription is there, out of the table. */
  private taken(queries: Queries, { selection, step, limit, now }: Redrive): Promise<LetterRow[]> {
    const query = new LetterQuery(selection).and((at) => `d.dead_at <= ${at}`, this.work.time.toStore(now));
    const to = step === undefined ? 'd.step' : query.parameter(encodeKey(step));
    const most = query.parameter(limit);
    return queries.rows<LetterRow>(`WITH taken AS MATERIALIZED (
      SELECT d.id, s.number AS target FROM queue_dead d JOIN queue_subscriptions s ON s.step = ${to} AND s.topic = d.topic AND NOT s.retired
        WHERE ${query.where} ORDER BY d.id LIMIT ${most} FOR UPDATE OF d SKIP LOCKED),
      gone AS (DELETE FROM queue_dead d USING taken t WHERE d.id = t.id RETURNING d.*, t.target)
      SELECT * FROM gone ORDER BY id`, query.values);
  }

  private rowOf(row: LetterRow, data: string | undefined): Row | undefined {
    const { list, time } = this.work;
    const target = list.numbered(row.target ?? 0);
    if (!target) return undefined;
    const { delayMs } = target.stored;
    const { messageId, headers, traceparent, enqueuedAt, groupId } = messageOf(row, time);
    const message = {
      id: messageId, topic: target.stored.topic, kind: KINDS[row.kind] ?? 'queue', data: data ?? row.data, headers, traceparent, hops: 0, enqueuedAt, groupId,
    };
    return { target, message, dueAt: delayMs > 0 ? row.enqueued_at + delayMs : null };
  }

  private async hasMore(selection: DeadLetterSelection, last: number | undefined): Promise<boolean> {
    if (last === undefined) return false;
    const query = new LetterQuery(selection).and((at) => `d.id < ${at}`, last);
    return (await this.work.queries.rows(`SELECT 1 FROM queue_dead d WHERE ${query.where} LIMIT 1`, query.values)).length > 0;
  }

  private pageOf(rows: readonly LetterRow[], limit: number, more: boolean): DeadLetterPage {
    const items = rows.slice(0, limit).map((row) => this.letterOf(row));
    const last = items.at(-1);
    return more && last ? { items, cursor: last.id } : { items };
  }

  private letterOf(row: LetterRow): DeadLetter {
    const { time } = this.work;
    return { id: String(row.id), ...keyOf(row), reason: row.reason, deadAt: time.fromStore(row.dead_at), ...messageOf(row, time) };
  }
}

/** Undoes a transaction that went by an old list of subscriptions. */
class StaleList extends Error {}

function undefinedWhenStale(error: unknown): undefined {
  if (error instanceof StaleList || (error as Error).cause instanceof StaleList) return undefined;
  throw error;
}
