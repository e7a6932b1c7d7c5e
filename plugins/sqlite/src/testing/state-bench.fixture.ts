/**
 * Measures state on this disk: `npx tsx plugins/sqlite/src/testing/state-bench.fixture.ts [rounds] [keys]`. Prints one line per
 * driver and mode with the medians of the rounds, which take turns.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@treadle/api';
import { EngineTurn, systemClock } from '@treadle/kernel';
import { driverNamed } from '../driver/choose-driver.js';
import type { Driver } from '../driver/driver.js';
import { StateEntries } from '../state/state-entries.js';
import { StateReader } from '../state/state-reader.js';
import { fsyncMedian } from '../store/fsync-probe.js';
import type { Durability } from '../store/open-connection.js';
import { openStore } from '../store/open-store.js';

const [rounds = 5, keys = 1_000] = process.argv.slice(2).map(Number);
const IN_FLIGHT = 64;
const SECOND = 1_000;
const MODES: readonly (readonly [Durability, 'thread' | 'loop'])[] = [['full', 'thread'], ['full', 'loop'], ['relaxed', 'loop']];
const VALUE = { id: 'x'.repeat(36), name: 'n'.repeat(60), tags: ['a', 'b', 'c'], n: 12_345, text: 't'.repeat(60) };
const silent: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined, child: () => silent };

interface Figures { readonly sets: number; readonly setP50: number; readonly loneSetP50: number; readonly gets: number; readonly cpuPerSet: number }

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function measure(driver: Driver, durability: Durability, commits: 'thread' | 'loop'): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'treadle-bench-'));
  const store = await openStore({
    file: join(folder, 'a.db'), durability, commits, driver, clock: systemClock, turn: new EngineTurn(systemClock), log: silent, loopLimitMs: Infinity,
  });
  const entries = new StateEntries(store, new StateReader(store.reads), systemClock, 64_000_000);
  const key = () => `k${Math.floor(Math.random() * keys)}`;
  const set = async (): Promise<number> => {
    const began = performance.now();
    await entries.write({ group: 'g', key: key(), recordChange: false, next: () => ({ action: 'set', value: VALUE }) });
    return performance.now() - began;
  };
  const cpu = process.cpuUsage();
  const times: number[] = [];
  await inFlight(async () => void times.push(await set()));
  const { user, system } = process.cpuUsage(cpu);
  const lone: number[] = [];
  for (let index = 0; index < 300; index += 1) lone.push(await set());
  let gets = 0;
  await inFlight(async () => {
    for (let index = 0; index < 20; index += 1) await entries.get('g', key());
    gets += 20;
  });
  await store.close();
  rmSync(folder, { recursive: true });
  return { sets: times.length, setP50: median(times), loneSetP50: median(lone), gets, cpuPerSet: (user + system) / times.length };
}

/** Repeats `act` for a second, 64 at a time. */
async function inFlight(act: () => Promise<void>): Promise<void> {
  const end = performance.now() + SECOND;
  await Promise.all(Array.from({ length: IN_FLIGHT }, async () => {
    while (performance.now() < end) await act();
  }));
}

const drivers = (['node:sqlite', 'better-sqlite3', 'libsql'] as const).map(driverNamed).filter((driver) => driver !== undefined);
const contestants = drivers.flatMap((driver) => MODES.map(([durability, commits]) => ({ driver, durability, commits, figures: [] as Figures[] })));
process.stdout.write(`Node ${process.version}, fsync p50 ${fsyncMedian(join(tmpdir(), 'treadle-fsync')).toFixed(2)} ms, ${keys} keys, ${rounds} rounds\n`);
for (let round = 0; round < rounds; round += 1) {
  for (const { driver, durability, commits, figures } of contestants) figures.push(await measure(driver, durability, commits));
}
for (const { driver, durability, commits, figures } of contestants) {
  const of = (name: keyof Figures, digits = 0) => median(figures.map((one) => one[name])).toFixed(digits);
  process.stdout.write(`| ${driver.name} ${driver.sqlite} | ${durability}, ${commits} | ${of('sets')} | ${of('cpuPerSet', 1)} | ${of('setP50', 2)} | `
    + `${of('loneSetP50', 2)} | ${of('gets')} |\n`);
}
