import { OperationError } from '@treadle/api';

/** SQLSTATE codes that say that there is no room. @source PostgreSQL, appendix A */
const FULL: ReadonlySet<string> = new Set(['53100']);
/** The server could not do it now and wrote nothing; the same call may succeed next. */
const REPEATABLE: ReadonlySet<string> = new Set(['40001', '40P01', '55P03']);
/** The connection is of no use any more, or there never was one; 25P03: its transaction stood still for too long. */
const AWAY = /^(?:08|57P0|53300|25P03)/;
const NET: ReadonlySet<string> = new Set([
  'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT', 'EADDRNOTAVAIL',
]);
const LOST_TEXT = /connection terminated|timeout exceeded|client has encountered|not queryable|connection ended|read timeout|Cannot use a pool/i;

interface ServerError { readonly code?: string; readonly message?: string; readonly errors?: readonly unknown[] }

/** SQLSTATE, or the system's name of the error. */
export function codeOf(error: unknown): string {
  const { code, errors } = (error ?? {}) as ServerError;
  return code ?? (errors?.[0] === undefined ? '' : codeOf(errors[0]));
}

export function textOf(error: unknown): string {
  const { message, errors } = (error ?? {}) as ServerError;
  return message || (errors?.[0] === undefined ? String(error) : textOf(errors[0]));
}

/** The server cannot be reached; it may come back. */
export function isAway(error: unknown): boolean {
  const code = codeOf(error);
  return AWAY.test(code) || NET.has(code) || LOST_TEXT.test(textOf(error));
}

/** Nothing was written, and the reason is another transaction. */
export function isRepeatable(error: unknown): boolean {
  return REPEATABLE.has(codeOf(error));
}

/** The error that callers of an adapter see. */
export function operationError(error: unknown, database: string): OperationError {
  if (error instanceof OperationError) return error;
  if (FULL.has(codeOf(error))) return new OperationError('StorageFull', `nothing was stored: ${database}: ${textOf(error)}`, error);
  if (isAway(error)) return new OperationError('StorageUnavailable', `${database} cannot be reached: ${textOf(error)}`, error);
  return new OperationError('StorageFailed', `${database}: ${textOf(error)}`, error);
}
