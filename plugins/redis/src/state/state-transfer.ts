import { decodeKey, encodeKey, type TransferRow } from '@treadle/api';
import { copyScript, FIRST } from '../transfer/copy-scripts.js';
import type { TransferSlot } from '../transfer/redis-transfer.js';
import { changes, fieldsOf, ranked, SAME_CHANGE, type TransferListing } from '../transfer/transfer-listing.js';
import { knownOf } from './state-rows.js';
import { COMMON } from './state-scripts.js';

/** Where the keys are that have no value any more. */
const GONE = 'forget';

const optional = (value: TransferRow[string]): string | number => (value === undefined ? '' : typeof value === 'boolean' ? String(value) : value);

const entry: TransferListing = {
  name: 'entry',
  places: async (store) => [...(await store.ask<readonly string[]>('ZRANGE', 's:groups', 0, -1)).map((group) => `i:${group}`), GONE],
  count: (store, place) => store.ask('ZCARD', `s:${place}`),
  read: (store, place, from, count) => ranked(store, `s:${place}`, { from, count }, async (pairs) => {
    if (place === GONE) {
      return Promise.all(pairs.map(async ({ name, score }) => {
        const [group = '', key = ''] = name.split('\0');
        return { group: decodeKey(group), key: decodeKey(key), revision: Number((await fieldsOf(store, `s:r:${group}`, [key]))[0]), dueAt: score };
      }));
    }
    const group = place.slice(2);
    const keys = pairs.map(({ name }) => name);
    const values = await fieldsOf(store, `s:v:${group}`, keys);
    const dues = await Promise.all(keys.map((key) => store.ask<string | null>('ZSCORE', `s:d:${group}`, key)));
    return keys.map((key, index) => ({
      group: decodeKey(group), key: decodeKey(key), ...knownOf(values[index] ?? ''), ...typeof dues[index] === 'string' && { dueAt: Number(dues[index]) },
    }));
  }),
  columnsOf: ({ group, key, text, revision, dueAt }) => [encodeKey(String(group)), encodeKey(String(key)), optional(text), Number(revision), optional(dueAt)],
  write: copyScript('state.entries', `${COMMON}
    local groups = {}
    for at = ${FIRST}, #ARGV, 5 do
      local group, key, value, revision, due = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4]
      groups[group] = true
      if value == '' then take_away(group, key, tonumber(revision), tonumber(due) or now())
      else
        redis.call('HSET', root .. 'v:' .. group, key, revision .. '\\n' .. value)
        redis.call('ZADD', root .. 'i:' .. group, 0, key)
        if due ~= '' then redis.call('ZADD', root .. 'd:' .. group, due, key) end
      end
    end
    for group in pairs(groups) do note_group(group) end`),
};

const floor: TransferListing = {
  name: 'floor', places: async (store) => [...await store.ask<readonly string[]>('HKEYS', 's:floors')].sort(), count: () => Promise.resolve(1),
  read: async (store, group) => ({ rows: [{ group: decodeKey(group), revision: Number((await fieldsOf(store, 's:floors', [group]))[0]) }] }),
  columnsOf: ({ group, revision }) => [encodeKey(String(group)), Number(revision)],
  write: copyScript('state.floors', `for at = ${FIRST}, #ARGV, 2 do redis.call('HSET', base .. 's:floors', ARGV[at], ARGV[at + 1]) end`),
};

const change: TransferListing = {
  name: 'change', note: SAME_CHANGE, places: () => Promise.resolve(['changes']), count: (store) => store.ask('XLEN', 's:changes'),
  read: (store, _place, from, count) => changes(store, 's:changes', { from, count }, (id, fields, order) => {
    const text = (name: string): string => fields.get(name) ?? '';
    return {
      order, id, group: decodeKey(text('group')), key: decodeKey(text('key')), revision: Number(text('revision')),
      ...text('old') !== '' && { oldText: knownOf(text('old')).text }, ...text('new') !== '' && { newText: text('new') },
      ...text('origin').startsWith('o') && { origin: text('origin').slice(1) },
    };
  }),
  columnsOf: ({ group, key, oldText, newText, revision, origin }) => [
    encodeKey(String(group)), encodeKey(String(key)), oldText === undefined ? '' : `${Math.max(0, Number(revision) - 1)}\n${String(oldText)}`, optional(newText), Number(revision),
    origin === undefined ? 'c' : `o${String(origin)}`,
  ],
  write: copyScript('state.changes', `for at = ${FIRST}, #ARGV, 6 do
      redis.call('XADD', base .. 's:changes', '*', 'group', ARGV[at], 'key', ARGV[at + 1], 'old', ARGV[at + 2], 'new', ARGV[at + 3], 'revision', ARGV[at + 4], 'origin', ARGV[at + 5])
    end`),
};

/** How the rows of the state adapter travel to another store. */
export const stateTransfer: TransferSlot = { slot: 'state', listings: [entry, floor, change], finish: copyScript('state.finish', '') };
