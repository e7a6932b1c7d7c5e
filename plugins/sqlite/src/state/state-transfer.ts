import { field, int, plainInsert, str, type TransferSlot } from '../transfer/transfer-table.js';

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
      name: 'change', from: 'state_changes', key: [int('seq')], heavy: "ifnull(old_value, '') || ifnull(new_value, '')",
      fields: {
        order: field('number', 'seq'), id: field('text', 'id'), group: field('name', 'grp'), key: field('name', 'key'), oldText: field('text', 'old_value'),
        newText: field('text', 'new_value'), revision: field('number', 'revision'), origin: field('text', 'origin'),
      },
      write: plainInsert('state_changes', 'seq, id, grp, key, old_value, new_value, revision, origin'),
    },
  ],
  finish: [],
};
