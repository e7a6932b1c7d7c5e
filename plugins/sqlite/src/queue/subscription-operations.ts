import type { Connection } from '../driver/driver.js';
import type { Operation, Row } from '../store/store-area.js';
import { ID, MOST, NUMBER_OF_ID } from './queue-schema.js';

const PUT = `INSERT INTO queue_subscriptions (number, step, topic, application, fifo, delay_ms, paused, settings, retired, ceiling)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number) DO UPDATE SET step = excluded.step, topic = excluded.topic,
  application = excluded.application, fifo = excluded.fifo, delay_ms = excluded.delay_ms, paused = excluded.paused,
  settings = excluded.settings, retired = excluded.retired, ceiling = max(ceiling, excluded.ceiling)`;
const COPY = `INSERT INTO queue_deliveries (id, message, data, trace, enqueued_at, hops, kind, due_at, grp, headers)
  SELECT ((? << 44) | (${NUMBER_OF_ID} + CAST(? AS INTEGER))), message, data, trace, enqueued_at, hops, kind, due_at, grp, headers
  FROM queue_deliveries WHERE id BETWEEN ${ID} AND ${ID}`;
const DELAY = `UPDATE queue_deliveries SET due_at = max(ifnull(due_at, 0), enqueued_at + ?) WHERE id BETWEEN ${ID} AND ${ID}`;
const NAME_GROUP = `UPDATE queue_deliveries SET grp = '' WHERE grp IS NULL AND id BETWEEN ${ID} AND ${ID}`;

/**
 * Rows begin with what to do: `put` and a subscription's columns; `copy`, from, to, offset: all deliveries of one to
 * another, behind those that it has; `delay`, subscription, after, milliseconds; `group`, subscription, after: it has become
 * fifo; `clear`, subscription: its deliveries; `drop`, subscription without deliveries.
 */
export function subscriptionsOperation(connection: Connection): Operation {
  const actions: Readonly<Record<string, (row: Row) => void>> = { ...changes(connection), ...removal(connection) };
  return (rows) => {
    for (const [action, ...row] of rows) actions[String(action)]?.(row);
    return null;
  };
}

function changes(connection: Connection): Readonly<Record<string, (row: Row) => void>> {
  const put = connection.prepare(PUT);
  const copy = connection.prepare(COPY);
  const delay = connection.prepare(DELAY);
  const group = connection.prepare(NAME_GROUP);
  return {
    put: (row) => void put.runList(row),
    copy: ([from = null, to = null, offset = null]) => void copy.run(to, offset, from, 0, from, MOST),
    delay: ([number = null, after = null, ms = null]) => void delay.run(ms, number, Number(after) + 1, number, MOST),
    group: ([number = null, after = null]) => void group.run(number, Number(after) + 1, number, MOST),
  };
}

function removal(connection: Connection): Readonly<Record<string, (row: Row) => void>> {
  const floor = connection.prepare(`UPDATE queue_floor
    SET number = max(number, ifnull((SELECT ceiling FROM queue_subscriptions WHERE number = ?), 0))`);
  const drop = connection.prepare('DELETE FROM queue_subscriptions WHERE number = ?');
  const clear = connection.prepare(`DELETE FROM queue_deliveries WHERE id BETWEEN ${ID} AND ${ID}`);
  return {
    clear: ([number = null]) => void clear.run(number, 0, number, MOST),
    drop: ([number = null]) => {
      floor.run(number);
      drop.run(number);
    },
  };
}
