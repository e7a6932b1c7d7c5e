import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { machine } from '../../src/machine.js';
import { benchOptions } from '../../src/options.js';
import { BENCH_FOLDER, installPeers } from '../../src/peers.js';
import { checkTable, type ItemOptions, type ItemResult } from './item.js';
import { tableOf } from './rounds.js';

/** What a run consists of. */
export interface Items {
  /** Begins the name of the file with the results. */
  readonly name: string;
  readonly items: Readonly<Record<string, (options: ItemOptions) => Promise<ItemResult | readonly ItemResult[]>>>;
  /** Packages whose versions are told. */
  readonly peers: readonly string[];
  /** Options in place of the usual ones, e.g. `--rounds 3`. */
  readonly defaults: readonly string[];
  /** What else a reader of the figures has to know. */
  readonly facts?: readonly string[];
}

/** Runs the chosen items one after the other and prints what they measured, then each figure beside what it has to be. */
export async function runItems({ name, items, peers, defaults, facts: more = [] }: Items): Promise<void> {
  const options = benchOptions([...defaults, ...process.argv.slice(2)]);
  const unknown = options.only.filter((id) => !items[id]);
  if (unknown.length > 0) throw new Error(`no item ${unknown.join(', ')}; there are ${Object.keys(items).join(', ')}`);
  installPeers();
  const facts = machine(BENCH_FOLDER, peers);
  const results: ItemResult[] = [];
  for (const [id, item] of Object.entries(items)) {
    if (options.only.length > 0 && !options.only.includes(id)) continue;
    console.error(`[bench] ${id}`);
    results.push(...[await item(options)].flat());
  }
  const folder = join(BENCH_FOLDER, 'results');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}-${new Date().toISOString().replaceAll(':', '-')}.json`);
  writeFileSync(file, `${JSON.stringify({ machine: facts, options, results }, null, 2)}\n`);
  console.log(`${facts.date}, Node ${facts.node}, ${facts.system}, ${facts.processors}; ${options.rounds} rounds of ${options.seconds} s`);
  console.log(`${Object.entries(facts.versions).map(([peer, version]) => `${peer} ${version}`).join(', ')}\n${more.map((line) => `${line}\n`).join('')}`);
  for (const { title, entries, columns } of results) console.log(`${tableOf(title, entries, columns)}\n`);
  console.log(checkTable(results.flatMap(({ checks }) => checks)));
  console.log(`\nwritten to ${file}`);
}
