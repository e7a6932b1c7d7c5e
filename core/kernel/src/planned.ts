import type { Environment, AdapterSpec, ClassId, Ctor, InstanceId, Lifecycle, ModuleSpec, Plugin, TreadleError } from '@treadle/api';
import type { EffectiveConfig, EngineSettings } from '@treadle/config';
import type { Registry } from './registry.js';

/** What `planEngine` works from. */
export interface PlanOptions {
  /** As the user named it, relative to `cwd`; absent: the default configuration. */
  readonly configFile?: string;
  readonly cwd: string;
  readonly env: Environment;
  /** The classes that the distribution brings. */
  readonly builtins: readonly Plugin[];
  readonly engineVersion: string;
  /** Beats the default of `engine.mode`, not what YAML writes. */
  readonly mode?: 'development' | 'production';
  /** Beat what YAML writes and what variables say. Default: none. */
  readonly given?: readonly GivenSetting[];
  /** Longest loading of one plugin; default 10000. */
  readonly pluginTimeoutMs?: number;
}

/** A setting of the command line. */
export interface GivenSetting {
  /** Id of a module's class; its first entry takes the setting. */
  readonly class: string;
  readonly key: string;
  readonly value: string | number | boolean;
  /** How it was given, for messages and the origin of the value, e.g. `--port`. */
  readonly by: string;
}

/** A plan, or everything that is wrong. */
export interface PlanResult {
  /** Absent when there is an error. */
  readonly plan?: EnginePlan;
  /** In the order of the file. */
  readonly errors: readonly TreadleError[];
  readonly warnings: readonly TreadleError[];
  /** Enabled modules, adapters, and values that came from set environment variables. */
  readonly counts: { readonly modules: number; readonly adapters: number; readonly env: number };
}

/** Everything that an engine will build, checked; nothing is built yet. */
export interface EnginePlan {
  /** Absolute path of the application's root. */
  readonly root: string;
  /** Absolute. */
  readonly configFile?: string;
  /** Absolute. */
  readonly dataDir: string;
  readonly mode: 'development' | 'production';
  /** The variables that it was made with. */
  readonly env: Environment;
  readonly settings: EngineSettings;
  /** The application's name: of the lock file, else the root folder's. */
  readonly application: string;
  /** In start order. */
  readonly entries: readonly PlannedEntry[];
  readonly registry: Registry;
  /** For `printEffective`. */
  readonly effective: EffectiveConfig;
}

/** A module that the engine will build. */
export interface PlannedEntry {
  readonly instance: InstanceId;
  readonly spec: ModuleSpec;
  readonly target: Ctor<Lifecycle>;
  /** Validated and frozen; without the slots' keys. */
  readonly config: Readonly<Record<string, unknown>>;
  /** In the order of the slots; those of one list in its order; what stands within another one before it. */
  readonly adapters: readonly PlannedAdapter[];
  /** Added because the file does not name it. */
  readonly implicit: boolean;
  /** The alias that YAML uses. */
  readonly servedAs?: ClassId;
  /** Ids of the ports that it provides. */
  readonly provides: readonly string[];
  /** Ids of the ports that it or its adapters are injected with; those of the engine itself left out. */
  readonly needs: readonly string[];
  /** Equal when nothing that the instance is built from has changed. */
  readonly fingerprint: string;
  /** Equal when at most settings have changed that the running instance can take. */
  readonly frame: string;
}

/** An adapter that the engine will build for a module. */
export interface PlannedAdapter {
  readonly instance: InstanceId;
  readonly spec: AdapterSpec;
  readonly target: Ctor<Lifecycle>;
  /** Key in the module's `slots`; of an adapter within another one that of the other first: `adapter.store`. */
  readonly slot: string;
  /** Path of the adapter that it stands in the slot of, e.g. `modules[0].config.adapter`; absent: it stands in one of the module's. */
  readonly within?: string;
  /** The slot takes a list. */
  readonly many: boolean;
  readonly config: Readonly<Record<string, unknown>>;
  /** What it can do with this config. */
  readonly capabilities: unknown;
  /** The alias that YAML uses. */
  readonly servedAs?: ClassId;
}
