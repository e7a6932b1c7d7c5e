import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  bind, type Clock, type Ctor, definePlugin, formatError, InjectAdapter, type Lifecycle, type Logger, Module, type Plugin, slot, type StoreTransfer, type Token, token,
  type TransferableAdapter, type TransferContext,
} from '@treadle/api';
import { buildLoneAdapter, Engine, type EnginePlan, EngineTurn, planEngine, SharedResources, systemClock } from '@treadle/kernel';
import { recordedLog } from './recorded-log.js';

/** How an adapter is to be started; plain JSON but for the clock. */
export interface HarnessOptions {
  /** See `AdapterTarget.plugin`. */
  readonly plugin: string;
  readonly classId: string;
  readonly slot: string;
  readonly config: unknown;
  /** Folder of the configuration; data lies in its `data`. */
  readonly root: string;
  readonly clock?: Clock;
  /** Adapters of this config in the one engine, each for a module of its own. Default: 1. */
  readonly users?: number;
  /** Adapters of other slots in the same engine, by slot. */
  readonly beside?: BesideAdapters | undefined;
}

/** Adapters that stand beside the one under test, by the id of their slot; of the same plugin. */
export type BesideAdapters = Readonly<Record<string, { readonly class: string; readonly config: unknown }>>;

/** An adapter in an engine of its own, started from YAML. */
export interface RunningAdapter<A> {
  readonly adapter: A;
  /** As many as there are `users`; the first is `adapter`. */
  readonly adapters: readonly A[];
  /** Those of other slots, by slot. */
  readonly beside: ReadonlyMap<string, unknown>;
  /** What it declares for this config. */
  readonly capabilities: unknown;
  /** @throws an `Error` when the engine could not stop without one */
  stop(): Promise<void>;
}

const QUIET: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined, child: () => QUIET };

const USER = token<unknown>('testing.Adapter');

/** The port of an adapter of another slot. */
const besidePort = (block: string): Token<unknown> => token<unknown>(`testing.Adapter.${block}`);

/** The port that gives a user's adapter away; `number` from 0. */
const portOf = (number: number): Token<unknown> => (number === 0 ? USER : token<unknown>(`testing.Adapter${number + 1}`));

/**
 * Takes an adapter through the real pipeline: YAML, plan, engine, a module with a slot for it.
 * @throws an `Error` with all findings when the configuration is invalid
 * @throws the `TreadleError` of the start
 */
export async function startAdapter<A>(options: HarnessOptions): Promise<RunningAdapter<A>> {
  const { plan, version } = await planOf(options);
  const engine = new Engine({ plan, log: recordedLog(), clock: options.clock ?? systemClock, engineVersion: version });
  await engine.start();
  const adapters = numbersOf(options).map((number) => engine.port(portOf(number)) as A);
  return {
    adapter: adapters[0] as A,
    adapters,
    beside: new Map(Object.keys(options.beside ?? {}).map((block) => [block, engine.port(besidePort(block))])),
    capabilities: plan.entries.find(({ instance }) => instance.classId === moduleId(options.slot, 0))?.adapters.find(isOutermost)?.capabilities,
    stop: async () => {
      const { errors: faults } = await engine.stop();
      if (faults[0]) throw faults[0];
    },
  };
}

/**
 * The same in a temporary folder, which goes when the adapter stops or does not start.
 * @throws as `startAdapter`
 */
export async function startLoneAdapter<A>(options: Omit<HarnessOptions, 'root'>): Promise<RunningAdapter<A>> {
  const root = mkdtempSync(join(tmpdir(), 'treadle-adapter-'));
  const remove = (): void => rmSync(root, { recursive: true, force: true });
  try {
    const running = await startAdapter<A>({ ...options, root });
    return { ...running, stop: () => running.stop().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

/**
 * Opens what an adapter keeps to be copied, without an engine, and closes it when `work` has ended.
 * @throws an `Error` when the adapter does not offer it; what opening throws
 */
export async function openForCopy<T>(options: HarnessOptions, work: (store: StoreTransfer) => Promise<T>): Promise<T> {
  const { plan } = await planOf(options);
  const planned = plan.entries[0]?.adapters.find(isOutermost);
  const adapter = planned && buildLoneAdapter(plan, planned) as TransferableAdapter;
  if (!adapter?.openTransfer) throw new Error(`${options.classId} has no openTransfer`);
  const shared = new SharedResources();
  const context: TransferContext = {
    clock: systemClock, turn: new EngineTurn(systemClock), log: QUIET, shared: (key, open, close) => shared.use(context, key, open, close),
  };
  try {
    return await work(await adapter.openTransfer(context));
  } finally {
    const [fault] = await shared.release(context);
    if (fault) throw fault as Error;
  }
}

/** It stands in the module's slot, not in one of another adapter. */
const isOutermost = ({ within }: { readonly within?: string }): boolean => within === undefined;

async function planOf(options: HarnessOptions): Promise<{ readonly plan: EnginePlan; readonly version: string }> {
  const { default: plugin } = await import(options.plugin) as { default: Plugin };
  const { plan, errors } = await planEngine({
    configFile: writeConfig(options), cwd: options.root, env: {}, builtins: [harnessPlugin(options), plugin],
    engineVersion: plugin.version,
  });
  if (!plan) throw new Error(`the configuration is invalid:\n${errors.map(formatError).join('\n')}`);
  return { plan, version: plugin.version };
}

/** JSON is YAML. */
function writeConfig(options: HarnessOptions): string {
  const { classId, slot: block, config, root, beside = {} } = options;
  const modules = [
    ...numbersOf(options).map((number) => ({ class: moduleId(block, number), config: { adapter: { class: classId, config } } })),
    ...Object.entries(beside).map(([other, adapter]) => ({ class: moduleId(other, 0), config: { adapter } })),
  ];
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'config.yaml'), JSON.stringify({ engine: { implicit_modules: false }, modules }));
  return 'config.yaml';
}

const numbersOf = ({ users = 1 }: HarnessOptions): readonly number[] => [...Array(users).keys()];

const moduleId = (block: string, number: number): `${string}::${string}::${string}` =>
  `testing::${block}::HarnessModule${number === 0 ? '' : number + 1}`;

/** Modules with nothing but the slot: a kit needs no module of the block. */
function harnessPlugin(options: HarnessOptions): Plugin {
  const modules = [
    ...numbersOf(options).map((number) => harnessModule(options.slot, number, portOf(number))),
    ...Object.keys(options.beside ?? {}).map((block) => harnessModule(block, 0, besidePort(block))),
  ];
  return definePlugin({ name: '@treadle/testing', version: '0.1.0', api: '*', modules });
}

function harnessModule(block: string, number: number, port: Token<unknown>): Ctor<Lifecycle> {
  class HarnessModule implements Lifecycle {
    constructor(private readonly adapter: unknown) {}
    ports = (): ReturnType<NonNullable<Lifecycle['ports']>> => [bind(port, this.adapter)];
  }
  InjectAdapter('adapter')(HarnessModule, undefined, 0);
  Module({
    id: moduleId(block, number), summary: 'Holds the adapter under test', stability: 'stable', since: '0.1.0', config: { type: 'object' },
    provides: [port], slots: { adapter: { slot: slot(block) } },
  })(HarnessModule);
  return HarnessModule;
}
