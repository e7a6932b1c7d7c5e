import type { Clock, Health, LogLevel, LogSink, StepHub, Token, TreadleError } from '@treadle/api';
import type { EnginePlan } from './planned.js';

/** What an engine is made of. */
export interface EngineOptions {
  readonly plan: EnginePlan;
  readonly log: LogSink;
  /** Default: info. */
  readonly logLevel?: LogLevel;
  readonly clock?: Clock;
  readonly engineVersion: string;
  /** Told of each port and socket as it opens. */
  readonly announce?: (name: string, address: string) => void;
  /** A module asked to end the process; the engine is already stopping without waiting. Exit with the error's code. */
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
  readonly unchanged: readonly string[];
  readonly errors: readonly TreadleError[];
  /** The new configuration did not start; the former one is back, as far as `errors` does not say otherwise. */
  readonly rolledBack: boolean;
}

/** One line of the boot tree. */
export interface BootStep {
  readonly instance: string;
  readonly class: string;
  /** `modules[2].config.adapter`. */
  readonly path: string;
  readonly phase: 'construct' | 'init' | 'start' | 'ready';
  readonly ms: number;
}

/** A running composition of modules. */
export class Engine {
  constructor(_options: EngineOptions) {}
  declare readonly hub: StepHub;
  declare readonly health: Health;
  declare readonly addresses: ReadonlyMap<string, string>;
  declare readonly bootTree: readonly BootStep[];
  start(): Promise<void> { return Promise.reject(new Error('being written')); }
  stop(_options?: { signal?: AbortSignal }): Promise<StopReport> { return Promise.reject(new Error('being written')); }
  reload(_next: EnginePlan): Promise<ReloadReport> { return Promise.reject(new Error('being written')); }
  port<T>(_token: Token<T>): T | undefined { return undefined; }
}
