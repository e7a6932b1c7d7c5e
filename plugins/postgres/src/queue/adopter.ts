import { type AdoptedDelivery, Batcher, encodeKey, type TransferRow } from '@treadle/api';
import type { Queries } from '../store/connections.js';
import { columnsOf, type TransferTable, writeSql } from '../transfer/transfer-table.js';
import { INSERT_DELIVERIES, INSERT_LETTERS, queueTransfer } from './queue-transfer.js';
import type { QueueWork } from './queue-work.js';

/** Deliveries that are written at once. */
const MOST = 1_000;
/** How long it is known what was adopted. */
const KNOWN_MS = 24 * 60 * 60 * 1000;

const CURRENT = 'SELECT queue_current($1, $2) AS ok';
const NOTE = `INSERT INTO queue_used AS u (scope, key, message, until)
  SELECT DISTINCT scope, key, key, $3::bigint FROM unnest($1::text[], $2::text[]) AS n (scope, key) ORDER BY scope, key
  ON CONFLICT (scope, key) DO UPDATE SET until = excluded.until WHERE u.until <= excluded.until - ${KNOWN_MS}
  RETURNING scope, key`;

/** Where deliveries or letters go, and how. */
interface Target {
  readonly table: TransferTable;
  readonly sql: string;
}

/** Takes in deliveries that another store held. What it has taken is noted among the keys in the same transaction. */
export class Adopter {
  private readonly batcher: Batcher<AdoptedDelivery, boolean>;

  constructor(private readonly work: QueueWork) {
    this.batcher = new Batcher(work.enqueueing, MOST, (deliveries) => this.write(deliveries));
  }

  adoptMany(deliveries: readonly AdoptedDelivery[]): Promise<readonly boolean[]> {
    return this.batcher.add(deliveries);
  }

  private async write(deliveries: readonly AdoptedDelivery[]): Promise<readonly boolean[]> {
    const { work } = this;
    const fresh = await work.current(() => work.store.connections.transaction((within) => this.writeWithin(within, deliveries)));
    const ready = new Set<number>();
    for (const { dueAt, dead, ...key } of fresh) {
      const number = work.list.get(key)?.number;
      if (number === undefined || dead) continue;
      work.counts.add(number, 1);
      const due = dueAt === undefined ? 0 : work.time.toStore(dueAt);
      if (due > work.time.now()) work.due.note(number, due);
      else ready.add(number);
    }
    work.wake(ready, true);
    return deliveries.map((one) => fresh.has(one));
  }

  /** Those that were not adopted before; undefined when subscriptions have changed meanwhile: then nothing was written. */
  private async writeWithin(within: Queries, deliveries: readonly AdoptedDelivery[]): Promise<ReadonlySet<AdoptedDelivery> | undefined> {
    const { list, time } = this.work;
    const known = deliveries.map((one) => list.get(one));
    const fifo = [...new Set(known.flatMap((one) => (one?.stored.fifo ? [one.number] : [])))].sort((a, b) => a - b);
    const [current] = await within.rows<{ ok: boolean }>(CURRENT, [list.version, fifo]);
    if (!current?.ok) return undefined;
    const noted = await within.rows<{ scope: string; key: string }>(
      NOTE, [[...deliveries.map(scopeOf)], deliveries.map(({ messageId }) => messageId), time.now() + KNOWN_MS]);
    const left = new Set(noted.map(({ scope, key }) => `${scope} ${key}`));
    const fresh = deliveries.filter((one) => left.delete(`${scopeOf(one)} ${one.messageId}`));
    const isLiving = (one: AdoptedDelivery): boolean => list.get(one)?.retired === false;
    await this.insert(within, tableOf('delivery', INSERT_DELIVERIES), fresh.filter((one) => !one.dead && isLiving(one)));
    await this.insert(within, tableOf('letter', INSERT_LETTERS), fresh.filter((one) => one.dead ?? !isLiving(one)));
    return new Set(fresh);
  }

  private async insert(within: Queries, { table, sql }: Target, deliveries: readonly AdoptedDelivery[]): Promise<void> {
    if (deliveries.length > 0) await within.rows(writeSql(table.fields, sql), columnsOf(table, deliveries.map((one) => this.rowOf(one))));
  }

  private rowOf({ progress, dueAt, dead, enqueuedAt, step, topic, ...message }: AdoptedDelivery): TransferRow {
    const { time } = this.work;
    return {
      ...message, ...progress, step, topic, order: 0, enqueuedAt: time.toStore(enqueuedAt), dueAt: dueAt === undefined ? undefined : time.toStore(dueAt),
      reason: dead?.reason ?? 'subscription_retired', deadAt: dead ? time.toStore(dead.at) : time.now(),
    };
  }
}

/** Apart from those of topics and Steps. */
function scopeOf({ step, topic }: AdoptedDelivery): string {
  return `a ${encodeKey(`${step.length} ${step} ${topic}`)}`;
}

function tableOf(name: string, sql: string): Target {
  const table = queueTransfer.tables.find((one) => one.name === name);
  if (!table) throw new Error(`there is no table of ${name}`);
  return { table, sql };
}
