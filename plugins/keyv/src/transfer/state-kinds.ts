import type { Json, PendingChange } from '@treadle/api';
import { rowPages } from '../driver/row-pages.js';
import { decode, namesOf, spanOf, valueKey } from '../key-encoding.js';
import { AREA, dueKey, padded, type ValueRow } from '../state-rows.js';
import { kept, type KvKind, type KvSlot } from './kv-transfer.js';
import { countArea, defined, pageOfArea } from './row-kinds.js';

const FLOOR = 'KvStore has one floor of revisions for all groups: a key that was deleted more than a day ago may begin with a higher revision, or in a group without keys again with 1';
const CHANGE = 'a change that waits gets another id: where its engine ended right after it had handed it to the queue, its trigger may run twice';

const json = (value: unknown): Json => JSON.parse(String(value)) as Json;
const textOf = (value: Json | undefined): string | undefined => (value === undefined ? undefined : JSON.stringify(value));

const entry: KvKind = {
  name: 'entry',
  count: (driver) => countArea(driver, AREA.value),
  page: (driver, options) => pageOfArea(driver, AREA.value, options, (at, value) => {
    const { r: revision, v, x, t } = value as ValueRow;
    const { group, key } = namesOf(AREA.value, at);
    return defined({ group, key, text: textOf(v), revision, dueAt: t ?? x });
  }),
  rowsOf: ({ group, key, text, revision, dueAt }) => {
    const at = valueKey(AREA.value, kept(String(group)), kept(String(key)));
    const due = dueAt === undefined ? undefined : Number(dueAt);
    const lasts = due === undefined ? {} : { x: due };
    const row: ValueRow = { r: Number(revision), ...text === undefined ? { t: due ?? 0 } : { v: json(text), ...lasts } };
    const dueAtKey = dueKey(at, row);
    return [...dueAtKey === undefined ? [] : [[dueAtKey, true] as const], [at, row]];
  },
};

const floor: KvKind = {
  name: 'floor', note: FLOOR, uncounted: true, highest: true,
  count: async (driver) => (await groupsWithFloor(driver)).length,
  page: async (driver, { after }) => ({
    rows: after === undefined ? (await groupsWithFloor(driver)).map(({ group, revision }) => ({ group, revision })) : [],
  }),
  rowsOf: ({ revision }) => [[AREA.floor, Number(revision)]],
};

const change: KvKind = {
  name: 'change', note: CHANGE,
  count: (driver) => countArea(driver, AREA.change),
  page: (driver, options) => pageOfArea(driver, AREA.change, options, (_at, value, index) => {
    const { id, group, key, oldValue, newValue, revision, origin } = value as PendingChange;
    return defined({ order: index + 1, id, group, key, oldText: textOf(oldValue), newText: textOf(newValue), revision, origin });
  }),
  rowsOf: ({ order, group, key, oldText, newText, revision, origin }) => {
    const id = `${padded(Number(order))}-copied`;
    const values = { ...oldText !== undefined && { oldValue: json(oldText) }, ...newText !== undefined && { newValue: json(newText) } };
    return [[`${AREA.change}${id}`, { id, group, key, ...values, revision, ...origin !== undefined && { origin } }]];
  },
};

/** How the rows of the state adapter travel to another store. */
export const stateKinds: KvSlot = { slot: 'state', kinds: [entry, floor, change] };

/** The groups that there are, each with the floor of all. */
async function groupsWithFloor(driver: Parameters<KvKind['count']>[0]): Promise<readonly { readonly group: string; readonly revision: number }[]> {
  const revision = Number(await driver.get(AREA.floor) ?? 0);
  if (revision === 0) return [];
  const groups = new Set<string>();
  for await (const rows of rowPages(driver, spanOf(AREA.value))) for (const [at] of rows) groups.add(at.slice(AREA.value.length).split('.')[0] ?? '');
  return [...groups].map((group) => ({ group: decode(group), revision }));
}
