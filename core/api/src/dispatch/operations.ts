import type { StepRecord } from '../step-record.js';
import { token } from '../token.js';
import type { Unsubscribe } from '../unsubscribe.js';
import type { Call } from './sessions.js';

/** Rejection of an operation, carried to the handler. `code` is stable, e.g. `StaleDelivery`. */
export class OperationError extends Error {
  readonly code: string;
  /** `cause`: what it comes from, for whoever looks inside; it does not travel. */
  constructor(code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'OperationError';
    this.code = code;
  }
}

export interface OperationContext {
  readonly step: StepRecord;
  readonly call: Call;
}

/** Serves `ctx.<area>.<verb>` for every language. */
export type Operation = (args: unknown, context: OperationContext) => Promise<unknown>;

/** What handlers can call: for modules that serve an area of `ctx`. */
export interface Operations {
  /** Serves an operation that the module declares, from now on. */
  bind(name: string, operation: Operation): Unsubscribe;
}
export const Operations = token<Operations>('engine.Operations');
