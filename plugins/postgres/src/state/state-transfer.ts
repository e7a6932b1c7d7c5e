import { field, goOnBehind, int, plainInsert, str, type TransferSlot } from '../transfer/transfer-table.js';
import { FRESH_CHANGES, SAME_CHANGE } from '../transfer/change-numbers.js';

/** How the rows of the state adapter travel to another store. */
export const stateTransfer: TransferSlot = {
  slot: 'state',
  tables: [
    {
      name: 'entry', from: 'state_entries', key: [str('grp'), str('key')], heavy: 'value',
      fields: {
        group: field('name', 'grp'), key: field('name', 'key'), text: field('text', 'value'), revision: field('number', 'revision'), dueAt: field('number', 'due_at'),
      },
      write: plainInsert('state_entries', 'grp, key, value, revision, due_at'),
    },
    {
      name: 'floor', from: 'state_floors', key: [str('grp')], fields: { group: field('name', 'grp'), revision: field('number', 'revision') },
      write: plainInsert('state_floors', 'grp, revision'),
    },
    {
      name: 'change', from: 'state_changes', key: [int('id')], heavy: "coalesce(old_value, '') || coalesce(new_value, '')", note: SAME_CHANGE,
      fields: {
        order: field('number', 'ord', 'id'), id: field('text', 'name', 'id::text'), group: field('name', 'grp'), key: field('name', 'key'), oldText: field('text', 'old_value'),
        newText: field('text', 'new_value'), revision: field('number', 'revision'), origin: field('text', 'origin'),
      },
      write: `INSERT INTO state_changes (id, grp, key, old_value, new_value, revision, origin) OVERRIDING SYSTEM VALUE
        SELECT ord, grp, key, old_value, new_value, revision, origin FROM r ORDER BY nr ON CONFLICT DO NOTHING`,
    },
  ],
  finish: [goOnBehind('state_changes', 'id', FRESH_CHANGES)],
};
