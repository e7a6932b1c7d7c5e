import { OperationError } from '@treadle/api';

/** Codes that this package's checks fail with; they reach the handler as `error.code`. */
export type JsonErrorCode =
  /** A value that is not JSON, too deep or too large. */
  | 'InvalidValue'
  /** An update that is malformed or does not fit the stored value. */
  | 'InvalidUpdate';

/** Makes the rejection. */
export function jsonError(code: JsonErrorCode, message: string, cause?: unknown): OperationError {
  return new OperationError(code, message, cause);
}
