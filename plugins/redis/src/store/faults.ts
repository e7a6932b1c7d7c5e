import { OperationError } from '@treadle/api';

/** Errors of the server that say that nothing was written for want of memory or disk. */
const FULL = /^(?:OOM|MISCONF)\b/;
/** The server is there, but not for this. */
const REFUSING = /^(?:LOADING|BUSY|READONLY|MASTERDOWN|NOREPLICAS|CLUSTERDOWN|TRYAGAIN|MOVED|ASK|NOAUTH|WRONGPASS|NOPERM)\b/;
const NET: ReadonlySet<string> = new Set([
  'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT', 'EADDRNOTAVAIL',
]);
/** As the client words it. */
const CLOSED_TEXT = /^Connection is closed|^Stream isn't writeable|^Command aborted/;
const LOST_TEXT = /the connection has ended|timed? ?out|not connected/i;

interface Fault { readonly code?: string; readonly message?: string; readonly errors?: readonly unknown[] }

export function textOf(error: unknown): string {
  const { message, errors } = (error ?? {}) as Fault;
  if (!message) return errors?.[0] === undefined ? String(error) : textOf(errors[0]);
  return CLOSED_TEXT.test(message) ? 'the connection has ended' : message;
}

/** The server cannot be reached, or does not serve now; it may come back. */
export function isAway(error: unknown): boolean {
  const { code = '', errors } = (error ?? {}) as Fault;
  const text = textOf(error);
  return NET.has(code) || REFUSING.test(text) || LOST_TEXT.test(text) || (errors?.some(isAway) ?? false);
}

/** The server does not have the script: nothing was done. */
export function isUnknownScript(error: unknown): boolean {
  return textOf(error).startsWith('NOSCRIPT');
}

/** The error that callers of an adapter see. */
export function operationError(error: unknown, database: string): OperationError {
  if (error instanceof OperationError) return error;
  if (FULL.test(textOf(error))) return new OperationError('StorageFull', `nothing was stored: ${database}: ${textOf(error)}`, error);
  if (isAway(error)) return new OperationError('StorageUnavailable', `${database} cannot be reached: ${textOf(error)}`, error);
  return new OperationError('StorageFailed', `${database}: ${textOf(error)}`, error);
}
