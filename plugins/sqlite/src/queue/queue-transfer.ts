import { field, int, str, type TransferSlot } from '../transfer/transfer-table.js';
import { CEILINGS, NUMBER_OF_ID } from './queue-schema.js';

const KEY = { step: field('name', 'step'), topic: field('name', 'topic') };
/** What deliveries and dead letters have in common. */
const MESSAGE = {
  messageId: field('text', 'message'), kind: field('delivery', 'kind'), data: field('text', 'data'), headers: field('text', 'headers'), traceparent: field('text', 'trace'),
  enqueuedAt: field('number', 'enqueued_at'), groupId: field('name', 'grp', "nullif(grp, '')"), attempts: field('number', 'attempts'), deaths: field('number', 'deaths'),
  history: field('text', 'history'),
};
const MESSAGE_COLUMNS = 'message, kind, data, headers, trace, enqueued_at, attempts, deaths, history';

const SUBSCRIPTION = `INSERT INTO queue_subscriptions (step, topic, application, fifo, delay_ms, paused, settings, retired, ceiling)
  SELECT step, topic, application, fifo, delay_ms, paused, settings, retired, (SELECT number FROM queue_floor) FROM r WHERE true ON CONFLICT DO NOTHING`;
const DELIVERY = `INSERT INTO queue_deliveries (id, ${MESSAGE_COLUMNS}, grp, hops, due_at)
  SELECT (s.number << 44) | CAST(r.ord AS INTEGER), ${MESSAGE_COLUMNS}, ifnull(r.grp, CASE s.fifo WHEN 1 THEN '' END), r.hops, r.due_at
  FROM r JOIN queue_subscriptions s ON s.step = r.step AND s.topic = r.topic WHERE true ON CONFLICT DO NOTHING`;
const LETTER = `INSERT INTO queue_dead (id, step, topic, reason, dead_at, ${MESSAGE_COLUMNS}, grp, hops)
  SELECT id, step, topic, reason, dead_at, ${MESSAGE_COLUMNS}, grp, 0 FROM r WHERE true ON CONFLICT DO NOTHING`;
const USED = `INSERT INTO queue_used (scope, key, message, until) SELECT kind || ':' || name, key, message, until FROM r WHERE true ON CONFLICT DO NOTHING`;

/** How the rows of the queue adapter travel to another store. */
export const queueTransfer: TransferSlot = {
  slot: 'queue',
  tables: [
    {
      name: 'subscription', from: 'queue_subscriptions', key: [int('number')], write: SUBSCRIPTION,
      fields: {
        ...KEY, application: field('name', 'application'), fifo: field('flag', 'fifo'), delayMs: field('number', 'delay_ms'), paused: field('flag', 'paused'),
        settings: field('text', 'settings'), retired: field('flag', 'retired'),
      },
    },
    {
      name: 'delivery', from: 'queue_deliveries JOIN queue_subscriptions ON number = id >> 44', key: [int('id')], heavy: 'data', write: DELIVERY,
      fields: { ...KEY, order: field('number', 'ord', NUMBER_OF_ID), ...MESSAGE, hops: field('number', 'hops'), dueAt: field('number', 'due_at') },
    },
    {
      name: 'letter', from: 'queue_dead', key: [int('id')], heavy: 'data', write: LETTER,
      fields: { order: field('number', 'id'), ...KEY, reason: field('text', 'reason'), deadAt: field('number', 'dead_at'), ...MESSAGE },
    },
    {
      name: 'key', from: 'queue_used', key: [str('scope'), str('key')], write: USED,
      fields: {
        scope: field('text', 'kind', "substr(scope, 1, instr(scope, ':') - 1)"), name: field('name', 'name', "substr(scope, instr(scope, ':') + 1)"),
        key: field('name', 'key'), messageId: field('text', 'message'), until: field('number', 'until'),
      },
    },
  ],
  finish: [CEILINGS],
};
