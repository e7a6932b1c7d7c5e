import { decodeKey, encodeKey, type TransferRow } from '@treadle/api';
import type { Arg } from '../store/connection.js';
import type { CopiedPrefix } from '../transfer/copied-prefix.js';
import { copyScript, FIRST } from '../transfer/copy-scripts.js';
import type { TransferSlot } from '../transfer/redis-transfer.js';
import { fieldsOf, ONE, ranked, type TransferListing } from '../transfer/transfer-listing.js';
import { messageOf, messageText, progressOf, progressText, type StoredMessage } from './message-text.js';
import { LIBRARY } from './queue-library.js';
import { keyOf, keyText, recordText, type SubscriptionRecord } from './subscription-list.js';

/** Moments travel as the store has them. */
const AS_IT_IS = { fromStore: (moment: number): number => moment, toStore: (moment: number): number => moment };
const HEAD = /^(-?\d+) (\S+) ([^]*)$/;

const byNumber = (names: readonly string[]): readonly string[] => [...names].sort((a, b) => Number(a) - Number(b));
const numbers = async (store: CopiedPrefix, key: string): Promise<readonly string[]> => byNumber(await store.ask<readonly string[]>('HKEYS', key));

const subscription: TransferListing = {
  name: 'subscription', ...ONE, places: (store) => numbers(store, 'q:subs'),
  read: async (store, number) => {
    const [[record], [flags]] = [await fieldsOf(store, 'q:subs', [number]), await fieldsOf(store, 'q:flags', [number])];
    const { step, topic, application, delayMs, settings } = JSON.parse(record ?? '{}') as SubscriptionRecord;
    const has = (flag: string): boolean => flags?.includes(flag) === true;
    return { rows: [{ step, topic, application, fifo: has('f'), delayMs, paused: has('p'), settings, retired: has('r') }] };
  },
  columnsOf: ({ step, topic, application, fifo, delayMs, paused, settings, retired }) => {
    const stored = { step: String(step), topic: String(topic), application: String(application), delayMs: Number(delayMs), settings: String(settings) };
    return [keyText(stored), recordText(stored), `${fifo === true ? 'f' : ''}${paused === true ? 'p' : ''}${retired === true ? 'r' : ''}`];
  },
  write: copyScript('queue.subscriptions', `${LIBRARY}
    for at = ${FIRST}, #ARGV, 3 do
      if redis.call('HEXISTS', q .. 'ids', ARGV[at]) == 0 then
        local sub = following('numbers')
        redis.call('HSET', q .. 'ids', ARGV[at], sub)
        redis.call('HSET', q .. 'keys', sub, ARGV[at])
        redis.call('HSET', q .. 'subs', sub, ARGV[at + 1])
        redis.call('HSET', q .. 'flags', sub, ARGV[at + 2])
      end
    end`),
};

const delivery: TransferListing = {
  name: 'delivery', note: 'what is due does not keep since when', places: (store) => numbers(store, 'q:subs'), count: (store, sub) => store.ask('ZCARD', `q:${sub}:all`),
  read: (store, sub, from, count) => ranked(store, `q:${sub}:all`, { from, count }, async (pairs) => {
    const ids = pairs.map(({ name }) => name);
    const [[key], messages, progress] = [await fieldsOf(store, 'q:keys', [sub]), await fieldsOf(store, `q:${sub}:m`, ids), await fieldsOf(store, `q:${sub}:p`, ids)];
    const dues = await Promise.all(ids.map(async (id) => await store.ask<string | null>('ZSCORE', `q:${sub}:later`, id) ?? store.ask<string | null>('ZSCORE', `q:${sub}:retry`, id)));
    return pairs.map(({ score }, index) => ({
      ...keyOf(key ?? '[]'), order: score, ...messageRow(messages[index], progress[index]), hops: messageOf(messages[index] ?? '', AS_IT_IS).hops,
      ...typeof dues[index] === 'string' && { dueAt: Number(dues[index]) },
    }));
  }),
  columnsOf: (row) => [keyText({ step: String(row['step']), topic: String(row['topic']) }), textOf(row), progressOfRow(row), row['dueAt'] === undefined ? '' : Number(row['dueAt'])],
  write: copyScript('queue.deliveries', `${LIBRARY}
    for at = ${FIRST}, #ARGV, 4 do
      local sub, message, progress, due = redis.call('HGET', q .. 'ids', ARGV[at]), ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
      if sub then insert(sub, message, progress, due) end
    end`),
};

const letter: TransferListing = {
  name: 'letter', ...ONE, places: (store) => numbers(store, 'q:dead:h'),
  read: async (store, number) => {
    const [head, message, progress] = await Promise.all(['h', 'm', 'p'].map(async (part) => (await fieldsOf(store, `q:dead:${part}`, [number]))[0]));
    const [, deadAt, reason = '', key = '[]'] = HEAD.exec(head ?? '') ?? [];
    return { rows: [{ order: Number(number), ...keyOf(key), reason, deadAt: Number(deadAt), ...messageRow(message, progress) }] };
  },
  columnsOf: (row) => {
    const { order, step, topic, reason, deadAt } = row;
    return [Number(order), keyText({ step: String(step), topic: String(topic) }), String(reason), Number(deadAt), textOf(row), progressOfRow(row)];
  },
  write: copyScript('queue.letters', `${LIBRARY}
    for at = ${FIRST}, #ARGV, 6 do
      put_letter(ARGV[at], ARGV[at + 2] .. ' ' .. ARGV[at + 1], { at = ARGV[at + 3], message = ARGV[at + 4], progress = ARGV[at + 5] })
      if tonumber(redis.call('GET', q .. 'letters') or 0) < tonumber(ARGV[at]) then redis.call('SET', q .. 'letters', ARGV[at]) end
    end`),
};

const used: TransferListing = {
  name: 'key', places: () => Promise.resolve(['used']), count: (store) => store.ask('ZCARD', 'q:used:until'),
  read: (store, _place, from, count) => ranked(store, 'q:used:until', { from, count }, async (pairs) => {
    const uses = await fieldsOf(store, 'q:used', pairs.map(({ name }) => name));
    return pairs.map(({ name: scope, score }, index) => {
      const [kind, name = '', key = ''] = JSON.parse(scope) as readonly string[];
      const messageId = (uses[index] ?? '').replace(/^-?\d+ /, '');
      return { scope: kind === 's' ? 'step' : 'topic', name: decodeKey(name), key: decodeKey(key), messageId, until: score };
    });
  }),
  columnsOf: ({ scope, name, key, messageId, until }) => [
    JSON.stringify([scope === 'step' ? 's' : 't', encodeKey(String(name)), encodeKey(String(key))]), String(messageId), Number(until),
  ],
  write: copyScript('queue.keys', `${LIBRARY}
    for at = ${FIRST}, #ARGV, 3 do
      redis.call('HSET', q .. 'used', ARGV[at], ARGV[at + 2] .. ' ' .. ARGV[at + 1])
      redis.call('ZADD', q .. 'used:until', ARGV[at + 2], ARGV[at])
    end`),
};

/** How the rows of the queue adapter travel to another store. */
export const queueTransfer: TransferSlot = {
  slot: 'queue', listings: [subscription, delivery, letter, used], finish: copyScript('queue.finish', `${LIBRARY} changed()`),
};

/** What deliveries and dead letters have in common. */
function messageRow(text: string | null | undefined, progress: string | null | undefined): TransferRow {
  const { hops: _hops, ...message }: StoredMessage = messageOf(text ?? '', AS_IT_IS);
  return { ...message, ...progressOf(progress ?? '') };
}

function textOf(row: TransferRow): Arg {
  const optional = (name: string): string | undefined => (row[name] === undefined ? undefined : String(row[name]));
  const [id = '', kind, traceparent = '', data = ''] = ['messageId', 'kind', 'traceparent', 'data'].map(optional);
  return messageText({
    id, kind: kind as StoredMessage['kind'], traceparent, data, hops: Number(row['hops'] ?? 0), enqueuedAt: Number(row['enqueuedAt']), headers: optional('headers'),
    groupId: optional('groupId'),
  }, AS_IT_IS);
}

function progressOfRow({ attempts, deaths, history }: TransferRow): Arg {
  return progressText({ attempts: Number(attempts ?? 0), deaths: Number(deaths ?? 0), history: String(history ?? '') });
}
