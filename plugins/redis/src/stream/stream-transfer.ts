import { decodeKey, encodeKey } from '@treadle/api';
import { copyScript, FIRST } from '../transfer/copy-scripts.js';
import type { TransferSlot } from '../transfer/redis-transfer.js';
import { changes, fieldsOf, ONE, ranked, SAME_CHANGE, type TransferListing } from '../transfer/transfer-listing.js';
import { knownItem } from './stream-rows.js';

const placeOf = (name: string): { readonly stream: string; readonly groupId: string } => {
  const [stream = '', groupId = ''] = name.split('\0');
  return { stream: decodeKey(stream), groupId: decodeKey(groupId) };
};

const group: TransferListing = {
  name: 'group', ...ONE, places: (store) => store.keys('t:g:'),
  read: async (store, name) => {
    const [floor, at] = await fieldsOf(store, `t:g:${name}`, ['floor', 'at']);
    return { rows: [{ ...placeOf(name), floor: Number(floor ?? 0), usedAt: Number(at ?? 0) }] };
  },
  columnsOf: ({ stream, groupId, floor, usedAt }) => [`${encodeKey(String(stream))}\0${encodeKey(String(groupId))}`, Number(floor ?? 0), Number(usedAt ?? 0)],
  write: copyScript('stream.groups', `for at = ${FIRST}, #ARGV, 3 do redis.call('HSET', base .. 't:g:' .. ARGV[at], 'floor', ARGV[at + 1], 'at', ARGV[at + 2]) end`),
};

const item: TransferListing = {
  name: 'item', places: (store) => store.keys('t:o:'), count: (store, name) => store.ask('ZCARD', `t:o:${name}`),
  read: (store, name, from, count) => ranked(store, `t:o:${name}`, { from, count }, async (pairs) => {
    const values = await fieldsOf(store, `t:v:${name}`, pairs.map(({ name: id }) => id));
    return pairs.map(({ name: id, score }, index) => ({ ...placeOf(name), id: decodeKey(id), order: score, ...knownItem(values[index] ?? '') }));
  }),
  columnsOf: ({ stream, groupId, id, text, revision }) => [encodeKey(String(stream)), encodeKey(String(groupId)), encodeKey(String(id)), String(text), Number(revision)],
  write: copyScript('stream.items', `
    for at = ${FIRST}, #ARGV, 5 do
      local root, name, id = base .. 't:', ARGV[at] .. '\\0' .. ARGV[at + 1], ARGV[at + 2]
      redis.call('HSET', root .. 'v:' .. name, id, ARGV[at + 4] .. '\\n' .. ARGV[at + 3])
      redis.call('ZADD', root .. 'o:' .. name, redis.call('HINCRBY', root .. 'g:' .. name, 'order', 1), id)
      redis.call('ZADD', root .. 's:' .. ARGV[at], 0, ARGV[at + 1])
    end`),
};

const floor: TransferListing = {
  name: 'floor', places: async (store) => (await fieldsOf(store, 't:store', ['floor'])).filter((value) => value !== null).map(() => 'floor'), count: () => Promise.resolve(1),
  read: async (store) => ({ rows: [{ revision: Number((await fieldsOf(store, 't:store', ['floor']))[0]) }] }),
  columnsOf: ({ revision }) => [Number(revision)],
  write: copyScript('stream.floor', `for at = ${FIRST}, #ARGV do redis.call('HSET', base .. 't:store', 'floor', ARGV[at]) end`),
};

const change: TransferListing = {
  name: 'change', note: SAME_CHANGE, places: () => Promise.resolve(['changes']), count: (store) => store.ask('XLEN', 't:changes'),
  read: (store, _place, from, count) => changes(store, 't:changes', { from, count }, (id, fields, order) => {
    const [stream = '', groupId = '', itemId = ''] = ['stream', 'group', 'item'].map((name) => decodeKey(fields.get(name) ?? ''));
    return { order, id, stream, groupId, itemId, type: fields.get('kind'), text: fields.get('data'), origin: fields.get('origin') };
  }),
  columnsOf: ({ stream, groupId, itemId, type, text, origin }) => [
    encodeKey(String(stream)), encodeKey(String(groupId)), encodeKey(String(itemId)), String(type), String(text), String(origin ?? ''),
  ],
  write: copyScript('stream.changes', `for at = ${FIRST}, #ARGV, 6 do
      redis.call('XADD', base .. 't:changes', '*', 'stream', ARGV[at], 'group', ARGV[at + 1], 'item', ARGV[at + 2], 'kind', ARGV[at + 3], 'data', ARGV[at + 4], 'origin', ARGV[at + 5])
    end`),
};

/** How the rows of the stream adapter travel to another store, in which a new epoch begins. */
export const streamTransfer: TransferSlot = {
  slot: 'stream', listings: [group, item, floor, change], finish: copyScript('stream.finish', "redis.call('HDEL', base .. 't:store', 'run', 'epoch')"),
};
