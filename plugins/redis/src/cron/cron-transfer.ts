import { decodeKey } from '@treadle/api';
import type { CopiedPrefix } from '../transfer/copied-prefix.js';
import { copyScript, FIRST } from '../transfer/copy-scripts.js';
import type { TransferSlot } from '../transfer/redis-transfer.js';
import { fieldsOf, ONE, ranked, type TransferListing } from '../transfer/transfer-listing.js';
import { rowOf, runOf, triggerName } from './cron-rows.js';
import { RUN_FIELDS } from './cron-scripts.js';

const NAMES = RUN_FIELDS.map((name) => `'${name}'`).join(', ');

const triggerOf = (name: string): { readonly step: string; readonly trigger: string } => {
  const [step = '', trigger = ''] = name.split('\0');
  return { step: decodeKey(step), trigger: decodeKey(trigger) };
};

const schedule: TransferListing = {
  name: 'schedule', ...ONE, places: (store) => store.keys('c:s:'),
  read: async (store, name) => {
    const [since, paused, last, until] = await fieldsOf(store, `c:s:${name}`, ['since', 'paused', 'last', 'until']);
    return { rows: [{
      ...triggerOf(name), since: Number(since), paused: paused === '1', ...typeof until === 'string' && until !== '' && { pausedUntil: Number(until) },
      ...typeof last === 'string' && { lastTick: Number(last) },
    }] };
  },
  columnsOf: ({ step, trigger, since, paused, pausedUntil, lastTick }) => [
    triggerName({ step: String(step), trigger: String(trigger) }), Number(since), paused === true ? 1 : 0, pausedUntil === undefined ? '' : Number(pausedUntil),
    lastTick === undefined ? '' : Number(lastTick),
  ],
  write: copyScript('cron.schedules', `
    for at = ${FIRST}, #ARGV, 5 do
      local name = base .. 'c:s:' .. ARGV[at]
      redis.call('HSET', name, 'since', ARGV[at + 1], 'paused', ARGV[at + 2], 'until', ARGV[at + 3])
      if ARGV[at + 4] ~= '' then redis.call('HSET', name, 'last', ARGV[at + 4]) end
    end`),
};

/** Those of all triggers, `<order> <id>`, in the order in which they were written. */
async function runs(store: CopiedPrefix): Promise<readonly string[]> {
  const found: { readonly order: number; readonly id: string }[] = [];
  for (const name of await store.keys('c:o:')) {
    const flat = await store.ask<readonly string[]>('ZRANGE', `c:o:${name}`, 0, -1, 'WITHSCORES');
    for (let at = 0; at < flat.length; at += 2) found.push({ id: flat[at] ?? '', order: Number(flat[at + 1]) });
  }
  return found.sort((a, b) => a.order - b.order).map(({ order, id }) => `${order} ${id}`);
}

const run: TransferListing = {
  name: 'run', ...ONE, places: runs,
  read: async (store, place) => {
    const at = place.indexOf(' ');
    const fields = await fieldsOf(store, `c:r:${place.slice(at + 1)}`, RUN_FIELDS);
    return { rows: [{ order: Number(place.slice(0, at)), ...runOf(fields.map((value) => value ?? '')) }] };
  },
  columnsOf: ({ order, ...row }) => [Number(order), ...rowOf(row as unknown as Parameters<typeof rowOf>[0])],
  write: copyScript('cron.runs', `
    local root, fields = base .. 'c:', { ${NAMES} }
    for at = ${FIRST}, #ARGV, #fields + 1 do
      local run, pairs_of = {}, {}
      for index, field in ipairs(fields) do
        run[field] = ARGV[at + index]
        pairs_of[2 * index - 1], pairs_of[2 * index] = field, run[field]
      end
      local name = run.step .. '\\0' .. run.trigger
      redis.call('HSET', root .. 'r:' .. run.id, unpack(pairs_of))
      redis.call('ZADD', root .. 't:' .. name, run.tick, run.id)
      redis.call('ZADD', root .. 'o:' .. name, ARGV[at], run.id)
      if tonumber(redis.call('GET', root .. 'order') or 0) < tonumber(ARGV[at]) then redis.call('SET', root .. 'order', ARGV[at]) end
      if run.status == 'running' then
        redis.call('ZADD', root .. 'u:' .. name, run.tick, run.id)
        redis.call('SADD', root .. 'running', run.id)
      end
    end`),
};

const span: TransferListing = {
  name: 'span', places: (store) => store.keys('c:f:'), count: (store, name) => store.ask('ZCARD', `c:f:${name}`),
  read: (store, name, from, count) => ranked(store, `c:f:${name}`, { from, count }, async (pairs) => {
    const lasts = await fieldsOf(store, `c:l:${name}`, pairs.map(({ name: first }) => first));
    return pairs.map(({ score }, index) => ({ ...triggerOf(name), first: score, last: Number(lasts[index] ?? score) }));
  }),
  columnsOf: ({ step, trigger, first, last }) => [triggerName({ step: String(step), trigger: String(trigger) }), Number(first), Number(last)],
  write: copyScript('cron.spans', `
    for at = ${FIRST}, #ARGV, 3 do
      redis.call('ZADD', base .. 'c:f:' .. ARGV[at], ARGV[at + 1], ARGV[at + 1])
      redis.call('HSET', base .. 'c:l:' .. ARGV[at], ARGV[at + 1], ARGV[at + 2])
    end`),
};

/** How the rows of the cron adapter travel to another store. A run that goes on is nobody's until an engine takes it over. */
export const cronTransfer: TransferSlot = { slot: 'cron', listings: [schedule, run, span], finish: copyScript('cron.finish', '') };
