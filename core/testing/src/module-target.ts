import type { Ctor, Lifecycle, Plugin } from '@treadle/api';
import type { Engine } from '@treadle/kernel';
import type { Skip } from './runner.js';

/** A module class under test and how to make it run. */
export interface ModuleTarget {
  readonly module: Ctor<Lifecycle>;
  /** Bring the module and all that its configuration names. */
  readonly plugins: readonly Plugin[];
  /**
   * Fresh, isolated surroundings: own folder, ports, topics. Default: the module alone, without settings. Ports should be 0.
   */
  readonly env?: () => Promise<ModuleEnvironment> | ModuleEnvironment;
  /** Gives the module something to do, so that draining is tested with work in progress. */
  readonly work?: (engine: Engine) => Promise<RunningWork>;
  /** Values in the environment's YAML that must never be shown. */
  readonly secrets?: readonly string[];
  /** `slowFactor` multiplies every limit, for machines that are busy. */
  readonly tune?: { readonly slowFactor?: number };
  readonly skip?: readonly Skip[];
}

/** One fresh set of surroundings. */
export interface ModuleEnvironment {
  /** A whole configuration file that loads the module. */
  readonly yaml: string;
  /** Variables of the engine, and of the processes that the module starts. Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Folder that the configuration is written to; default: a fresh one. */
  readonly folder?: string;
  readonly cleanup?: () => Promise<void>;
}

/** Work that the module is doing. */
export interface RunningWork {
  /** Lets it end. */
  finish(): Promise<void> | void;
  /** Resolves when the module has finished it, rejects when it was broken off. */
  readonly done: Promise<unknown>;
}
