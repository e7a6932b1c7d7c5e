import type { Connection } from '../driver/driver.js';
import type { Operation, Row } from '../store/store-area.js';
import { ID, MOST, NUMBER_OF_ID, SHARED } from './queue-schema.js';

/** Rows of `queue.settle`, told apart by their lengths. */
const SETTLE_LENGTHS = {
  /** Subscription, first number, subscription, last number: all in between are done. */
  done: 4,
  /** Due, attempts, deaths, history, subscription, number. */
  return: 6,
  /** Step, topic, reason, at, attempts, deaths, history, subscription, number. */
  dead: 9,
} as const;

const RETURN = `UPDATE queue_deliveries SET due_at = ?, attempts = ?, deaths = ?, history = ? WHERE id = ${ID}`;
const BURY = `INSERT INTO queue_dead (step, topic, reason, dead_at, attempts, deaths, history, ${SHARED})
  SELECT ?, ?, ?, ?, ?, ?, ?, ${SHARED} FROM queue_deliveries WHERE id = ${ID}`;

/** Ends claims. */
export function settleOperation(connection: Connection): Operation {
  const done = connection.prepare(`DELETE FROM queue_deliveries WHERE id BETWEEN ${ID} AND ${ID}`);
  const giveBack = connection.prepare(RETURN);
  const bury = connection.prepare(BURY);
  return (rows) => {
    for (const row of rows) {
      if (row.length === SETTLE_LENGTHS.return) giveBack.runList(row);
      if (row.length === SETTLE_LENGTHS.done) done.runList(row);
      if (row.length !== SETTLE_LENGTHS.dead) continue;
      const [subscription = null, number = null] = row.slice(-2);
      bury.runList(row);
      done.run(subscription, number, subscription, number);
    }
    return null;
  };
}

const IN_RANGE = `id BETWEEN ${ID} AND ${ID} ORDER BY id LIMIT ?`;

/** One row: subscription, first, subscription, last, limit. Removes the first ones of a range and says how many. */
export function purgeOperation(connection: Connection): Operation {
  const purge = connection.prepare(`DELETE FROM queue_deliveries WHERE id IN (SELECT id FROM queue_deliveries WHERE ${IN_RANGE})`);
  return ([row = []]) => purge.runList(row);
}

/** One row: step, topic, at, and as `purgeOperation`. Makes the first ones of a range dead letters of a retired subscription. */
export function retireOperation(connection: Connection): Operation {
  const bury = connection.prepare(`INSERT INTO queue_dead (step, topic, reason, dead_at, attempts, deaths, history, ${SHARED})
    SELECT ?, ?, 'subscription_retired', ?, attempts, deaths, history, ${SHARED} FROM queue_deliveries WHERE ${IN_RANGE}`);
  const purge = purgeOperation(connection);
  return ([row = []]) => {
    bury.runList(row);
    return purge([row.slice(3)]);
  };
}

/** One row: subscription, limit, enqueued before. Removes the oldest of it as far as they are older, and says how many. */
export function expireUnroutedOperation(connection: Connection): Operation {
  const oldest = connection.prepare(`SELECT ${NUMBER_OF_ID} AS number, enqueued_at FROM queue_deliveries
    WHERE id BETWEEN ${ID} AND ${ID} ORDER BY id LIMIT ?`);
  const remove = connection.prepare(`DELETE FROM queue_deliveries WHERE id = ${ID}`);
  return ([row = []]: readonly Row[]) => {
    const [subscription = null, limit = null, before] = row;
    const old = oldest.all(subscription, 0, subscription, MOST, limit).filter((one) => Number(one['enqueued_at']) < Number(before));
    for (const { number = null } of old) remove.run(subscription, number);
    return old.length;
  };
}
