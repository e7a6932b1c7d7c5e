import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '@treadle/testing';
import { EngineProcess } from '../../support/engine-process.js';
import { waitUntil } from '../../support/wait-until.js';
import { configText, HTTP, OTEL, QUEUE, reloadsApplication, type Settings, STREAM } from './application.js';
import { otherValue } from './other-value.js';
import { reloadedSettings } from './reloaded-settings.js';
import { type Outcomes, SteadyLoad } from './steady-load.js';

/** How long, how fast and which settings. */
export interface ReloadRun {
  readonly perSecond: number;
  /** How long a handler takes that is under way at each change; milliseconds. */
  readonly slowMs: number;
  /** Pause after a change; milliseconds. */
  readonly pauseMs: number;
  /** Settings as `http.port`; all when it is not given. */
  readonly only?: readonly string[];
  readonly onRow?: (row: ReloadRow) => void;
}

/** What one change did, there and back. */
export interface ReloadRow extends Pick<Outcomes, 'refused' | 'reset' | 'failed'> {
  readonly setting: string;
  readonly taken: 'live' | 'restart' | 'not taken';
  readonly ms: number;
}

const RELOADED = /(?<!configuration )reloaded/;
const REFUSED = /configuration refused|did not start; the former/;
const RELOAD_MS = 60_000;
const DEFAULT_HOST = '127.0.0.1';

/** Changes one setting after the other, there and back, under load; the sum over all and a row for each. */
export async function runReloads(run: ReloadRun): Promise<{ readonly rows: readonly ReloadRow[]; readonly outcomes: Outcomes }> {
  const base = await baseSettings();
  const cwd = reloadsApplication(base);
  const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
  try {
    const load = new SteadyLoad(await engine.ready(), run.perSecond);
    load.start();
    const rows = await changeAll({ engine, load, cwd, base }, run);
    return { rows, outcomes: await load.end() };
  } finally {
    await engine.stop();
    rmSync(cwd, { recursive: true, force: true });
  }
}

interface Bench { readonly engine: EngineProcess; readonly load: SteadyLoad; readonly cwd: string; readonly base: Settings }

async function changeAll(bench: Bench, run: ReloadRun): Promise<readonly ReloadRow[]> {
  const rows: ReloadRow[] = [];
  for (const { setting, module, key, schema } of reloadedSettings()) {
    if (run.only && !run.only.includes(setting)) continue;
    const other = key === 'port' ? await freePort() : otherValue(key, schema, bench.base[module]?.[key] ?? schema.default);
    rows.push(await change(bench, run, { setting, module, key, other }));
    run.onRow?.(rows.at(-1) as ReloadRow);
  }
  return rows;
}

async function change(
  { engine, load, cwd, base }: Bench, { slowMs, pauseMs }: ReloadRun,
  { setting, module, key, other }: { readonly setting: string; readonly module: string; readonly key: string; readonly other: unknown },
): Promise<ReloadRow> {
  const { refused, reset, failed } = load.outcomes;
  const before = engine.output.length;
  const began = performance.now();
  for (const settings of [{ ...base, [module]: { ...base[module], [key]: other } }, base]) {
    load.slow(slowMs);
    await wait(Math.min(100, pauseMs));
    await reload(engine, cwd, settings);
    load.url = await addressOf(engine, settings);
    await wait(pauseMs);
  }
  const told = engine.output.slice(before);
  const { outcomes } = load;
  return {
    setting, taken: /settings taken without a restart/.test(told) ? 'live' : /restarted for settings/.test(told) ? 'restart' : 'not taken',
    ms: Math.round(performance.now() - began - 2 * pauseMs),
    refused: outcomes.refused - refused, reset: outcomes.reset - reset, failed: outcomes.failed - failed,
  };
}

async function reload(engine: EngineProcess, cwd: string, settings: Settings): Promise<void> {
  const before = engine.output.length;
  writeFileSync(join(cwd, 'next.yaml'), configText(settings));
  renameSync(join(cwd, 'next.yaml'), join(cwd, 'config.yaml'));
  engine.child.kill('SIGHUP');
  await waitUntil('a reload', () => {
    const told = engine.output.slice(before);
    if (REFUSED.test(told) || engine.ended) throw new Error(`the engine did not take the configuration:\n${told}`);
    return RELOADED.test(told);
  }, RELOAD_MS);
}

/** The engine says that it has reloaded a moment before it writes its addresses down. */
function addressOf(engine: EngineProcess, settings: Settings): Promise<string> {
  const { port, host = DEFAULT_HOST } = settings[HTTP] ?? {};
  return waitUntil(`the address of HTTP with port ${String(port)} and host ${String(host)}`, async () => {
    const url = new URL(await engine.address('http'));
    return url.port === String(port) && url.hostname === host && url.origin;
  }, RELOAD_MS);
}

async function baseSettings(): Promise<Settings> {
  return {
    [HTTP]: { port: await freePort(), max_event_loop_delay_ms: 20_000, wait_timeout_ms: 20_000 },
    [OTEL]: {}, [QUEUE]: {}, [STREAM]: { port: await freePort() },
  };
}
