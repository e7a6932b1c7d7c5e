import type { Origin } from '../blocks/queue-port.js';
import type { StepRecord } from '../step-record.js';
import { token } from '../token.js';
import type { Unsubscribe } from '../unsubscribe.js';
import type { Call } from './sessions.js';

/**
 * Rejection of an operation, carried to the handler in its language, which finds `code` and `message` there. `code` is stable, e.g.
 * `StaleDelivery`; one of a plugin is of its own choice, e.g. `BrokerUnreachable`. Anything else that an operation throws arrives as `OPERATION_FAILED`.
 */
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
  /** Whose handler calls. */
  readonly step: StepRecord;
  readonly call: Call;
  /** For what the operation causes, e.g. messages: same trace, below the operation's span. Absent for `bare` ones. */
  readonly origin?: Origin;
}

/** Serves `ctx.call(name, args)` for every language: `args` is the object that the handler gave, checked, as JSON. */
export type Operation = (args: unknown, context: OperationContext) => Promise<unknown>;

/** What handlers can call: for modules that serve an area of `ctx`. */
export interface Operations {
  /** Serves an operation that the module declares, from now on. */
  bind(name: string, operation: Operation): Unsubscribe;
}
export const Operations = token<Operations>('engine.Operations');
