/**
 * A delivery's id is the number of its subscription in the upper bits and its own, growing number in the lower 44, so
 * that one b-tree holds all deliveries, each subscription's together and in order, and rows are added at its end.
 * `queue_subscriptions.ceiling`: numbers up to it may have been used; they are reserved in blocks. `queue_floor`: numbers
 * of subscriptions that are gone. What lies unrouted belongs to the subscription of the Step `''` and its topic.
 * `due_at`, `enqueued_at`, `dead_at`, `until`: milliseconds since the epoch. `grp`: group, `''` for none in a fifo
 * subscription, else null for none.
 */
export const VERSION_1 = `
  CREATE TABLE queue_subscriptions (
    number INTEGER PRIMARY KEY, step TEXT NOT NULL, topic TEXT NOT NULL, application TEXT NOT NULL, fifo INTEGER NOT NULL,
    delay_ms INTEGER NOT NULL, paused INTEGER NOT NULL, settings TEXT NOT NULL, retired INTEGER NOT NULL, ceiling INTEGER NOT NULL,
    UNIQUE (step, topic));
  CREATE TABLE queue_floor (only INTEGER PRIMARY KEY CHECK (only = 1), number INTEGER NOT NULL);
  INSERT INTO queue_floor VALUES (1, 0);
  CREATE TABLE queue_deliveries (
    id INTEGER PRIMARY KEY, message TEXT NOT NULL, data TEXT NOT NULL, trace TEXT NOT NULL, enqueued_at INTEGER NOT NULL,
    hops INTEGER NOT NULL DEFAULT 0, kind INTEGER NOT NULL DEFAULT 0, due_at INTEGER, grp TEXT, headers TEXT,
    attempts INTEGER NOT NULL DEFAULT 0, deaths INTEGER NOT NULL DEFAULT 0, history TEXT NOT NULL DEFAULT '');
  CREATE INDEX queue_due ON queue_deliveries (due_at, attempts, deaths) WHERE due_at IS NOT NULL;
  CREATE INDEX queue_groups ON queue_deliveries ((id >> 44), grp) WHERE grp IS NOT NULL;
  CREATE TABLE queue_dead (
    id INTEGER PRIMARY KEY AUTOINCREMENT, step TEXT NOT NULL, topic TEXT NOT NULL, reason TEXT NOT NULL, dead_at INTEGER NOT NULL,
    message TEXT NOT NULL, data TEXT NOT NULL, trace TEXT NOT NULL, enqueued_at INTEGER NOT NULL, hops INTEGER NOT NULL, kind INTEGER NOT NULL,
    grp TEXT, headers TEXT, attempts INTEGER NOT NULL, deaths INTEGER NOT NULL, history TEXT NOT NULL);
  CREATE INDEX queue_dead_of ON queue_dead (step, topic);
  CREATE INDEX queue_dead_at ON queue_dead (dead_at);
  CREATE TABLE queue_used (scope TEXT NOT NULL, key TEXT NOT NULL, message TEXT NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (scope, key)) WITHOUT ROWID;
  CREATE INDEX queue_used_until ON queue_used (until);`;

/** Id of a delivery; parameters: number of the subscription, number of the delivery. */
export const ID = '((? << 44) | CAST(? AS INTEGER))';
/** Numbers as they are in an id. */
export const SUBSCRIPTION_OF_ID = '(id >> 44)';
export const NUMBER_OF_ID = '(id & 17592186044415)';
/** Above every delivery's number. */
export const MOST = 2 ** 44 - 1;
/** Above every subscription's number. */
export const MOST_SUBSCRIPTIONS = 2 ** 19;

/** Columns that a dead letter takes over from its delivery. */
export const SHARED = 'message, data, trace, enqueued_at, hops, kind, grp, headers';

/** Sees to it that numbers that are used are not given again. */
export const CEILINGS = `UPDATE queue_subscriptions SET ceiling = max(ceiling, ifnull(
  (SELECT max(${NUMBER_OF_ID}) FROM queue_deliveries WHERE id BETWEEN (number << 44) AND ((number << 44) | ${MOST})), 0))`;
