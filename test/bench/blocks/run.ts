// Queue, state and orders against their peers, all resident, slices in rotation, medians over the rounds, ratios within the same
// round: npm run bench:blocks -- [--rounds 3] [--seconds 1.5] [--only queue,state,orders,backlog,streams].
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { machine } from '../src/machine.js';
import { benchOptions } from '../src/options.js';
import { BENCH_FOLDER, installPeers } from '../src/peers.js';
import { backlogItem } from './src/backlog-item.js';
import { checkLine, type ItemOptions, type ItemResult } from './src/item.js';
import { ordersItem } from './src/orders-item.js';
import { queueItem } from './src/queue-item.js';
import { tableOf } from './src/rounds.js';
import { stateItem } from './src/state-item.js';
import { streamsItem } from './src/streams-item.js';

const ITEMS: Readonly<Record<string, (options: ItemOptions) => Promise<ItemResult>>> = {
  queue: queueItem, orders: ordersItem, state: stateItem, backlog: backlogItem, streams: streamsItem,
};
const PEERS = ['bullmq', 'ioredis', 'pg-boss', 'graphile-worker', '@nestjs/core', '@nestjs/bullmq', 'fastify'];

const args = process.argv.slice(2);
const options = benchOptions(['--rounds', '3', '--seconds', '1.5', ...args]);
const unknown = options.only.filter((id) => !ITEMS[id]);
if (unknown.length > 0) throw new Error(`no item ${unknown.join(', ')}; there are ${Object.keys(ITEMS).join(', ')}`);
installPeers();
const facts = machine(BENCH_FOLDER, PEERS);
const results: ItemResult[] = [];
for (const [id, item] of Object.entries(ITEMS)) {
  if (options.only.length > 0 && !options.only.includes(id)) continue;
  console.error(`[bench] ${id}`);
  results.push(await item(options));
}

const folder = join(BENCH_FOLDER, 'results');
mkdirSync(folder, { recursive: true });
const file = join(folder, `blocks-${new Date().toISOString().replaceAll(':', '-')}.json`);
writeFileSync(file, `${JSON.stringify({ machine: facts, options, results }, null, 2)}\n`);
console.log(`${facts.date}, Node ${facts.node}, ${facts.system}, ${facts.processors}; ${options.rounds} rounds of ${options.seconds} s`);
console.log(`${Object.entries(facts.versions).map(([name, version]) => `${name} ${version}`).join(', ')}\n`);
for (const { title, entries, columns } of results) console.log(`${tableOf(title, entries, columns)}\n`);
for (const { checks } of results) for (const check of checks) console.log(checkLine(check));
console.log(`\nwritten to ${file}`);
