import type { AdminRoutes } from './admin.js';
import type { Clock } from './clock.js';
import type { TreadleError } from './errors.js';
import type { InstanceId, RuntimeStatus } from './instance.js';
import type { Logger } from './logger.js';
import type { Binding } from './token.js';
import type { Turn } from './turn.js';

/** What an instance is given in init, start and ready. */
export interface ModuleContext {
  readonly instance: InstanceId;
  readonly log: Logger;
  readonly clock: Clock;
  /** The engine's turns of the event loop. Who takes part shares frames, transactions and claims with the rest of the engine; nobody has to. */
  readonly turn: Turn;
  /** Aborted when the current phase runs out of time or the engine gives up. */
  readonly signal: AbortSignal;
  /** Says how the instance is; call on change only. Feeds `GET /health`. `starting` keeps health at 503. */
  report(status: RuntimeStatus, detail?: { readonly message: string; readonly cause?: unknown }): void;
  /** Stops the engine with the error's exit code within 1 s; for when going on would break a promise. */
  fatal(error: TreadleError): void;
  /**
   * One instance per engine, package and key, reference-counted; closed when its last user has stopped. How one
   * database file serves the adapters of four modules.
   */
  shared<T>(key: string, open: () => Promise<T>, close: (value: T) => Promise<void>): Promise<T>;
  readonly admin: AdminRoutes;
  /**
   * What the adapter in a slot of this module can do with the config that it has; undefined for an empty slot.
   * @param slot key in `ModuleSpec.slots`; of several adapters the first
   */
  capabilities<Caps>(slot: string): Caps | undefined;
  /** What the module that a reload stopped in this place has handed over, see `Lifecycle.handOver`; undefined otherwise, and for adapters. */
  readonly former?: unknown;
}

/** What an instance is given to go over to another config while it runs. */
export interface ReconfigureContext extends ModuleContext {
  /** How long what began under the former config may take to end; milliseconds. */
  readonly drainTimeoutMs: number;
  /** How long an address that is given up goes on accepting; milliseconds. */
  readonly drainDelayMs: number;
}

/** How long the invoker waits for the answer of a delivery that is given up at the end of a drain; milliseconds. */
export const LAST_WORD_MS = 150;

/** After its signal is aborted a drain has this long: for last words, and for a write that says what became of them. Milliseconds. */
export const DRAIN_GRACE_MS = LAST_WORD_MS + 350;

/** What an instance is given to finish its work. */
export interface DrainContext {
  readonly log: Logger;
  /** Milliseconds since the epoch at which waiting ends. */
  readonly deadline: number;
  /** Aborted at the deadline or on a second signal; the drain has `DRAIN_GRACE_MS` from then on. */
  readonly signal: AbortSignal;
}

/** What an instance is given to let go of everything. */
export interface StopContext {
  readonly log: Logger;
  /** Aborted when the time to stop is over, or on a second signal. */
  readonly signal: AbortSignal;
}

/**
 * Life of a module or adapter: construct, init, start, ready, drain, stop; adapters before their module, stop in
 * exact reverse. A constructor only stores.
 */
export interface Lifecycle {
  /** Called once, right after construction. */
  ports?(): Binding[];
  /** Acquires: opens files, connects. No outside traffic yet. */
  init?(context: ModuleContext): Promise<void>;
  /** Lets traffic in: listens, consumes, schedules. */
  start?(context: ModuleContext): Promise<void>;
  /** Every module has started. */
  ready?(context: ModuleContext): void;
  /**
   * Goes over to another valid config while everything runs; called after `ready`, only when no setting but those with
   * `x-live` differs. What is under way ends under the former one. Rejects with the former config in force.
   */
  reconfigure?(config: unknown, context: ReconfigureContext): Promise<void>;
  /** Refuses new work and finishes what is running, until `context.deadline`. All modules drain at the same time. */
  drain?(context: DrainContext): Promise<void>;
  /** Releases everything. Safe before `init`, after a failed `init`, and twice. */
  stop?(context: StopContext): Promise<void>;
  /**
   * Asked of a module after its `stop`: what the one that takes its place in the same reload is given as `ModuleContext.former`. Undefined: what
   * it was given itself goes on, should it never have begun.
   */
  handOver?(): unknown;
}
