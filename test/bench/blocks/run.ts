// Queue, state and orders against their peers, all resident, slices in rotation, medians over the rounds, ratios within the same
// round: npm run bench:blocks -- [--rounds 3] [--seconds 1.5] [--only queue,state,orders,backlog,streams].
import { backlogItem } from './src/backlog-item.js';
import { ordersItem } from './src/orders-item.js';
import { queueItem } from './src/queue-item.js';
import { runItems } from './src/run-items.js';
import { stateItem } from './src/state-item.js';
import { streamsItem } from './src/streams-item.js';

await runItems({
  name: 'blocks',
  items: { queue: queueItem, orders: ordersItem, state: stateItem, backlog: backlogItem, streams: streamsItem },
  peers: ['bullmq', 'ioredis', 'pg-boss', 'graphile-worker', '@nestjs/core', '@nestjs/bullmq', 'fastify'],
  defaults: ['--rounds', '3', '--seconds', '1.5'],
});
