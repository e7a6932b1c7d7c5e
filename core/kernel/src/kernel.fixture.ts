import 'reflect-metadata';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  Adapter, Module, definePlugin, formatError, slot,
  type AdapterSpec, type Binding, type ClassId, type ConfigSchema, type Ctor, type Injection, type Lifecycle,
  type ModuleContext, type ModuleSpec, type Plugin, type ReconfigureContext, type Token, type TreadleError,
} from '@treadle/api';
import { planEngine } from './plan.js';
import type { EnginePlan, PlanOptions, PlanResult } from './planned.js';

export const ENGINE_VERSION = '0.0.0-test';

/** A fresh folder with files in it; removed by `remove`. */
export interface TestFolder {
  readonly path: string;
  write(file: string, text: string): string;
  remove(): void;
}

export function testFolder(files: Readonly<Record<string, string>> = {}): TestFolder {
  const path = mkdtempSync(join(tmpdir(), 'treadle-kernel-'));
  const write = (file: string, text: string): string => {
    const target = join(path, file);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
    return target;
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  return { path, write, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export const ANY_OBJECT: ConfigSchema = { type: 'object', additionalProperties: false, properties: {} };

/** What a class made here writes down: `init a::b::C`. */
export type Journal = string[];

/** Behaviour of a class made here; each phase may be replaced. */
export interface Behaviour {
  readonly injects?: readonly Injection[];
  readonly ports?: (args: readonly unknown[]) => Binding[];
  readonly construct?: (args: readonly unknown[]) => void;
  readonly init?: (context: ModuleContext) => Promise<void>;
  readonly start?: (context: ModuleContext) => Promise<void>;
  readonly ready?: (context: ModuleContext) => void;
  /** The class takes settings while it runs only with one. */
  readonly reconfigure?: (config: unknown, context: ReconfigureContext) => Promise<void>;
  readonly drain?: Lifecycle['drain'];
  readonly stop?: Lifecycle['stop'];
}

/** A class whose phases are written into the journal. */
function lifecycleClass(id: string, journal: Journal, behaviour: Behaviour): Ctor<Lifecycle> {
  const name = id.split('::').at(-1) ?? id;
  const made = { [name]: class {
    readonly args: readonly unknown[];
    constructor(...args: unknown[]) {
      this.args = args;
      journal.push(`construct ${id}`);
      behaviour.construct?.(args);
    }
    ports(): Binding[] {
      return behaviour.ports?.(this.args) ?? [];
    }
    async init(context: ModuleContext): Promise<void> {
      journal.push(`init ${id}`);
      await behaviour.init?.(context);
    }
    async start(context: ModuleContext): Promise<void> {
      journal.push(`start ${id}`);
      await behaviour.start?.(context);
    }
    ready(context: ModuleContext): void {
      journal.push(`ready ${id}`);
      behaviour.ready?.(context);
    }
    async drain(...args: Parameters<NonNullable<Lifecycle['drain']>>): Promise<void> {
      journal.push(`drain ${id}`);
      await behaviour.drain?.(...args);
    }
    async stop(...args: Parameters<NonNullable<Lifecycle['stop']>>): Promise<void> {
      journal.push(`stop ${id}`);
      await behaviour.stop?.(...args);
    }
  } }[name] as Ctor<Lifecycle>;
  const { reconfigure } = behaviour;
  if (reconfigure) {
    (made.prototype as Lifecycle).reconfigure = async (config, context) => {
      journal.push(`reconfigure ${id} ${JSON.stringify(config)}`);
      await reconfigure(config, context);
    };
  }
  for (const [index, injection] of (behaviour.injects ?? []).entries()) decorateParameter(made, index, injection);
  return made;
}

function decorateParameter(target: Ctor<Lifecycle>, index: number, injection: Injection): void {
  const key = Symbol.for('treadle.injections');
  const list = (Reflect.getOwnMetadata(key, target) as Injection[] | undefined) ?? [];
  list[index] = injection;
  Reflect.defineMetadata(key, list, target);
}

export const injectToken = (token: Token<unknown>, optional = false): Injection => ({ kind: 'token', token, optional });
export const injectConfig: Injection = { kind: 'config' };
export const injectAdapter = (path: string): Injection => ({ kind: 'adapter', path });
export const injectAdapters = (path: string): Injection => ({ kind: 'adapters', path });

export type ModuleParts = Omit<Partial<ModuleSpec>, 'id'> & Behaviour & { readonly journal?: Journal };

/** A module class from a spec and a behaviour. */
export function moduleClass(id: string, parts: ModuleParts = {}): Ctor<Lifecycle> {
  const target = lifecycleClass(id, parts.journal ?? [], parts);
  const { journal: _journal, injects: _i, ports: _p, construct: _c, init: _n, start: _s, ready: _r, reconfigure: _f, drain: _d, stop: _t, ...spec } = parts;
  Module({
    summary: 'made for a test', stability: 'beta', since: '0.1.0', config: ANY_OBJECT, ...spec, id: id as ClassId,
  })(target);
  return target;
}

export type AdapterParts = Omit<Partial<AdapterSpec>, 'id' | 'slot'> & Behaviour & { readonly journal?: Journal; readonly slot?: string };

/** An adapter class; its slot is the block of its id unless it is named. */
export function adapterClass(id: string, parts: AdapterParts = {}): Ctor<Lifecycle> {
  const target = lifecycleClass(id, parts.journal ?? [], parts);
  const { journal: _journal, injects: _i, ports: _p, construct: _c, init: _n, start: _s, ready: _r, reconfigure: _f, drain: _d, stop: _t, ...spec } = parts;
  Adapter({
    summary: 'made for a test', stability: 'beta', since: '0.1.0', config: ANY_OBJECT, capabilities: {}, variants: {}, ...spec,
    id: id as ClassId, slot: slot(parts.slot ?? id.split('::')[1] ?? ''),
  })(target);
  return target;
}

export function builtin(modules: readonly Ctor<Lifecycle>[], adapters: readonly Ctor<Lifecycle>[] = [], name = '@treadle/test'): Plugin {
  return definePlugin({ name, version: '1.0.0', api: '*', modules, adapters });
}

/** Plans a configuration written as text, in a folder of its own. */
export async function planText(
  yaml: string, plugins: readonly Plugin[], options: Partial<PlanOptions> & { readonly folder?: TestFolder } = {},
): Promise<PlanResult> {
  const { folder: given, ...rest } = options;
  const folder = given ?? testFolder();
  folder.write('config.yaml', yaml);
  try {
    return await planEngine({
      configFile: 'config.yaml', cwd: folder.path, env: {}, builtins: plugins, engineVersion: ENGINE_VERSION, ...rest,
    });
  } finally {
    if (!given) folder.remove();
  }
}

/** The plan of a configuration that must be in order. */
export async function goodPlan(
  yaml: string, plugins: readonly Plugin[], options: Partial<PlanOptions> & { readonly folder?: TestFolder } = {},
): Promise<EnginePlan> {
  const { plan, errors } = await planText(yaml, plugins, options);
  if (!plan) throw new Error(printed(errors).join('\n'));
  return plan;
}

/** Errors as the user sees them. */
export function printed(errors: readonly TreadleError[]): string[] {
  return errors.map(formatError);
}
