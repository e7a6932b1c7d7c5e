import 'reflect-metadata';
import type { ClassId } from './class-id.js';
import type { ConfigSchema } from './config-schema.js';
import type { Environment } from './environment.js';
import type { Lifecycle } from './lifecycle.js';
import type { Requirement, Slot } from './slot.js';
import type { OperationSpec, TriggerKindSpec } from './trigger-kind.js';
import type { Token } from './token.js';

/** How much a class may still change. @source OpenTelemetry Collector, component stability */
export type Stability = 'development' | 'alpha' | 'beta' | 'stable' | 'deprecated' | 'unmaintained';

/** A class that the kernel can build: constructor parameters carry `@Inject…` decorators. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- parameter types are checked where the class is declared
export type Ctor<T> = new (...args: any[]) => T;

/** A place in a config where adapters stand. */
export interface SlotUse {
  readonly slot: Slot<unknown, unknown>;
  /** The config value is a list of adapter entries. */
  readonly many?: boolean;
  /** The module works without an adapter here. */
  readonly optional?: boolean;
  /** Class built when YAML writes nothing at this path. Of several, for `many`, those that are installed; the first always is. */
  readonly default?: ClassId | readonly ClassId[];
  /** For `many`: what an adapter with these capabilities has for itself. Two that name the same are a `CONFIG_CONFLICT`. Pure. */
  readonly exclusive?: (capabilities: unknown) => readonly string[];
}

/** Names and descriptions of the telemetry that a class emits; the docs list them. */
export interface Emits {
  readonly spans?: readonly TelemetryDoc[];
  readonly metrics?: readonly TelemetryDoc[];
  readonly logs?: readonly TelemetryDoc[];
}
/** A span or metric, for the reference. */
export interface TelemetryDoc {
  readonly name: string;
  readonly description: string;
  /** UCUM, e.g. `s`, `{message}`; absent for a span. */
  readonly unit?: string;
}

/** Two settings that contradict each other. */
export interface ConfigConflict {
  /** Dotted key within the config, e.g. `cors.credentials`. */
  readonly key: string;
  /** Further keys that the problem is about: nothing is said when one of them is not valid in itself. */
  readonly others?: readonly string[];
  readonly problem: string;
  readonly hint?: string;
}

/** Where a config that is being checked would run. */
export interface CheckedSurroundings {
  /** Absolute path of the application's root. */
  readonly root: string;
  /** Absolute; it need not be there yet. */
  readonly dataDir: string;
  readonly mode: 'development' | 'production';
  /** As `EngineInfo` has it. */
  readonly env: Environment;
}

/** Everything the engine knows about a module class without building it. */
export interface ModuleSpec<C = unknown> {
  readonly id: ClassId;
  /** Other class names that YAML may use. */
  readonly aliases?: readonly ClassId[];
  /** Former ids of our own; using one gives a warning that names the present one. */
  readonly renamedFrom?: readonly ClassId[];
  readonly summary: string;
  readonly stability: Stability;
  /** Version that introduced the class. */
  readonly since: string;
  readonly config: ConfigSchema<C>;
  /** Ports that `ports()` returns; checked at start. */
  readonly provides?: readonly Token<unknown>[];
  /** Key: top-level key of the config that holds the adapter entry. */
  readonly slots?: Readonly<Record<string, SlotUse>>;
  readonly triggerKinds?: readonly TriggerKindSpec[];
  readonly operations?: readonly OperationSpec[];
  /** Capability needs that depend on the config. */
  readonly requires?: (config: C) => readonly Requirement[];
  /**
   * Contradictions within a config, reported as `CONFIG_CONFLICT` before anything is built. Pure. Where some settings are not valid it is
   * asked about the others, so a required one may be missing; what it then throws, or says of a faulty one, is not told.
   */
  readonly conflicts?: (config: C) => readonly ConfigConflict[];
  /**
   * What a start would refuse although the config is valid, because of what is around it: folders, addresses. Reported as
   * `conflicts` are, by a check and before a reload touches anything. Changes nothing.
   */
  readonly check?: (config: C, around: CheckedSurroundings) => Promise<readonly ConfigConflict[]>;
  readonly emits?: Emits;
}

/** How an adapter wants something that it may have in common with other adapters. */
export interface SharedUse {
  /** What it is, the same text for all who share it, e.g. the absolute path of a file. Messages name it. */
  readonly resource: string;
  /** Key of the config in which all have to agree. */
  readonly key: string;
  readonly value: string;
  readonly hint: string;
}

/** Everything the engine knows about an adapter class without building it. */
export interface AdapterSpec<C = unknown, Caps = unknown> {
  readonly id: ClassId;
  readonly aliases?: readonly ClassId[];
  readonly renamedFrom?: readonly ClassId[];
  readonly slot: Slot<unknown, Caps>;
  readonly summary: string;
  readonly stability: Stability;
  readonly since: string;
  readonly config: ConfigSchema<C>;
  readonly capabilities: Caps | ((config: C) => Caps);
  /** What it shares; adapters of one engine that do not agree are a `CONFIG_CONFLICT` before anything is built. Pure. */
  readonly shares?: (config: C, dataDir: string) => readonly SharedUse[];
  /**
   * Names the store that it keeps its things in, as no other technology names one, e.g. `sqlite /data/treadle.db`: what adapters of one store keep can
   * be committed together. Pure. Default: a store of its own.
   */
  readonly store?: (config: C, dataDir: string) => string;
  /** Named configs that the docs list and the conformance kit runs. */
  readonly variants: Readonly<Record<string, C>>;
  /**
   * Adapters that it builds on. Key: top-level key of its config that holds the entry of one, which is built and initialised before it, stopped
   * after it, and injected by `@InjectAdapter(key)`.
   */
  readonly slots?: Readonly<Record<string, SlotUse>>;
  /** What it needs of them. */
  readonly requires?: (config: C) => readonly Requirement[];
  readonly emits?: Emits;
}

/** One constructor parameter as declared by a decorator. */
export type Injection =
  | { readonly kind: 'token'; readonly token: Token<unknown>; readonly optional: boolean }
  | { readonly kind: 'config' }
  | { readonly kind: 'adapter'; readonly path: string }
  | { readonly kind: 'adapters'; readonly path: string };

const MODULE = Symbol.for('treadle.module');
const ADAPTER = Symbol.for('treadle.adapter');
const INJECTIONS = Symbol.for('treadle.injections');

/** Declares a module class. */
export function Module<C>(spec: ModuleSpec<C>): (target: Ctor<Lifecycle>) => void {
  return (target) => Reflect.defineMetadata(MODULE, Object.freeze(spec), target);
}

/** Declares an adapter class. */
export function Adapter<C, Caps>(spec: AdapterSpec<C, Caps>): (target: Ctor<Lifecycle>) => void {
  return (target) => Reflect.defineMetadata(ADAPTER, Object.freeze(spec), target);
}

/** Injects the provider of a port, or undefined when `optional` and nobody provides it. */
export function Inject<T>(token: Token<T>, options?: { readonly optional?: boolean }): ParameterDecorator {
  return inject({ kind: 'token', token, optional: options?.optional ?? false });
}

/** Injects this entry's validated, frozen config. */
export function InjectConfig(): ParameterDecorator {
  return inject({ kind: 'config' });
}

/** Injects the adapter built for this entry's slot at `path` (a key of `ModuleSpec.slots`, or of `AdapterSpec.slots`). */
export function InjectAdapter(path: string): ParameterDecorator {
  return inject({ kind: 'adapter', path });
}

/** Injects all adapters of a slot with `many: true`, in YAML order. */
export function InjectAdapters(path: string): ParameterDecorator {
  return inject({ kind: 'adapters', path });
}

/** The spec that `@Module` put on a class; undefined for any other class. A subclass does not inherit it. */
export function moduleSpecOf(target: Ctor<unknown>): ModuleSpec | undefined {
  return Reflect.getOwnMetadata(MODULE, target) as ModuleSpec | undefined;
}

/** The spec that `@Adapter` put on a class; undefined for any other class. */
export function adapterSpecOf(target: Ctor<unknown>): AdapterSpec | undefined {
  return Reflect.getOwnMetadata(ADAPTER, target) as AdapterSpec | undefined;
}

/** Declared constructor parameters; a subclass without its own constructor has its parent's. */
export function injectionsOf(target: Ctor<unknown>): readonly (Injection | undefined)[] {
  return (Reflect.getMetadata(INJECTIONS, target) as (Injection | undefined)[] | undefined) ?? [];
}

function inject(injection: Injection): ParameterDecorator {
  return (target, _property, index) => {
    const own = Reflect.getOwnMetadata(INJECTIONS, target) as (Injection | undefined)[] | undefined;
    const list = own ?? [];
    list[index] = injection;
    Reflect.defineMetadata(INJECTIONS, list, target);
  };
}
