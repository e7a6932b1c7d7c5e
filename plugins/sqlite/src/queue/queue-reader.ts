import { decodeKey, encodeKey, type QueueDelivery, type StoredSubscription, type SubscriptionKey } from '@treadle/api';
import type { Connection, SqlRow, Statement } from '../driver/driver.js';
import { smallOnly, type Weighed, withinWeight } from '../store/weighed-rows.js';
import type { ReadDelivery, ReadPortion } from './fifo-order.js';
import { FRESH, type HeldDelivery } from './held-delivery.js';
import { ID, MOST, NUMBER_OF_ID, SUBSCRIPTION_OF_ID } from './queue-schema.js';

/** Kinds by their number in the database. */
export const KINDS: readonly QueueDelivery['kind'][] = ['queue', 'state', 'stream', 'trigger'];

const REST = 'message, trace, enqueued_at, hops, kind, due_at, grp, headers, attempts, deaths, history';
const COLUMNS = `${NUMBER_OF_ID} AS number, ${smallOnly('data')}, ${REST}`;
const IN_LANE = `id > ${ID} AND id <= ${ID}`;
const DUE_LANE = `SELECT ${SUBSCRIPTION_OF_ID} AS lane, attempts, deaths FROM queue_deliveries WHERE due_at = ?`;
const STATEMENTS = {
  subscriptions: 'SELECT * FROM queue_subscriptions ORDER BY number',
  floor: 'SELECT number FROM queue_floor',
  counts: `SELECT ${SUBSCRIPTION_OF_ID} AS lane, count(*) AS n FROM queue_deliveries GROUP BY 1`,
  later: `SELECT ${SUBSCRIPTION_OF_ID} AS lane, count(*) AS n, sum(attempts + deaths > 0) AS tried FROM queue_deliveries WHERE due_at > ? GROUP BY 1`,
  laterIn: `SELECT count(*) AS n, total(attempts + deaths > 0) AS tried FROM queue_deliveries WHERE +due_at > ? AND ${IN_LANE}`,
  dead: 'SELECT count(*) AS n FROM queue_dead WHERE step = ? AND topic = ?',
  portion: `SELECT ${COLUMNS} FROM queue_deliveries WHERE ${IN_LANE} AND (due_at IS NULL OR due_at <= ?) ORDER BY id LIMIT ?`,
  all: `SELECT ${COLUMNS} FROM queue_deliveries WHERE ${IN_LANE} ORDER BY id LIMIT ?`,
  one: `SELECT ${NUMBER_OF_ID} AS number, data, ${REST} FROM queue_deliveries WHERE id = ${ID}`,
  group: `SELECT ${COLUMNS} FROM queue_deliveries WHERE ${SUBSCRIPTION_OF_ID} = ? AND grp = ? AND ${IN_LANE} ORDER BY id LIMIT ?`,
  groupOf: `SELECT grp FROM queue_deliveries WHERE id = ${ID}`,
  edge: `SELECT ${NUMBER_OF_ID} AS number FROM queue_deliveries WHERE ${IN_LANE} ORDER BY id LIMIT 1 OFFSET ?`,
  data: `SELECT data FROM queue_deliveries WHERE id = ${ID}`,
  oldest: `SELECT enqueued_at FROM queue_deliveries WHERE ${IN_LANE} ORDER BY id LIMIT 1`,
  due: `SELECT ${SUBSCRIPTION_OF_ID} AS lane, ${NUMBER_OF_ID} AS number, due_at, attempts + deaths > 0 AS tried FROM queue_deliveries
    WHERE due_at > ? AND due_at <= ? ORDER BY due_at LIMIT ?`,
  dueLane: `${DUE_LANE} AND attempts = ? AND deaths = ? AND id > ((? << 44) | ${MOST}) ORDER BY id LIMIT 1`,
  dueTries: `${DUE_LANE} AND (attempts, deaths) > (?, ?) ORDER BY attempts, deaths, id LIMIT 1`,
  nextDue: 'SELECT min(due_at) AS due FROM queue_deliveries WHERE due_at > ?',
  used: 'SELECT 1 FROM queue_used WHERE scope = ? AND key = ? AND until > ?',
} as const;

/** A subscription's row. */
export interface LaneRow {
  readonly number: number;
  readonly stored: StoredSubscription;
  readonly retired: boolean;
  readonly ceiling: number;
}

/** Deliveries of a lane that are not due; those that somebody has tried apart. */
export interface LaterCount {
  readonly delayed: number;
  readonly retrying: number;
}

/** A delivery that has become due. */
export interface DueRow {
  readonly lane: number;
  readonly number: number;
  readonly dueAt: number;
  readonly tried: boolean;
}

/** Numbers of a lane between which to read: above `after`, up to `upTo`. */
export interface Span {
  readonly lane: Pick<LaneRow, 'number' | 'stored'>;
  readonly after: number;
  readonly upTo: number;
}

/** All that is read of the queue's tables but for dead letters. */
export class QueueReader {
  private readonly statements: { readonly [name in keyof typeof STATEMENTS]: Statement };

  constructor(connection: Connection) {
    const prepared = Object.entries(STATEMENTS).map(([name, sql]) => [name, connection.prepare(sql)]);
    this.statements = Object.fromEntries(prepared) as { readonly [name in keyof typeof STATEMENTS]: Statement };
  }

  lanes(): LaneRow[] {
    return this.statements.subscriptions.all().map((row) => ({
      number: Number(row['number']), retired: row['retired'] === 1, ceiling: Number(row['ceiling']),
      stored: {
        step: decodeKey(String(row['step'])), topic: decodeKey(String(row['topic'])), application: decodeKey(String(row['application'])),
        fifo: row['fifo'] === 1, delayMs: Number(row['delay_ms']), paused: row['paused'] === 1, settings: String(row['settings']),
      },
    }));
  }

  /** Numbers up to it may have been used by subscriptions that are gone. */
  floor(): number {
    return Number(this.statements.floor.get()?.['number'] ?? 0);
  }

  /** Deliveries by lane; reads all of them. */
  counts(): ReadonlyMap<number, number> {
    return new Map(this.statements.counts.all().map((row) => [Number(row['lane']), Number(row['n'])]));
  }

  /** Deliveries that are due after `cursor`, by lane. */
  later(cursor: number): ReadonlyMap<number, LaterCount> {
    return new Map(this.statements.later.all(cursor).map((row) => {
      const retrying = Number(row['tried']);
      return [Number(row['lane']), { retrying, delayed: Number(row['n']) - retrying }];
    }));
  }

  /** Those of a span that are due after `cursor`; reads all of the span. */
  laterIn({ lane, after, upTo }: Span, cursor: number): LaterCount {
    const row = this.statements.laterIn.get(cursor, lane.number, after, lane.number, upTo);
    const retrying = Number(row?.['tried']);
    return { retrying, delayed: Number(row?.['n']) - retrying };
  }

  /** Dead letters of a subscription. */
  dead({ step, topic }: SubscriptionKey): number {
    return Number(this.statements.dead.get(encodeKey(step), encodeKey(topic))?.['n'] ?? 0);
  }

  /** In order; those that are due after `cursor` are left out. */
  portion({ lane, after, upTo }: Span, cursor: number, limit: number): ReadPortion {
    const found = this.statements.portion.all(lane.number, after, lane.number, upTo, cursor, limit);
    const { rows, more } = this.within(found, limit, lane);
    return { read: rows.map((row) => ({ delivery: deliveryOf(lane.stored, row), due: true })), more };
  }

  /** As `portion`, with those that are not due. */
  all({ lane, after, upTo }: Span, cursor: number, limit: number): ReadPortion {
    return this.readOf(this.statements.all.all(lane.number, after, lane.number, upTo, limit), limit, { lane, cursor });
  }

  /** As `all`, of one group. */
  group(group: string, { lane, after, upTo }: Span, cursor: number, limit: number): ReadPortion {
    return this.readOf(this.statements.group.all(lane.number, group, lane.number, after, lane.number, upTo, limit), limit, { lane, cursor });
  }

  one(lane: Span['lane'], number: number): HeldDelivery | undefined {
    const row = this.statements.one.get(lane.number, number);
    return row && deliveryOf(lane.stored, row);
  }

  /** The group of a fifo delivery; empty for none. */
  groupOf({ number: lane }: Span['lane'], number: number): string {
    return decodeKey(String(this.statements.groupOf.get(lane, number)?.['grp'] ?? ''));
  }

  /** The number up to which there are `count` deliveries of the span and one more; undefined where there are not so many. */
  edge({ lane, after, upTo }: Span, count: number): number | undefined {
    const number = this.statements.edge.get(lane.number, after, lane.number, upTo, count)?.['number'];
    return number === undefined ? undefined : Number(number);
  }

  /** The next ones behind a number; fewer than `limit` where they are large. */
  peek(lane: Span['lane'], limit: number, after: number): { readonly delivery: HeldDelivery; readonly dueAt: number | undefined }[] {
    return this.within(this.statements.all.all(lane.number, after, lane.number, MOST, limit), limit, lane).rows.map((row) => (
      { delivery: deliveryOf(lane.stored, row), dueAt: row['due_at'] === null ? undefined : Number(row['due_at']) }));
  }

  oldest({ number }: Pick<LaneRow, 'number'>): number | undefined {
    const at = this.statements.oldest.get(number, 0, number, MOST)?.['enqueued_at'];
    return at === undefined ? undefined : Number(at);
  }

  due(after: number, upTo: number, limit: number): DueRow[] {
    return this.statements.due.all(after, upTo, limit).map((row) => ({
      lane: Number(row['lane']), number: Number(row['number']), dueAt: Number(row['due_at']), tried: row['tried'] === 1,
    }));
  }

  /** Lanes with deliveries that are due at that very millisecond; hops along the index from one to the next, so that the number of deliveries does not matter. */
  dueLanes(at: number): ReadonlySet<number> {
    const { dueLane, dueTries } = this.statements;
    const lanes = new Set<number>();
    let row = dueTries.get(at, -1, 0);
    while (row) {
      const { lane = null, attempts = null, deaths = null } = row;
      lanes.add(Number(lane));
      row = dueLane.get(at, attempts, deaths, lane) ?? dueTries.get(at, attempts, deaths);
    }
    return lanes;
  }

  nextDue(after: number): number {
    return Number(this.statements.nextDue.get(after)?.['due'] ?? Infinity);
  }

  /** A message with this key would be a repeat. */
  isUsed(scope: string, key: string, now: number): boolean {
    return this.statements.used.get(scope, key, now) !== undefined;
  }

  private readOf(found: readonly SqlRow[], limit: number, { lane, cursor }: { readonly lane: Span['lane']; readonly cursor: number }): ReadPortion {
    const { rows, more } = this.within(found, limit, lane);
    return { read: rows.map((row) => readOf(lane, row, cursor)), more };
  }

  private within(found: readonly SqlRow[], limit: number, { number }: Span['lane']): Weighed {
    return withinWeight(found, limit, 'data', (row) => this.statements.data.get(number, row['number'] ?? null)?.['data']);
  }
}

function readOf({ stored }: Span['lane'], row: SqlRow, cursor: number): ReadDelivery {
  const due = row['due_at'] ?? null;
  return { delivery: deliveryOf(stored, row), due: due === null || Number(due) <= cursor };
}

function deliveryOf({ step, topic }: StoredSubscription, row: SqlRow): HeldDelivery {
  const attempts = Number(row['attempts']);
  const deaths = Number(row['deaths']);
  const history = String(row['history']);
  const group = row['grp'];
  const headers = row['headers'];
  return {
    step, topic, deliveryId: Number(row['number']), epoch: '', settling: false, messageId: String(row['message']), kind: KINDS[Number(row['kind'])] ?? 'queue',
    data: String(row['data']), headers: typeof headers === 'string' ? headers : undefined, traceparent: String(row['trace']),
    hops: Number(row['hops']), enqueuedAt: Number(row['enqueued_at']), groupId: typeof group === 'string' && group !== '' ? decodeKey(group) : undefined,
    progress: attempts === 0 && deaths === 0 && history === '' ? FRESH : { attempts, deaths, history },
  };
}
