// Redis as a key-value store, commands of a turn in one pipeline.
import { Redis } from 'ioredis';
import { operations, serve } from './jobs.mjs';

const redis = new Redis({ port: Number(process.argv[2]), host: '127.0.0.1', enableAutoPipelining: true });
const value = { id: 'x'.repeat(36), name: 'n'.repeat(60), tags: ['a', 'b', 'c'], n: 12_345, text: 't'.repeat(60) };
const set = (key) => redis.set(`bench:${key}`, JSON.stringify(value));
const get = async (key) => JSON.parse(await redis.get(`bench:${key}`));
for (let n = 0; n < 1000; n++) await set(`k${n}`);
serve({ get: (options) => operations(get, options), set: (options) => operations(set, options) });
