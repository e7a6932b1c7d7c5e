// Redis as a key-value store, commands of a turn in one pipeline.
import { Redis } from 'ioredis';
import { serveState, VALUE } from './jobs.mjs';

const redis = new Redis({ port: Number(process.argv[2]), host: '127.0.0.1', enableAutoPipelining: true });
await serveState({
  get: async (key) => JSON.parse(await redis.get(`bench:${key}`)),
  set: (key) => redis.set(`bench:${key}`, JSON.stringify(VALUE)),
});
