// Twenty TypeScript Steps: time from spawning treadle-engine to the first answer, with and without the cache of
// compiled Steps, and the memory of the idle processes.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@treadle/testing';
import { EngineProcess } from '../support/engine-process.js';
import { machine } from './src/machine.js';
import { benchOptions } from './src/options.js';
import { BENCH_FOLDER } from './src/peers.js';
import { descendantsOf, residentMegabytes } from './src/process-usage.js';
import { median, spread } from '../support/statistics.js';
import { ORDER_STEP, benchConfig, getStep, writeApplication } from './src/treadle-application.js';

const STEPS = 20;
const IDLE_MS = 3000;
const POLL_MS = 2;

interface Start { readonly firstAnswerMs: number; readonly engineMb: number; readonly workersMb: number }

const { rounds } = benchOptions(process.argv.slice(2));
const [cold, warm]: [Start[], Start[]] = [[], []];
for (let round = 0; round < rounds; round++) {
  const port = await freePort();
  const cwd = writeApplication(applicationFiles(port));
  try {
    cold.push(await start(cwd, port));
    warm.push(await start(cwd, port));
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
  console.error(`[bench] start ${round + 1} of ${rounds}: cold ${cold.at(-1)?.firstAnswerMs.toFixed(0)} ms, warm ${warm.at(-1)?.firstAnswerMs.toFixed(0)} ms`);
}
publish();

/** Half of the Steps have a zod schema, as applications do. */
function applicationFiles(port: number): Record<string, string> {
  const files: Record<string, string> = { 'config.yaml': benchConfig('Node', { port }), 'steps/hello.step.ts': getStep('Hello', '/hello') };
  for (let n = 2; n <= STEPS; n++) {
    files[`steps/step-${n}.step.ts`] = n % 2 === 0 ? getStep(`Step${n}`, `/step-${n}`)
      : ORDER_STEP.replace('TakeOrder', `Step${n}`).replace('/orders', `/orders-${n}`);
  }
  return files;
}

async function start(cwd: string, port: number): Promise<Start> {
  const began = performance.now();
  const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
  while (!(await answers(port))) {
    if (engine.ended) throw new Error(`the engine ended:\n${engine.output}`);
    await sleep(POLL_MS);
  }
  const firstAnswerMs = performance.now() - began;
  await sleep(IDLE_MS);
  const workersMb = descendantsOf(engine.pid).reduce((total, pid) => total + residentMegabytes(pid), 0);
  const result = { firstAnswerMs, engineMb: residentMegabytes(engine.pid), workersMb };
  await engine.stop();
  return result;
}

/** True when the last Step answers 200 over a fresh socket. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('GET /step-20 HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n'));
    socket.once('data', (data) => { resolve(data.toString('latin1', 0, 12) === 'HTTP/1.1 200'); socket.destroy(); });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}

function publish(): void {
  const facts = machine(BENCH_FOLDER, []);
  mkdirSync(join(BENCH_FOLDER, 'results'), { recursive: true });
  const file = join(BENCH_FOLDER, `results/start-${new Date().toISOString().replaceAll(':', '-')}.json`);
  writeFileSync(file, `${JSON.stringify({ machine: facts, rounds, cold, warm }, null, 2)}\n`);
  console.log(`${facts.date}, Node ${facts.node}, ${facts.system}, ${facts.processors}; ${STEPS} TypeScript Steps, ${rounds} starts\n`);
  console.log('| start | first answer ms | best | spread | engine RSS MB, idle | worker RSS MB, idle |\n|---|---:|---:|---:|---:|---:|');
  for (const [name, starts] of Object.entries({ 'cold cache': cold, 'warm cache': warm })) {
    const ms = starts.map((s) => s.firstAnswerMs);
    const cells = [median(ms), Math.min(...ms)].map((value) => value.toFixed(0));
    const memory = [median(starts.map((s) => s.engineMb)), median(starts.map((s) => s.workersMb))].map((value) => value.toFixed(0));
    console.log(`| ${[name, ...cells, `${(spread(ms) * 100).toFixed(0)}%`, ...memory].join(' | ')} |`);
  }
  console.log(`\nwritten to ${file}`);
}
