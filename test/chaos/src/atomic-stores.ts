import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { missingPrograms, query, startPostgres } from '../../../plugins/postgres/src/testing/server.fixture.js';
import { DURABLE, missingServer, startRedis } from '../../../plugins/redis/src/testing/server.fixture.js';
import { rowsAfterDeath } from './store-reader.js';

/** What a killed engine has left: of each key the counter, the item, and how many messages tell of it; and what was not acknowledged. */
export interface Left {
  readonly counters: Readonly<Record<string, number>>;
  readonly items: Readonly<Record<string, number>>;
  readonly messages: Readonly<Record<string, number>>;
  readonly waiting: number;
}

/** Where an atomic Step keeps what it does. */
export interface AtomicStore {
  readonly plugin?: string;
  /** The adapter of each slot, `modules::<slot>::adapters::<name>`, and its config; absent: the default. */
  readonly adapter?: { readonly name: string; readonly config: object };
  /** Read without any code of the engine, in one step. */
  left(folder: string): Promise<Left> | Left;
  /** Ends the server at once, and starts it again with what it has stored; absent: there is none, or it is not to be killed. */
  readonly server?: { crash(): Promise<void>; resume(): Promise<void> };
  stop(): Promise<void>;
}

type Texts = Readonly<Record<'counters' | 'items' | 'messages', string>> & { readonly waiting: number };

const SQLITE = `SELECT
  (SELECT json_group_object(key, json(value)) FROM state_entries WHERE grp = 'count') AS counters,
  (SELECT json_group_object(item, json_extract(value, '$.value')) FROM stream_items) AS items,
  (SELECT json_group_object(key, n) FROM (SELECT json_extract(d.data, '$.key') AS key, count(*) AS n
    FROM queue_deliveries d JOIN queue_subscriptions s ON s.number = (d.id >> 44) WHERE s.topic = 'counted' GROUP BY 1)) AS messages,
  (SELECT count(*) FROM queue_deliveries d JOIN queue_subscriptions s ON s.number = (d.id >> 44) WHERE s.topic = 'work') AS waiting`;

const POSTGRES = `SELECT
  (SELECT coalesce(json_object_agg(key, value::json), '{}')::text FROM treadle.state_entries WHERE grp = 'count' AND value IS NOT NULL) AS counters,
  (SELECT coalesce(json_object_agg(item, value::json -> 'value'), '{}')::text FROM treadle.stream_items) AS items,
  (SELECT coalesce(json_object_agg(key, n), '{}')::text FROM (SELECT d.data::json ->> 'key' AS key, count(*) AS n
    FROM treadle.queue_deliveries d JOIN treadle.queue_subscriptions s ON s.number = d.sub WHERE s.topic = 'counted' GROUP BY 1) m) AS messages,
  (SELECT count(*)::int FROM treadle.queue_deliveries d JOIN treadle.queue_subscriptions s ON s.number = d.sub WHERE s.topic = 'work') AS waiting`;

const REDIS = `
  local base = '{treadle}:'
  local function values(key, read)
    local found, all = {}, redis.call('HGETALL', base .. key)
    for at = 1, #all, 2 do found[all[at]] = read(cjson.decode(string.match(all[at + 1], '^%d+\\n(.*)$'))) end
    return found
  end
  local function of(key) return base .. 'q:' .. (redis.call('HGET', base .. 'q:ids', key) or '') end
  local messages = {}
  for _, text in ipairs(redis.call('HVALS', of('["","counted"]') .. ':m')) do
    local key = cjson.decode(string.match(text, '\\n(.*)$')).key
    messages[key] = (messages[key] or 0) + 1
  end
  return cjson.encode({
    counters = values('s:v:count', tonumber), items = values('t:v:shown\\0all', function(item) return item.value end), messages = messages,
    waiting = redis.call('ZCARD', of('["Count","work"]') .. ':all')
  })`;

const parsed = ({ counters, items, messages, waiting }: Texts): Left =>
  ({ counters: JSON.parse(counters) as Left['counters'], items: JSON.parse(items) as Left['items'], messages: JSON.parse(messages) as Left['messages'], waiting });

/** The stores that atomic Steps can have, and whether this machine has what each needs. */
export const ATOMIC_STORES = {
  embedded: { isHere: true, open: (): Promise<AtomicStore> => Promise.resolve({
    left: (folder) => parsed(rowsAfterDeath<Texts>(join(folder, 'data', 'treadle.db'), SQLITE)[0] as Texts), stop: () => Promise.resolve(),
  }) },
  redis: { isHere: missingServer() === undefined, open: async (): Promise<AtomicStore> => {
    const server = await startRedis(DURABLE);
    const left = (): Left => JSON.parse(execFileSync('redis-cli', ['-p', String(server.port), '--raw', 'EVAL', REDIS, '0'], { encoding: 'utf8' })) as Left;
    return { plugin: '@treadle/redis', adapter: { name: 'Redis', config: { url: server.url } }, left, server, stop: () => server.stop() };
  } },
  postgres: { isHere: missingPrograms() === undefined, open: async (): Promise<AtomicStore> => {
    const server = await startPostgres();
    const left = async (): Promise<Left> => parsed((await query<Texts>(server.url, POSTGRES))[0] as Texts);
    return { plugin: '@treadle/postgres', adapter: { name: 'Postgres', config: { url: server.url } }, left, stop: () => server.stop() };
  } },
} as const;
