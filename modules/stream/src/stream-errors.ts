import { OperationError, type ValidationIssue } from '@treadle/api';

/** Codes that a stream operation may fail with; they reach the handler as `error.code`. */
export type StreamErrorCode =
  /** A group, id, event, limit or cursor that cannot be. */
  | 'StreamInvalidArgument'
  /** No `*.stream` file declares the stream. */
  | 'StreamNotDeclared'
  /** The item does not fit the stream's schema. */
  | 'InvalidItem'
  /** The store failed, and whether a write took place is not known; or Steps are being loaded, and nothing was written. */
  | 'StreamUnavailable';

/** Makes the rejection of a stream operation. */
export function streamError(code: StreamErrorCode, message: string): OperationError {
  return new OperationError(code, message);
}

/** Makes the rejection of an item; `issues` are those of the schema. */
export function invalidItem(stream: string, issues: readonly ValidationIssue[]): OperationError {
  const text = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
  return Object.assign(streamError('InvalidItem', `the item does not fit the schema of stream "${stream}": ${text || 'it does not fit'}`), { issues });
}
