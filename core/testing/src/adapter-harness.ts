import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  bind, type Clock, definePlugin, formatError, InjectAdapter, type Lifecycle, Module, type Plugin, slot, token,
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
}

/** An adapter in an engine of its own, started from YAML. */
export interface RunningAdapter<A> {
  readonly adapter: A;
  /** What it declares for this config. */
  readonly capabilities: unknown;
  /** @throws an `Error` when the engine could not stop without one */
  stop(): Promise<void>;
}

const ADAPTER = token<unknown>('testing.Adapter');

/**
 * Takes an adapter through the real pipeline: YAML, plan, engine, a module with a slot for it.
 * @throws an `Error` with all findings when the configuration is invalid
 * @throws the `TreadleError` of the start
 */
export async function startAdapter<A>(options: HarnessOptions): Promise<RunningAdapter<A>> {
  const { default: plugin } = await import(options.plugin) as { default: Plugin };
  const { plan, errors } = await planEngine({
    configFile: writeConfig(options), cwd: options.root, env: {}, builtins: [harnessPlugin(options.slot), plugin],
    engineVersion: plugin.version,
  });
  if (!plan) throw new Error(`the configuration is invalid:\n${errors.map(formatError).join('\n')}`);
  const engine = new Engine({ plan, log: recordedLog(), clock: options.clock ?? systemClock, engineVersion: plugin.version });
  await engine.start();
  return {
    adapter: engine.port(ADAPTER) as A,
    capabilities: plan.entries[0]?.adapters[0]?.capabilities,
    stop: async () => {
      const { errors: faults } = await engine.stop();
      if (faults[0]) throw faults[0];
    },
  };
}

/** JSON is YAML. */
function writeConfig({ classId, slot: block, config, root }: HarnessOptions): string {
  const entry = { class: moduleId(block), config: { adapter: { class: classId, config } } };
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'config.yaml'), JSON.stringify({ engine: { implicit_modules: false }, modules: [entry] }));
  return 'config.yaml';
}

const moduleId = (block: string): `${string}::${string}::${string}` => `testing::${block}::HarnessModule`;

/** A module with nothing but the slot: a kit needs no module of the block. */
function harnessPlugin(block: string): Plugin {
  class HarnessModule implements Lifecycle {
    constructor(private readonly adapter: unknown) {}
    ports = (): ReturnType<NonNullable<Lifecycle['ports']>> => [bind(ADAPTER, this.adapter)];
  }
  InjectAdapter('adapter')(HarnessModule, undefined, 0);
  Module({
    id: moduleId(block), summary: 'Holds the adapter under test', stability: 'stable', since: '0.1.0', config: { type: 'object' },
    provides: [ADAPTER], slots: { adapter: { slot: slot(block) } },
  })(HarnessModule);
  return definePlugin({ name: '@treadle/testing', version: '0.1.0', api: '*', modules: [HarnessModule] });
}
