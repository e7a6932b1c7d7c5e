// BullMQ as its documentation advises for throughput: one worker with high concurrency, finished jobs removed. ioredis's automatic
// pipelining is off: with it the rate falls by a third.
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Meter, serveQueue } from './jobs.mjs';

const port = Number(process.argv[2]);
const connection = () => new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: null });
const meter = new Meter();
const queue = new Queue('bench', { connection: connection(), defaultJobOptions: { removeOnComplete: true, removeOnFail: true } });
const worker = new Worker('bench', async (job) => meter.handled(job.data), { connection: connection(), concurrency: 100 });
await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);
serveQueue((message) => queue.add('m', message), meter);
