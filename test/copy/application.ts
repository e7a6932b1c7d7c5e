import { spawn } from 'node:child_process';
import { formatError, type Logger, type StoreTransfer, type TransferableAdapter, type TransferContext, type TransferRow } from '@treadle/api';
import { BUILTIN_PLUGINS, copyStores, type CopyReport, ENGINE_VERSION } from '@treadle/engine';
import { buildLoneAdapter, type EnginePlan, EngineTurn, planEngine, SharedResources, systemClock } from '@treadle/kernel';
import { cleanEnvironment, cliProgram } from '../support/engine-process.js';
import { tempApplication } from '../support/temp-folder.js';
import type { Rows } from './random-rows.js';

export const SLOTS = ['state', 'queue', 'stream', 'cron'] as const;
const MODULES = { state: 'State', queue: 'Queue', stream: 'Stream', cron: 'Cron' } as const;

/** What a command left. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const QUIET: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined, child: () => QUIET };

/** Adapters that come with a plugin. */
const PLUGINS: ReadonlySet<string> = new Set(['Postgres', 'Redis']);

/** The configuration of an application that keeps all slots in one place. Ports are free ones. */
export function configOn(adapter: string, config: object, dataDir: string, slots: readonly string[] = SLOTS): string {
  const modules = slots.map((slot) => ({
    class: `modules::${slot}::${MODULES[slot as keyof typeof MODULES]}Module`,
    config: { ...slot === 'stream' && { port: 0 }, adapter: { class: `modules::${slot}::adapters::${adapter}`, config } },
  }));
  const others = ['http::HttpModule', 'steps::StepsModule', 'console::ConsoleModule'].map((id) => ({ class: `modules::${id}`, config: { port: 0 } }));
  return JSON.stringify({ engine: { data_dir: dataDir }, ...PLUGINS.has(adapter) && { plugins: [`@treadle/${adapter.toLowerCase()}`] }, modules: [...modules, ...others] });
}

/** An application with several configurations in one folder, `<name>.yaml`. */
export class Application {
  readonly folder: string;

  constructor(configs: Readonly<Record<string, string>>) {
    this.folder = tempApplication(Object.fromEntries(Object.entries(configs).map(([name, text]) => [`${name}.yaml`, text])));
  }

  /** Starts a command; resolves when it has ended. */
  treadle(...args: readonly string[]): Promise<Outcome> & { readonly pid: number } {
    const child = spawn(process.execPath, [cliProgram(), ...args], { cwd: this.folder, env: cleanEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
    const outcome = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) child[name].setEncoding('utf8').on('data', (text: string) => { outcome[name] += text; });
    const ended = new Promise<Outcome>((resolve) => void child.once('close', (code) => resolve({ code, ...outcome })));
    return Object.assign(ended, { pid: child.pid ?? 0 });
  }

  /** The command. */
  command(from: string, to: string, ...flags: readonly string[]): ReturnType<Application['treadle']> {
    return this.treadle('store', 'copy', '--from', `${from}.yaml`, '--to', `${to}.yaml`, ...flags);
  }

  /** What the command does, in this process. */
  async copy(from: string, to: string, { slots, dryRun }: { readonly slots?: readonly string[]; readonly dryRun?: boolean } = {}): Promise<CopyReport> {
    return copyStores({ from: await this.plan(from), to: await this.plan(to), slots, dryRun, log: QUIET });
  }

  private async plan(config: string): Promise<EnginePlan> {
    const { plan, errors } = await planEngine({
      configFile: `${config}.yaml`, cwd: this.folder, env: {}, builtins: BUILTIN_PLUGINS, engineVersion: ENGINE_VERSION, pluginTimeoutMs: 120_000,
    });
    if (plan) return plan;
    throw new Error(errors.map(formatError).join('\n'));
  }

  /** Works on what the slots of a configuration keep. */
  async open<T>(config: string, slots: readonly string[], work: (stores: ReadonlyMap<string, StoreTransfer>) => Promise<T>): Promise<T> {
    const plan = await this.plan(config);
    const shared = new SharedResources();
    const context: TransferContext = { clock: systemClock, turn: new EngineTurn(systemClock), log: QUIET, shared: (key, open, close) => shared.use(context, key, open, close) };
    try {
      const stores = new Map<string, StoreTransfer>();
      for (const planned of plan.entries.flatMap(({ adapters }) => adapters).filter(({ spec }) => slots.includes(spec.slot.id))) {
        const store = await (buildLoneAdapter(plan, planned) as TransferableAdapter).openTransfer?.(context);
        if (store) stores.set(planned.spec.slot.id, store);
      }
      return await work(stores);
    } finally {
      const [fault] = await shared.release(context);
      if (fault) throw fault;
    }
  }

  /** Puts rows into slots, as an engine would have left them. */
  fill(config: string, rows: Readonly<Record<string, Rows>>): Promise<void> {
    return this.open(config, Object.keys(rows), async (stores) => {
      const mark = { text: '', complete: true };
      for (const [slot, store] of stores) {
        for (const [kind, all] of Object.entries(rows[slot] ?? {})) {
          for (let at = 0; at < all.length; at += 1000) await store.importRows({ kind, rows: all.slice(at, at + 1000), mark });
        }
        await store.finish(mark);
      }
    });
  }

  /** Everything that slots keep. `limit`: rows of a page. */
  rows(config: string, slots: readonly string[], limit = 20): Promise<Readonly<Record<string, Rows>>> {
    return this.open(config, slots, async (stores) => {
      const all: Record<string, Record<string, readonly TransferRow[]>> = {};
      for (const [slot, store] of stores) {
        const kinds: Record<string, readonly TransferRow[]> = all[slot] = {};
        for (const { name } of store.kinds) kinds[name] = await rowsOf(store, name, limit);
      }
      return all;
    });
  }
}

/** @throws an `Error` when pages are too long, or there are not as many rows as are counted */
async function rowsOf(store: StoreTransfer, kind: string, limit: number): Promise<readonly TransferRow[]> {
  const rows: TransferRow[] = [];
  for (let after: string | undefined, more = true; more;) {
    const page = await store.exportRows(kind, { limit, after });
    if (page.rows.length > limit) throw new Error(`${page.rows.length} rows of ${kind} are more than ${limit}`);
    rows.push(...page.rows);
    after = page.cursor;
    more = after !== undefined;
  }
  if (await store.count(kind) !== rows.length) throw new Error(`${kind}: there are ${rows.length}, counted are ${await store.count(kind)}`);
  return rows;
}
