import type { Clock, LogLevel, LogSink, TreadleError } from '@treadle/api';
import type { EnginePlan } from './planned.js';

/** What an engine is made of. */
export interface EngineOptions {
  readonly plan: EnginePlan;
  readonly log: LogSink;
  /** Of engine, modules and handlers alike; default: info. */
  readonly logLevel?: LogLevel;
  readonly clock?: Clock;
  readonly engineVersion: string;
  /** Told of each port and socket as it opens. */
  readonly announce?: (name: string, address: string) => void;
  /**
   * A module asked to end the process: the engine is already stopping without waiting for anything. Exit with the
   * error's code when `stop()` resolves, or after a second.
   */
  readonly onFatal?: (error: TreadleError) => void;
}

/** How a stop went. */
export interface StopReport {
  /** Everything that went wrong in drain and stop; empty after a clean stop. */
  readonly errors: readonly TreadleError[];
  /** All running work was finished before the deadline. */
  readonly drained: boolean;
  readonly ms: number;
}

/** What a reload did; instance ids. */
export interface ReloadReport {
  readonly started: readonly string[];
  readonly stopped: readonly string[];
  readonly restarted: readonly string[];
  /** Settings that running instances have taken, by instance. */
  readonly reconfigured: Readonly<Record<string, readonly string[]>>;
  readonly unchanged: readonly string[];
  /** Why something was restarted, by instance: settings that it takes only then, ports whose provider was restarted. */
  readonly reasons: Readonly<Record<string, readonly string[]>>;
  /** With ENGINE_STOPPED the reload was given up half way, because the engine is being stopped. */
  readonly errors: readonly TreadleError[];
  /** The new configuration did not start; the former one is back, but for what is `lost`. */
  readonly rolledBack: boolean;
  /** Planned instances that do not run, and why: they could not be built again. The next reload starts them. */
  readonly lost: Readonly<Record<string, string>>;
}

/** One line of the boot tree. */
export interface BootStep {
  readonly instance: string;
  readonly class: string;
  /** e.g. `modules[2].config.adapter`. */
  readonly path: string;
  readonly phase: 'construct' | 'init' | 'start' | 'ready' | 'reconfigure';
  readonly ms: number;
}
