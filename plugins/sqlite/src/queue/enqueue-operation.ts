import type { Connection } from '../driver/driver.js';
import type { Operation, Row } from '../store/store-area.js';
import { ID } from './queue-schema.js';

/** Rows of `queue.enqueue`, told apart by their lengths. */
export const LENGTHS = {
  /** Subscription, number, message, data, trace, enqueued at. */
  plain: 6,
  /** Several plain ones in one statement: it saves a third of the time. */
  chunk: 6 * 16,
  /** A plain one, hops, kind, due, group, headers. */
  full: 11,
  /** A subscription: reserves its numbers, and makes it when it is one for unrouted messages. */
  subscription: 10,
  /** Scope, key, message, until, null, now, how many of the following rows are the message's. */
  used: 7,
} as const;

const PLAIN = `INSERT INTO queue_deliveries (id, message, data, trace, enqueued_at) VALUES `;
const FULL = `INSERT INTO queue_deliveries (id, message, data, trace, enqueued_at, hops, kind, due_at, grp, headers)
  VALUES (${ID}, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const RESERVE = `INSERT INTO queue_subscriptions (number, step, topic, application, fifo, delay_ms, paused, settings, retired, ceiling)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number) DO UPDATE SET ceiling = max(ceiling, excluded.ceiling)`;
const USE = `INSERT INTO queue_used (scope, key, message, until) VALUES (?, ?, ?, ?)
  ON CONFLICT (scope, key) DO UPDATE SET message = excluded.message, until = excluded.until WHERE until <= ?`;

/** A message whose key was used before: its own id, then that of the first. */
export type Repeat = readonly [message: string, first: string];

/** Writes messages; returns the repeats, of which nothing was written. */
export function enqueueOperation(connection: Connection): Operation {
  const row = `(${ID}, ?, ?, ?, ?)`;
  const statements = new Map([
    [LENGTHS.plain, connection.prepare(PLAIN + row)],
    [LENGTHS.chunk, connection.prepare(PLAIN + Array.from({ length: LENGTHS.chunk / LENGTHS.plain }, () => row).join(', '))],
    [LENGTHS.full, connection.prepare(FULL)],
    [LENGTHS.subscription, connection.prepare(RESERVE)],
  ] as const);
  const use = useOf(connection);
  return (rows) => {
    const repeats: Repeat[] = [];
    for (let index = 0; index < rows.length; index += 1) {
      const parameters = rows[index] as Row;
      if (parameters.length !== LENGTHS.used) {
        statements.get(parameters.length as 6)?.runList(parameters);
        continue;
      }
      const first = use(parameters);
      if (first === undefined) continue;
      repeats.push([String(parameters[2]), first]);
      index += Number(parameters[6]);
    }
    return repeats;
  };
}

/** Notes the use of a key; gives the first message's id when it was used before. */
function useOf(connection: Connection): (parameters: Row) => string | undefined {
  const use = connection.prepare(USE);
  const find = connection.prepare('SELECT message FROM queue_used WHERE scope = ? AND key = ?');
  return ([scope = null, key = null, message = null, until = null, , now = null]) => {
    if (use.run(scope, key, message, until, now) > 0) return undefined;
    return String(find.get(scope, key)?.['message']);
  };
}
