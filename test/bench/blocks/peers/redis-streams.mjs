// Redis streams without a library: pipelined XADD, one consumer group, up to 1,000 entries per read, acknowledged and deleted together.
import { Redis } from 'ioredis';
import { Meter, serveQueue } from './jobs.mjs';

const [STREAM, GROUP, MOST] = ['bench', 'workers', 1000];
const port = Number(process.argv[2]);
const connection = () => new Redis({ port, host: '127.0.0.1', enableAutoPipelining: true });
const [producer, consumer, settler] = [connection(), connection(), connection()];
const meter = new Meter();
await producer.xgroup('CREATE', STREAM, GROUP, '$', 'MKSTREAM').catch((error) => {
  if (!String(error).includes('BUSYGROUP')) throw error;
});

async function consume() {
  for (;;) {
    const answer = await consumer.xreadgroup('GROUP', GROUP, 'one', 'COUNT', MOST, 'BLOCK', 0, 'STREAMS', STREAM, '>');
    const entries = answer?.[0]?.[1] ?? [];
    for (const [, fields] of entries) meter.handled(JSON.parse(fields[1]));
    const ids = entries.map(([id]) => id);
    void settler.pipeline().xack(STREAM, GROUP, ...ids).xdel(STREAM, ...ids).exec();
  }
}

void consume();
serveQueue((message) => producer.xadd(STREAM, '*', 'd', JSON.stringify(message)), meter);
