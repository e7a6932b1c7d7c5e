import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  bind, type Clock, type Ctor, definePlugin, formatError, InjectAdapter, type Lifecycle, Module, type Plugin, slot, type Token, token,
} from '@treadle/api';
import { Engine, planEngine, systemClock } from '@treadle/kernel';
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
}

/** An adapter in an engine of its own, started from YAML. */
export interface RunningAdapter<A> {
  readonly adapter: A;
  /** As many as there are `users`; the first is `adapter`. */
  readonly adapters: readonly A[];
  /** What it declares for this config. */
  readonly capabilities: unknown;
  /** @throws an `Error` when the engine could not stop without one */
  stop(): Promise<void>;
}

const USER = token<unknown>('testing.Adapter');

/** The port that gives a user's adapter away; `number` from 0. */
const portOf = (number: number): Token<unknown> => (number === 0 ? USER : token<unknown>(`testing.Adapter${number + 1}`));

/**
 * Takes an adapter through the real pipeline: YAML, plan, engine, a module with a slot for it.
 * @throws an `Error` with all findings when the configuration is invalid
 * @throws the `TreadleError` of the start
 */
export async function startAdapter<A>(options: HarnessOptions): Promise<RunningAdapter<A>> {
  const { default: plugin } = await import(options.plugin) as { default: Plugin };
  const { plan, errors } = await planEngine({
    configFile: writeConfig(options), cwd: options.root, env: {}, builtins: [harnessPlugin(options), plugin],
    engineVersion: plugin.version,
  });
  if (!plan) throw new Error(`the configuration is invalid:\n${errors.map(formatError).join('\n')}`);
  const engine = new Engine({ plan, log: recordedLog(), clock: options.clock ?? systemClock, engineVersion: plugin.version });
  await engine.start();
  const adapters = numbersOf(options).map((number) => engine.port(portOf(number)) as A);
  return {
    adapter: adapters[0] as A,
    adapters,
    capabilities: plan.entries[0]?.adapters[0]?.capabilities,
    stop: async () => {
      const { errors: faults } = await engine.stop();
      if (faults[0]) throw faults[0];
    },
  };
}

/** JSON is YAML. */
function writeConfig(options: HarnessOptions): string {
  const { classId, slot: block, config, root } = options;
  const modules = numbersOf(options).map((number) => ({ class: moduleId(block, number), config: { adapter: { class: classId, config } } }));
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'config.yaml'), JSON.stringify({ engine: { implicit_modules: false }, modules }));
  return 'config.yaml';
}

const numbersOf = ({ users = 1 }: HarnessOptions): readonly number[] => [...Array(users).keys()];

const moduleId = (block: string, number: number): `${string}::${string}::${string}` =>
  `testing::${block}::HarnessModule${number === 0 ? '' : number + 1}`;

/** Modules with nothing but the slot: a kit needs no module of the block. */
function harnessPlugin(options: HarnessOptions): Plugin {
  const modules = numbersOf(options).map((number) => harnessModule(options.slot, number));
  return definePlugin({ name: '@treadle/testing', version: '0.1.0', api: '*', modules });
}

function harnessModule(block: string, number: number): Ctor<Lifecycle> {
  const port = portOf(number);
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
