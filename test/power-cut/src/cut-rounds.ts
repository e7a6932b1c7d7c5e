import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '@treadle/testing';
import { EngineProcess, type Exit } from '../../support/engine-process.js';
import { request } from '../../support/http-client.js';
import { waitUntil } from '../../support/wait-until.js';
import { cuttableApplication, type Block, type Durability } from './application.js';
import { CuttableFolder } from './cuttable-folder.js';
import { Writers } from './writers.js';

export interface CutRun {
  readonly block: Block;
  readonly durability: Durability;
  readonly cuts: number;
  readonly seed: number;
  /** Share of unsynced writes that survive, the last one torn; default 0. */
  readonly keep?: number;
  /** Module that Node.js loads before the engine, e.g. one that hides a driver. */
  readonly preload?: string;
  /** Stops as soon as something is lost: for the control that must lose. */
  readonly untilLoss?: boolean;
}

export interface CutResult extends CutRun {
  /** Cuts that were made. */
  readonly made: number;
  readonly acknowledged: number;
  /** Acknowledged and not there any more. */
  readonly lost: number;
  /** Writes that were not synced when the power went, over all cuts. */
  readonly unsynced: number;
  /** Slowest start after a cut, from spawning to a healthy answer. */
  readonly slowestStartMs: number;
  /** SQLite driver, as the engine says. */
  readonly driver: string;
  readonly refusals: readonly string[];
}

/** What has to be acknowledged before the power may go; a random time after that it does. */
const FIRST = 30;
const SPREAD_MS = 500;
/** For that many on a machine with much else to do. */
const FIRST_MS = 60_000;
/** For what was acknowledged to be handled after the last cut, at least. */
const SETTLE_MS = 60_000;
/** The same where something has to be missing. */
const CONTROL_SETTLE_MS = 3_000;

/** Starts an engine, writes, cuts the power at a random moment, again and again; then looks for what was acknowledged. */
export async function cutPower(run: CutRun): Promise<CutResult> {
  const cwd = cuttableApplication(run.block, run.durability);
  const folder = new CuttableFolder(join(cwd, 'data'));
  const random = seededRandom(run.seed);
  const acknowledged: string[] = [];
  const result = { made: 0, unsynced: 0, slowestStartMs: 0, driver: '', lost: 0 };
  const refusals: string[] = [];
  while (result.made < run.cuts && !(run.untilLoss && result.lost > 0)) {
    const group = `g${result.made}`;
    if (run.block === 'queue' && random() < 0.7) writeFileSync(join(cwd, 'hold'), '');
    const { engine, url, tookMs } = await start(cwd, folder, run);
    result.slowestStartMs = Math.max(result.slowestStartMs, tookMs);
    result.driver = /"driver":"([^"]+)"/.exec(engine.output)?.[1] ?? result.driver;
    const writers = new Writers(url, group);
    await waitUntil('the first acknowledgements', () => writers.acknowledged.length >= FIRST, FIRST_MS);
    await sleep(random() * SPREAD_MS);
    await engine.stop('SIGKILL');
    await writers.stop();
    result.unsynced += folder.cut({ keep: run.keep ?? 0, seed: run.seed + result.made }).live;
    result.made += 1;
    acknowledged.push(...writers.acknowledged.map((id) => `${group} ${id}`));
    refusals.push(...writers.refusals);
    rmSync(join(cwd, 'hold'), { force: true });
    if (run.untilLoss || result.made === run.cuts) result.lost = await countLost(cwd, run, acknowledged);
  }
  return { ...run, ...result, acknowledged: acknowledged.length, refusals };
}

/** What becomes of an engine whose disk does something wrong. */
export interface FaultResult {
  readonly exit: Exit;
  readonly acknowledged: number;
  readonly lost: number;
  readonly refusals: readonly string[];
}

/** An engine whose n-th sync fails: how it ends, and what it had acknowledged by then is looked for after a power cut. */
export function failSync({ block }: Pick<CutRun, 'block'>, sync: number): Promise<FaultResult> {
  return withFault(block, { POWER_CUT_FAIL_SYNC: String(sync) }, (engine) => engine.exit);
}

/** Kills an engine before or after its n-th change or sync of a file of its store, then cuts the power. */
export function dieAt(block: Block, point: number, when: 'before' | 'after'): Promise<FaultResult> {
  return withFault(block, { POWER_CUT_DIE_AT: String(point), ...when === 'after' && { POWER_CUT_DIE_AFTER: '1' } }, (engine) => engine.exit);
}

/** Each sync takes `ms` longer, for `forMs`; then the power is cut. */
export function slowSync(block: Block, ms: number, forMs: number): Promise<FaultResult> {
  return withFault(block, { POWER_CUT_SLOW_SYNC: String(ms) }, async (engine, writers) => {
    await sleep(forMs);
    await waitUntil('an acknowledgement', () => writers && writers.acknowledged.length > 0, FIRST_MS);
    return engine.stop('SIGKILL');
  });
}

async function withFault(block: Block, fault: Readonly<Record<string, string>>, end: (engine: EngineProcess, writers?: Writers) => Promise<Exit>): Promise<FaultResult> {
  const cwd = cuttableApplication(block, 'full');
  const folder = new CuttableFolder(join(cwd, 'data'));
  const all: CutRun = { block, durability: 'full', cuts: 1, seed: 1 };
  if (block === 'queue') writeFileSync(join(cwd, 'hold'), '');
  const engine = spawnEngine(cwd, folder, all, fault);
  // One that dies while it starts has acknowledged nothing.
  const url = await engine.ready().catch(() => undefined);
  const writers = url === undefined ? undefined : new Writers(url, 'g');
  const exit = await end(engine, writers);
  await writers?.stop();
  folder.cut();
  rmSync(join(cwd, 'hold'), { force: true });
  const acknowledged = (writers?.acknowledged ?? []).map((id) => `g ${id}`);
  return { exit, acknowledged: acknowledged.length, lost: await countLost(cwd, all, acknowledged), refusals: writers?.refusals ?? [] };
}

interface Started { readonly engine: EngineProcess; readonly url: string; readonly tookMs: number }

async function start(cwd: string, folder: CuttableFolder | undefined, run: CutRun): Promise<Started> {
  const began = performance.now();
  const engine = spawnEngine(cwd, folder, run);
  const url = await engine.ready();
  return { engine, url, tookMs: Math.round(performance.now() - began) };
}

function spawnEngine(cwd: string, folder: CuttableFolder | undefined, { preload }: Pick<CutRun, 'preload'>, fault: Readonly<Record<string, string>> = {}): EngineProcess {
  const env = { ...folder?.nextLife(), ...fault, ...(preload ? { NODE_OPTIONS: `--require=${preload}` } : {}) };
  return new EngineProcess({ cwd, args: ['--config', 'config.yaml'], env: { LOG_FORMAT: 'json', ...env } });
}

/** With an engine of its own, whose power stays on. */
async function countLost(cwd: string, run: CutRun, acknowledged: readonly string[]): Promise<number> {
  const { engine, url } = await start(cwd, undefined, run);
  try {
    return run.block !== 'queue' ? await missingKeys(url, acknowledged) : await neverHandled(cwd, acknowledged, run.untilLoss ? CONTROL_SETTLE_MS : SETTLE_MS);
  } finally {
    await engine.stop();
  }
}

async function missingKeys(url: string, acknowledged: readonly string[]): Promise<number> {
  const groups = new Set(acknowledged.map((entry) => entry.split(' ')[0] ?? ''));
  const there = new Set<string>();
  for (const group of groups) {
    const { json } = await request('GET', `${url}/there?group=${group}`);
    for (const key of json as string[]) there.add(`${group} ${key}`);
  }
  return acknowledged.filter((entry) => !there.has(entry)).length;
}

/** Messages that no handler got; waits as long as handlers get any. */
async function neverHandled(cwd: string, acknowledged: readonly string[], settleMs: number): Promise<number> {
  const file = join(cwd, 'handled.txt');
  let [before, quietSince] = [-1, performance.now()];
  return waitUntil('the queue to be quiet', () => {
    const handled = new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []);
    const missing = acknowledged.filter((entry) => !handled.has(entry)).length;
    if (missing !== before) [before, quietSince] = [missing, performance.now()];
    return missing === 0 || performance.now() - quietSince > settleMs ? { missing } : undefined;
  }, 300_000).then(({ missing }) => missing);
}
