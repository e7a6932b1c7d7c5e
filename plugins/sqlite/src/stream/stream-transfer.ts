import { field, int, plainInsert, str, type TransferSlot } from '../transfer/transfer-table.js';

/** Items are numbered as they come: `ord` is unique in the store, and the order of others only in a group. */
const ITEM = `INSERT INTO stream_items (ord, stream, grp, item, value, revision)
  SELECT (SELECT ifnull(max(ord), 0) + 1 FROM stream_items), stream, grp, item, value, revision FROM r WHERE true ON CONFLICT DO NOTHING`;
const GROUP = `INSERT INTO stream_groups (stream, grp, seq, floor, used_at)
  SELECT stream, grp, 0, floor, ifnull(used_at, 0) FROM r WHERE true ON CONFLICT DO NOTHING`;

/** How the rows of the stream adapter travel to another store. */
export const streamTransfer: TransferSlot = {
  slot: 'stream',
  tables: [
    {
      name: 'group', from: 'stream_groups', key: [str('stream'), str('grp')], write: GROUP,
      fields: { stream: field('name', 'stream'), groupId: field('name', 'grp'), floor: field('number', 'floor'), usedAt: field('number', 'used_at') },
    },
    {
      name: 'item', from: 'stream_items', key: [int('ord')], heavy: 'value', write: ITEM,
      fields: {
        stream: field('name', 'stream'), groupId: field('name', 'grp'), id: field('name', 'item'), order: field('number', 'ord'), text: field('text', 'value'),
        revision: field('number', 'revision'),
      },
    },
    {
      name: 'floor', from: '(SELECT only, floor FROM stream_store WHERE floor > 0)', key: [int('only')], fields: { revision: field('number', 'floor') },
      write: 'UPDATE stream_store SET floor = max(floor, (SELECT floor FROM r))',
    },
    {
      name: 'change', from: 'stream_changes', key: [int('seq')], heavy: 'data', write: plainInsert('stream_changes', 'seq, id, stream, grp, item, kind, data, origin'),
      fields: {
        order: field('number', 'seq'), id: field('text', 'id'), stream: field('name', 'stream'), groupId: field('name', 'grp'), itemId: field('name', 'item'),
        type: field('text', 'kind'), text: field('text', 'data'), origin: field('text', 'origin'),
      },
    },
  ],
  finish: [],
};
