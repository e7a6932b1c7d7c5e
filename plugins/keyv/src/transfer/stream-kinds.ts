import type { Json, PendingStreamChange, TransferPage, TransferPageOptions, TransferRow } from '@treadle/api';
import type { KvDriver } from '../driver/kv-driver.js';
import { rowPages } from '../driver/row-pages.js';
import { decode, spanOf } from '../key-encoding.js';
import { padded } from '../state-rows.js';
import { groupKey, type GroupRow, itemKey, type ItemRow, STREAM_AREA } from '../stream-rows.js';
import { kept, type KvKind, type KvSlot } from './kv-transfer.js';
import { countArea, defined, pageOfArea } from './row-kinds.js';

const CHANGE = 'a change that waits gets another id: where its engine ended right after it had handed it to the queue, its trigger may run twice';

const group: KvKind = {
  name: 'group',
  count: (driver) => countArea(driver, STREAM_AREA.group),
  page: (driver, options) => pageOfArea(driver, STREAM_AREA.group, options, (key, value) => {
    const [stream = '', groupId = ''] = key.slice(STREAM_AREA.group.length).split('.');
    const { f: floor, u: usedAt } = value as GroupRow;
    return defined({ stream: decode(stream), groupId: decode(groupId), floor, usedAt });
  }),
  rowsOf: (row) => [[groupKey(placeOf(row)), { q: 0, f: Number(row['floor']), u: Number(row['usedAt'] ?? 0) } satisfies GroupRow]],
};

const item: KvKind = {
  name: 'item',
  count: (driver) => countArea(driver, STREAM_AREA.item),
  page: itemPage,
  rowsOf: (row) => [[
    itemKey(placeOf(row), kept(String(row['id']))),
    { r: Number(row['revision']), v: JSON.parse(String(row['text'])) as Json, o: Number(row['order']) } satisfies ItemRow,
  ]],
};

const floor: KvKind = {
  name: 'floor', highest: true,
  count: async (driver) => (await floorRows(driver)).length,
  page: async (driver, { after }) => ({ rows: after === undefined ? await floorRows(driver) : [] }),
  rowsOf: ({ revision }) => [[STREAM_AREA.floor, Number(revision)]],
};

const change: KvKind = {
  name: 'change', note: CHANGE,
  count: (driver) => countArea(driver, STREAM_AREA.change),
  page: (driver, options) => pageOfArea(driver, STREAM_AREA.change, options, (_key, value, index) => {
    const { id, stream, groupId, itemId, type, data, origin } = value as PendingStreamChange;
    return { order: index + 1, id, stream, groupId, itemId, type, text: JSON.stringify(data), origin };
  }),
  rowsOf: ({ order, stream, groupId, itemId, type, text, origin }) => {
    const id = `${padded(Number(order))}-copied`;
    return [[`${STREAM_AREA.change}${id}`, { id, stream, groupId, itemId, type, data: JSON.parse(String(text)) as Json, origin }]];
  },
};

/** How the rows of the stream adapter travel to another store. */
export const streamKinds: KvSlot = { slot: 'stream', kinds: [group, item, floor, change] };

async function floorRows(driver: KvDriver): Promise<readonly TransferRow[]> {
  const revision = await driver.get(STREAM_AREA.floor);
  return revision === undefined ? [] : [{ revision: Number(revision) }];
}

function placeOf(row: TransferRow): { readonly stream: string; readonly groupId: string } {
  return { stream: kept(String(row['stream'])), groupId: kept(String(row['groupId'])) };
}

/** Where the next page of items begins: behind so many of the group whose rows begin with `area`. */
interface ItemPlace {
  readonly area: string;
  readonly taken: number;
}

/** Group by group, of each in the order of their creation; a group is in memory as a whole, as in a snapshot. */
async function itemPage(driver: KvDriver, { limit, after }: TransferPageOptions): Promise<TransferPage> {
  const place = after === undefined ? undefined : JSON.parse(after) as ItemPlace;
  const area = place?.area ?? await nextGroup(driver, STREAM_AREA.item);
  if (area === undefined) return { rows: [] };
  const items = await itemsOf(driver, area);
  const taken = place?.taken ?? 0;
  const rows = items.slice(taken, taken + limit);
  if (taken + rows.length < items.length) return { rows, cursor: JSON.stringify({ area, taken: taken + rows.length } satisfies ItemPlace) };
  const next = await nextGroup(driver, `${area}~`);
  return next === undefined ? { rows } : { rows, cursor: JSON.stringify({ area: next, taken: 0 } satisfies ItemPlace) };
}

/** How the rows of the first group from a key on begin. */
async function nextGroup(driver: KvDriver, from: string): Promise<string | undefined> {
  const [row] = await driver.range({ ...spanOf(STREAM_AREA.item), from, limit: 1 });
  return row && row[0].slice(0, row[0].lastIndexOf('.') + 1);
}

async function itemsOf(driver: KvDriver, area: string): Promise<readonly TransferRow[]> {
  const [stream = '', groupId = ''] = area.slice(STREAM_AREA.item.length).split('.').map(decode);
  const items: { readonly id: string; readonly row: ItemRow }[] = [];
  for await (const rows of rowPages(driver, spanOf(area))) {
    for (const [key, row] of rows) items.push({ id: decode(key.slice(area.length)), row: row as ItemRow });
  }
  return items.sort((a, b) => a.row.o - b.row.o).map(({ id, row: { r: revision, v, o: order } }) => ({ stream, groupId, id, order, text: JSON.stringify(v), revision }));
}
