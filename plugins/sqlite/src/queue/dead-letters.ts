import {
  type DeadLetter, type DeadLetterPage, type DeadLetterReason, type DeadLetterSelection, decodeKey, encodeKey, OperationError, type SubscriptionKey,
} from '@treadle/api';
import type { Connection, SqlRow, SqlValue, Statement } from '../driver/driver.js';
import { smallOnly, withinWeight } from '../store/weighed-rows.js';
import { KINDS } from './queue-reader.js';

/** Part of a query. */
interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** A letter, and the subscription that it would go back to. */
export interface LetterKey {
  readonly id: number;
  readonly step: string;
  readonly topic: string;
  readonly enqueuedAt: number;
}

const ID_TEXT = /^[1-9]\d{0,14}$/;
const LETTERS = `SELECT d.id, d.step, d.topic, d.reason, d.dead_at, d.message, d.kind, ${smallOnly('d.data')}, d.headers, d.trace, d.enqueued_at, d.grp, d.attempts, d.deaths,
  d.history FROM queue_dead d`;
const KEYS = 'SELECT d.id, d.step, d.topic, d.enqueued_at FROM queue_dead d';

/** Reads dead letters; their ids grow with time. */
export class DeadLetters {
  private readonly statements = new Map<string, Statement>();

  constructor(private readonly connection: Connection) {}

  /** Ends early, with a cursor, where messages are large. @throws an `OperationError` `QueueInvalidArgument` for a cursor that no page gave */
  page(selection: DeadLetterSelection, { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined }): DeadLetterPage {
    if (cursor !== undefined && !ID_TEXT.test(cursor)) throw new OperationError('QueueInvalidArgument', `"${cursor}" is no cursor of this store`);
    const conditions = conditionsOf(selection);
    if (cursor !== undefined) conditions.push({ sql: 'd.id < ?', values: [Number(cursor)] });
    const found = this.all(LETTERS, conditions, { tail: 'ORDER BY d.id DESC', limit: limit + 1 });
    const data = this.prepared('SELECT data FROM queue_dead WHERE id = ?');
    const { rows, more } = withinWeight(found, limit + 1, 'data', ({ id = null }) => data.get(id)?.['data']);
    const items = rows.slice(0, limit).map(letterOf);
    const last = items.at(-1);
    return more && last ? { items, cursor: last.id } : { items };
  }

  /** Those that have letters; hops from one to the next, so that the number of letters does not matter. */
  subscriptions(): SubscriptionKey[] {
    const next = this.prepared('SELECT step, topic FROM queue_dead WHERE (step, topic) > (?, ?) ORDER BY step, topic LIMIT 1');
    const keys: SubscriptionKey[] = [];
    for (let row = next.get('', ''); row; row = next.get(row['step'] ?? '', row['topic'] ?? '')) {
      keys.push({ step: decodeKey(String(row['step'])), topic: decodeKey(String(row['topic'])) });
    }
    return keys;
  }

  /** Oldest first; `target`: only those that died by `now` and whose Step (or `step`) has a subscription. */
  keys(selection: DeadLetterSelection, limit: number, target?: { readonly step: string | undefined; readonly now: number }): LetterKey[] {
    const conditions = conditionsOf(selection);
    if (target) {
      const own = target.step === undefined;
      conditions.push({ sql: 'd.dead_at <= ?', values: [target.now] });
      conditions.push({
        sql: `EXISTS (SELECT 1 FROM queue_subscriptions s WHERE s.step = ${own ? 'd.step' : '?'} AND s.topic = d.topic AND s.retired = 0)`,
        values: own ? [] : [encodeKey(target.step ?? '')],
      });
    }
    return this.all(KEYS, conditions, { tail: 'ORDER BY d.id', limit }).map(keyOf);
  }

  /** Older than a time, in any order. */
  olderThan(before: number, limit: number): LetterKey[] {
    return this.all(KEYS, [{ sql: 'd.dead_at < ?', values: [before] }], { tail: '', limit }).map(keyOf);
  }

  /** The oldest of those subscriptions that have more than `most`; those of retired subscriptions do not count. */
  excess(most: number, limit: number): LetterKey[] {
    const counted = `SELECT step, topic, count(*) AS n FROM queue_dead WHERE reason <> 'subscription_retired' GROUP BY step, topic HAVING n > ?`;
    return this.prepared(counted).all(most).flatMap(({ step = '', topic = '', n }) => {
      const conditions = [{ sql: `d.step = ? AND d.topic = ? AND d.reason <> 'subscription_retired'`, values: [step, topic] }];
      return this.all(KEYS, conditions, { tail: 'ORDER BY d.id', limit: Math.min(limit, Number(n) - most) }).map(keyOf);
    });
  }

  private all(select: string, conditions: readonly Condition[], { tail, limit }: { readonly tail: string; readonly limit: number }): readonly SqlRow[] {
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`;
    return this.prepared(`${select} ${where} ${tail} LIMIT ?`).all(...conditions.flatMap(({ values }) => values), limit);
  }

  private prepared(sql: string): Statement {
    const statement = this.statements.get(sql) ?? this.connection.prepare(sql);
    this.statements.set(sql, statement);
    return statement;
  }
}

function conditionsOf({ step, topic, ids, reason }: DeadLetterSelection): Condition[] {
  const conditions: Condition[] = [];
  if (step !== undefined) conditions.push({ sql: 'd.step = ?', values: [encodeKey(step)] });
  if (topic !== undefined) conditions.push({ sql: 'd.topic = ?', values: [encodeKey(topic)] });
  if (reason !== undefined) conditions.push({ sql: 'd.reason = ?', values: [reason] });
  if (ids !== undefined) {
    const numbers = ids.filter((id) => ID_TEXT.test(id)).map(Number);
    conditions.push({ sql: 'd.id IN (SELECT value FROM json_each(?))', values: [JSON.stringify(numbers)] });
  }
  return conditions;
}

function keyOf(row: SqlRow): LetterKey {
  return { id: Number(row['id']), step: decodeKey(String(row['step'])), topic: decodeKey(String(row['topic'])), enqueuedAt: Number(row['enqueued_at']) };
}

function letterOf(row: SqlRow): DeadLetter {
  const { id, step, topic } = keyOf(row);
  const group = row['grp'];
  const headers = row['headers'];
  return {
    id: String(id), step, topic, reason: String(row['reason']) as DeadLetterReason, deadAt: Number(row['dead_at']), messageId: String(row['message']),
    kind: KINDS[Number(row['kind'])] ?? 'queue', data: String(row['data']), headers: typeof headers === 'string' ? headers : undefined,
    traceparent: String(row['trace']), enqueuedAt: Number(row['enqueued_at']),
    groupId: typeof group === 'string' && group !== '' ? decodeKey(group) : undefined,
    progress: { attempts: Number(row['attempts']), deaths: Number(row['deaths']), history: String(row['history']) },
  };
}
