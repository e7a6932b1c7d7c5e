import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module, formatError, moduleSpecOf, type Ctor, type Lifecycle, type ModuleSpec, type Plugin } from '@treadle/api';
import { Engine, planEngine, type EnginePlan, type PlannedEntry } from '@treadle/kernel';
import type { ModuleEnvironment, ModuleTarget } from './module-target.js';
import { recordedLog, type RecordedLog } from './recorded-log.js';

/** What a test may change about the life that it looks at. */
export interface LifeOptions {
  /** Runs after the module's own init; an error makes that init fail. */
  readonly afterInit?: () => void;
  /** Changes the plan, e.g. puts probes around the module. */
  readonly plan?: (plan: EnginePlan) => EnginePlan;
}

/** An engine with the module under test, made from YAML by the real pipeline. */
export interface ModuleLife {
  readonly engine: Engine;
  readonly plan: EnginePlan;
  readonly log: RecordedLog;
  /** The instance, once it is built. */
  readonly instance: () => Lifecycle;
  /** Stops the engine if it still runs, and removes the surroundings. */
  end(): Promise<void>;
}

/** The spec of the module under test. */
export function specOf(target: ModuleTarget): ModuleSpec {
  const spec = moduleSpecOf(target.module);
  if (!spec) throw new Error(`${target.module.name} has no @Module declaration`);
  return spec;
}

/** Makes an engine with the module under test in it, not started. */
export async function moduleLife(target: ModuleTarget, options: LifeOptions = {}): Promise<ModuleLife> {
  const surroundings = await target.env?.() ?? aloneIn(specOf(target));
  const folder = surroundings.folder ?? await mkdtemp(join(tmpdir(), 'treadle-kit-'));
  const remove = async (): Promise<void> => {
    await surroundings.cleanup?.();
    if (surroundings.folder === undefined) await rm(folder, { recursive: true, force: true });
  };
  try {
    return await build(target, options, { ...surroundings, folder }, remove);
  } catch (error) {
    await remove();
    throw error;
  }
}

async function build(
  target: ModuleTarget, options: LifeOptions, surroundings: ModuleEnvironment & { readonly folder: string }, remove: () => Promise<void>,
): Promise<ModuleLife> {
  const instances: Lifecycle[] = [];
  const watched = watchedClass(target.module, instances, options);
  const plan = await planOf(surroundings, replaced(target, watched));
  const log = recordedLog();
  const changed = options.plan?.(plan) ?? plan;
  const engine = new Engine({ plan: changed, log, logLevel: 'debug', engineVersion: '0.0.0-kit' });
  const instance = (): Lifecycle => {
    const [built] = instances;
    if (!built) throw new Error('the module was not built');
    return built;
  };
  const end = async (): Promise<void> => {
    await engine.stop({ signal: AbortSignal.abort() });
    await remove();
  };
  return { engine, plan: changed, log, instance, end };
}

async function planOf({ yaml, env, folder }: ModuleEnvironment & { readonly folder: string }, plugins: readonly Plugin[]): Promise<EnginePlan> {
  await writeFile(join(folder, 'config.yaml'), yaml);
  const { plan, errors } = await planEngine({
    configFile: 'config.yaml', cwd: folder, env: env ?? {}, builtins: plugins, engineVersion: '0.0.0-kit',
  });
  if (!plan) throw new Error(`the configuration of the target is faulty:\n${errors.map(formatError).join('\n')}`);
  return plan;
}

function aloneIn(spec: ModuleSpec): ModuleEnvironment {
  return { yaml: `engine: { implicit_modules: false }\nmodules:\n  - class: ${spec.id}\n` };
}

function replaced(target: ModuleTarget, watched: Ctor<Lifecycle>): readonly Plugin[] {
  return target.plugins.map((plugin) => ({
    ...plugin, modules: plugin.modules.map((module) => (module === target.module ? watched : module)),
  }));
}

/** The module itself, but its instances are kept and its init can be made to fail. Injections come from the parent. */
function watchedClass(module: Ctor<Lifecycle>, instances: Lifecycle[], options: LifeOptions): Ctor<Lifecycle> {
  const watched = class extends module {
    constructor(...args: never[]) {
      super(...args);
      instances.push(this);
    }

    override async init(context: Parameters<NonNullable<Lifecycle['init']>>[0]): Promise<void> {
      await super.init?.(context);
      options.afterInit?.();
    }
  };
  const spec = moduleSpecOf(module);
  const target = watched as unknown as Ctor<Lifecycle>;
  if (spec) Module(spec)(target);
  return target;
}

/** A planned entry that belongs to the kit. */
export function probeEntry(target: Ctor<Lifecycle>, name: 'First' | 'Last'): PlannedEntry {
  const id = `testing::kit::${name}` as const;
  const spec: ModuleSpec = {
    id, summary: 'probe of the kit', stability: 'development', since: '0.1.0', config: { type: 'object' },
  };
  const instance = { id, classId: id, path: `probe ${name}`, package: '@treadle/testing', version: '0.0.0' };
  return { instance, spec, target, config: {}, adapters: [], implicit: false, provides: [], needs: [], fingerprint: name, frame: name };
}
