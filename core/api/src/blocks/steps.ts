import type { SourceLocation } from '../source-location.js';
import type { StepId, StepRecord } from '../step-record.js';
import type { Unsubscribe } from '../unsubscribe.js';
import { token } from '../token.js';
import type { WorkerCrash, WorkerStatus } from './runtime.js';

/** Something wrong with a Step. Errors stop `build` and `check`, never a running engine. */
export interface Diagnostic extends SourceLocation {
  readonly severity: 'error' | 'warning';
  /** Stable name, e.g. `STEP_DUPLICATE_NAME`. */
  readonly code: string;
  readonly message: string;
  /** What to do about it. */
  readonly remedy: string;
  /** Name of the Step, when it is known. */
  readonly step?: StepId;
}

/** A connected Step process. */
export interface SessionInfo {
  readonly id: string;
  readonly runtime: string;
  readonly version: string;
  readonly pid?: number | undefined;
  /** Whether the engine started it, it connected by itself, or it is this process. */
  readonly origin: 'child' | 'remote' | 'in-process';
  /** Name that a remote process gave. */
  readonly application?: string | undefined;
  /** Content hash of the build that a remote process serves. */
  readonly build?: string | undefined;
  /** Steps that it serves. */
  readonly steps: readonly StepId[];
  /** Calls that it has in hand. */
  readonly running: number;
}

/** A worker of a runtime, and which runtime. */
export interface RuntimeWorker extends WorkerStatus {
  readonly runtime: string;
}

/** All that one application brings, over all its languages and processes. */
export interface ApplicationCatalog {
  readonly application: string;
  /** Named by its newest catalog, or by another one that still has a session. */
  readonly steps: readonly StepRecord[];
  /**
   * What is not among `steps` is gone for good: the newest catalog is complete (its build or discovery had no error, and all
   * of it is known), and no session with another catalog of the application is attached.
   */
  readonly complete: boolean;
}

/** What console and CLI see of Steps and their processes. */
export interface StepsPort {
  /** Steps that are served or wait for a worker; declarations of streams are none. */
  steps(): readonly StepRecord[];
  /** Applications that are known: that of this engine and those of connected Step processes. */
  applications(): readonly ApplicationCatalog[];
  /** All that is wrong at the moment, sorted by place. */
  diagnostics(): readonly Diagnostic[];
  sessions(): readonly SessionInfo[];
  workers(): readonly RuntimeWorker[];
  /** The last crashes, newest first; at most 20. */
  crashes(): readonly WorkerCrash[];
  /** Runs after the catalog or its diagnostics were renewed. */
  onChange(listener: () => void): Unsubscribe;
}
export const StepsPort = token<StepsPort>('engine.StepsPort');
