// All servers resident, one-second slices in rotation, medians over the rounds, ratios within the same round.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONTESTANTS, type Contestant, type ServerSpec } from './src/contestant.js';
import { LoadProcess } from './src/load-process.js';
import { machine } from './src/machine.js';
import { measure, type Measurement } from './src/measure.js';
import { benchOptions, type BenchOptions } from './src/options.js';
import { BENCH_FOLDER, installPeers } from './src/peers.js';
import { costBetween, ratioBetween, rowOf, table } from './src/report.js';
import { startServer, type RunningServer } from './src/server-process.js';
import { WrkLoad } from './src/wrk-load.js';

/** Length of the warm-up of each contestant, in slices. */
const WARM_UP_SHARE = 3;

const options = benchOptions(process.argv.slice(2));
const peers = installPeers();
const contestants = chosen(options.only);
const load = options.generator === 'wrk' ? new WrkLoad() : new LoadProcess();
const servers = new Map<string, RunningServer>();
try {
  for (const contestant of contestants) await serverOf(contestant.server);
  publish(await runRounds(options));
} finally {
  load.stop();
  await Promise.all([...servers.values()].map((server) => server.stop()));
}

function chosen(only: readonly string[]): readonly Contestant[] {
  const unknown = only.filter((id) => !CONTESTANTS.some((contestant) => contestant.id === id));
  if (unknown.length > 0) throw new Error(`no contestant ${unknown.join(', ')}; there are ${CONTESTANTS.map((c) => c.id).join(', ')}`);
  const wanted = CONTESTANTS.filter((contestant) => only.length === 0 || only.includes(contestant.id));
  const ids = new Set(wanted.flatMap((contestant) => [contestant.id, contestant.baseline]));
  return CONTESTANTS.filter((contestant) => ids.has(contestant.id));
}

async function serverOf(spec: ServerSpec): Promise<RunningServer> {
  const key = JSON.stringify(spec);
  const running = servers.get(key) ?? (await startServer(spec));
  servers.set(key, running);
  return running;
}

async function runRounds({ rounds, seconds }: BenchOptions): Promise<Map<string, Measurement[]>> {
  const results = new Map<string, Measurement[]>(contestants.map((contestant) => [contestant.id, []]));
  console.error(`[bench] warming up ${contestants.length} contestants`);
  for (const contestant of contestants) await measure(contestant, await serverOf(contestant.server), load, seconds * WARM_UP_SHARE);
  for (let round = 0; round < rounds; round++) {
    console.error(`[bench] round ${round + 1} of ${rounds}`);
    // Each round begins with another contestant, so that none always follows the same neighbour's garbage.
    const order = contestants.map((_, index) => contestants[(index + round) % contestants.length] as Contestant);
    for (const contestant of order) {
      results.get(contestant.id)?.push(await measure(contestant, await serverOf(contestant.server), load, seconds));
    }
  }
  return results;
}

function publish(results: ReadonlyMap<string, readonly Measurement[]>): void {
  const facts = machine(BENCH_FOLDER, peers);
  const rows = contestants.map((contestant) => rowOf(contestant, results));
  const ratios = {
    'worker-1000 / worker': ratioBetween('worker-1000', 'worker', results), 'worker / fastify': ratioBetween('worker', 'fastify', results),
    'worker / moleculer': ratioBetween('worker', 'moleculer', results), 'worker / raw with OpenTelemetry': ratioBetween('worker', 'raw-otel', results),
    'in process / raw with OpenTelemetry': ratioBetween('in-process', 'raw-otel', results),
    'in process / fastify with OpenTelemetry': ratioBetween('in-process', 'fastify-otel', results),
  };
  const folder = join(BENCH_FOLDER, 'results');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `http-${new Date().toISOString().replaceAll(':', '-')}.json`);
  writeFileSync(file, `${JSON.stringify({ machine: facts, options, rows, ratios, rounds: Object.fromEntries(results) }, null, 2)}\n`);
  const load64 = `64 connections from ${load.name}`;
  console.log(`${facts.date}, Node ${facts.node}, ${facts.system}, ${facts.processors}; ${options.rounds} rounds of ${options.seconds} s slices, ${load64}\n`);
  console.log(table(rows));
  for (const [pair, ratio] of Object.entries(ratios)) if (ratio !== undefined) console.log(`\n${pair}: ${ratio.toFixed(2)}`);
  for (const [on, off] of [['raw-otel', 'raw'], ['fastify-otel', 'fastify'], ['worker', 'worker-off'], ['in-process', 'in-process-off']] as const) {
    const cost = costBetween(on, off, results);
    if (cost !== undefined) console.log(`\ntelemetry of ${on}: ${cost.toFixed(1)} us of CPU per request`);
  }
  console.log(`\nwritten to ${file}`);
}
