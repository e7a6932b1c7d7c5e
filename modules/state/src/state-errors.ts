import { OperationError } from '@treadle/api';

/** Codes that a state operation may fail with; they reach the handler as `error.code`. */
export type StateErrorCode =
  /** A group, key, prefix, limit, cursor or time to live that cannot be. */
  | 'StateInvalidArgument'
  /** `compareAndSet` came too late. */
  | 'StateConflict'
  /** The store failed; whether a write took place is not known. */
  | 'StateUnavailable';

/** Makes the rejection of a state operation. */
export function stateError(code: StateErrorCode, message: string): OperationError {
  return new OperationError(code, message);
}
