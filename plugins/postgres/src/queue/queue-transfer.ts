import { field, goOnBehind, int, plainInsert, str, type TransferSlot } from '../transfer/transfer-table.js';
import { NEXT_VERSION } from './queue-schema.js';

const KEY = { step: field('name', 'step'), topic: field('name', 'topic') };
/** What deliveries and dead letters have in common. */
const MESSAGE = {
  messageId: field('text', 'message'), kind: field('delivery', 'kind'), data: field('text', 'data'), headers: field('text', 'headers'), traceparent: field('text', 'trace'),
  enqueuedAt: field('number', 'enqueued_at'), groupId: field('name', 'grp', "nullif(grp, '')"), attempts: field('number', 'attempts'), deaths: field('number', 'deaths'),
  history: field('text', 'history'),
};
const MESSAGE_COLUMNS = 'message, kind, data, headers, trace, enqueued_at, grp, attempts, deaths, history';

/** What `adoptMany` notes of a delivery lies among the keys, in scopes of its own; another store has no use for it. */
const KEYS_OF_MESSAGES = "(SELECT * FROM queue_used WHERE left(scope, 2) <> 'a ') k";

/** Ids are unique over all subscriptions here. Of a lane only the first can be claimed, as in `queue_add`. */
export const INSERT_DELIVERIES = `INSERT INTO queue_deliveries (sub, id, state, lane, hops, due_at, ${MESSAGE_COLUMNS})
  SELECT n.number, nextval('queue_ids'), CASE WHEN n.behind THEN 2 WHEN n.due_at > store_time() THEN 1 ELSE 0 END, n.lane, n.hops, n.due_at, ${MESSAGE_COLUMNS}
  FROM (
    SELECT l.*, l.lane IS NOT NULL AND (row_number() OVER (PARTITION BY l.number, l.lane ORDER BY l.nr) > 1
      OR EXISTS (SELECT 1 FROM queue_deliveries h WHERE h.sub = l.number AND h.lane = l.lane)) AS behind
    FROM (SELECT r.*, s.number, CASE WHEN s.fifo THEN coalesce(r.grp, '') END AS lane
      FROM r JOIN queue_subscriptions s ON s.step = r.step AND s.topic = r.topic) l
    ORDER BY l.nr) n`;
/** With the ids that the database gives. */
export const INSERT_LETTERS = `INSERT INTO queue_dead (step, topic, reason, dead_at, ${MESSAGE_COLUMNS})
  SELECT step, topic, reason, dead_at, ${MESSAGE_COLUMNS} FROM r ORDER BY nr`;
const LETTER = `INSERT INTO queue_dead (id, step, topic, reason, dead_at, ${MESSAGE_COLUMNS}) OVERRIDING SYSTEM VALUE
  SELECT id, step, topic, reason, dead_at, ${MESSAGE_COLUMNS} FROM r ORDER BY nr ON CONFLICT DO NOTHING`;
const USED = `INSERT INTO queue_used (scope, key, message, until)
  SELECT CASE kind WHEN 'step' THEN 's ' ELSE 't ' END || name, key, message, until FROM r ORDER BY nr ON CONFLICT DO NOTHING`;

/** How the rows of the queue adapter travel to another store. */
export const queueTransfer: TransferSlot = {
  slot: 'queue',
  tables: [
    {
      name: 'subscription', from: 'queue_subscriptions', key: [int('number')],
      write: plainInsert('queue_subscriptions', 'step, topic, application, fifo, delay_ms, paused, settings, retired'),
      fields: {
        ...KEY, application: field('name', 'application'), fifo: field('flag', 'fifo'), delayMs: field('number', 'delay_ms'), paused: field('flag', 'paused'),
        settings: field('name', 'settings'), retired: field('flag', 'retired'),
      },
    },
    {
      name: 'delivery', from: 'queue_deliveries JOIN queue_subscriptions ON number = sub', key: [int('sub'), int('id')], heavy: 'data', write: INSERT_DELIVERIES,
      fields: { ...KEY, order: field('number', 'ord', 'id'), ...MESSAGE, hops: field('number', 'hops'), dueAt: field('number', 'due_at') },
    },
    {
      name: 'letter', from: 'queue_dead', key: [int('id')], heavy: 'data', write: LETTER,
      fields: { order: field('number', 'id'), ...KEY, reason: field('text', 'reason'), deadAt: field('number', 'dead_at'), ...MESSAGE },
    },
    {
      name: 'key', from: KEYS_OF_MESSAGES, key: [str('scope'), str('key')], write: USED,
      fields: {
        scope: field('text', 'kind', "CASE left(scope, 2) WHEN 's ' THEN 'step' ELSE 'topic' END"), name: field('name', 'name', 'substr(scope, 3)'),
        key: field('name', 'key'), messageId: field('text', 'message'), until: field('number', 'until'),
      },
    },
  ],
  finish: [
    goOnBehind('queue_dead', 'id'),
    NEXT_VERSION,
  ],
};
