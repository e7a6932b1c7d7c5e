import { FRESH_CHANGES, SAME_CHANGE } from '../transfer/change-numbers.js';
import { field, goOnBehind, int, plainInsert, str, type TransferSlot } from '../transfer/transfer-table.js';

/** The floor of groups that nobody knows: a new group begins with it, so it is the default of the column. */
const FLOOR = `(SELECT * FROM (SELECT 1 AS only_row, substring(pg_get_expr(d.adbin, d.adrelid) FROM '[0-9]+')::bigint AS floor FROM pg_attrdef d
  JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum WHERE d.adrelid = 'stream_groups'::regclass AND a.attname = 'floor') d WHERE floor > 0) f`;

/** How the rows of the stream adapter travel to another store. */
export const streamTransfer: TransferSlot = {
  slot: 'stream',
  tables: [
    {
      name: 'group', from: 'stream_groups', key: [str('stream'), str('grp')],
      fields: { stream: field('name', 'stream'), groupId: field('name', 'grp'), floor: field('number', 'floor'), usedAt: field('number', 'last_at') },
      write: `INSERT INTO stream_groups (stream, grp, floor, last_at) SELECT stream, grp, floor, coalesce(last_at, 0) FROM r ORDER BY nr ON CONFLICT DO NOTHING`,
    },
    {
      name: 'item', from: 'stream_items', key: [str('stream'), str('grp'), int('ord'), str('item')], heavy: 'value',
      fields: {
        stream: field('name', 'stream'), groupId: field('name', 'grp'), id: field('name', 'item'), order: field('number', 'ord'), text: field('text', 'value'),
        revision: field('number', 'revision'),
      },
      write: plainInsert('stream_items', 'stream, grp, item, ord, value, revision'),
    },
    {
      name: 'floor', from: FLOOR, key: [int('only_row')], fields: { revision: field('number', 'floor') },
      write: ({ revision }) => `ALTER TABLE stream_groups ALTER COLUMN floor SET DEFAULT ${Math.trunc(Number(revision)) || 0}`,
    },
    {
      name: 'change', from: 'stream_changes', key: [int('id')], heavy: 'data', note: SAME_CHANGE,
      fields: {
        order: field('number', 'ord', 'id'), id: field('text', 'name', 'id::text'), stream: field('name', 'stream'), groupId: field('name', 'grp'),
        itemId: field('name', 'item'), type: field('text', 'kind'), text: field('text', 'data'), origin: field('text', 'origin'),
      },
      write: `INSERT INTO stream_changes (id, stream, grp, item, kind, data, origin) OVERRIDING SYSTEM VALUE
        SELECT ord, stream, grp, item, kind, data, origin FROM r ORDER BY nr ON CONFLICT DO NOTHING`,
    },
  ],
  finish: [
    goOnBehind('stream_changes', 'id', FRESH_CHANGES),
    "SELECT setval('stream_order', GREATEST(1, (SELECT max(ord) FROM stream_items)))",
  ],
};
