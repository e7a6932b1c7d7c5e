import { OperationError } from '@treadle/api';
import { JetStreamApiError } from '@nats-io/jetstream';

/** JetStream's codes that say that there is no room. @source nats-server, server/errors.json */
const FULL: ReadonlySet<number> = new Set([10002, 10023, 10028, 10047, 10077]);
/** JetStream is not ready, has no leader or does not answer itself; or a consumer has ended, and the next call makes another one. */
const NOT_NOW: ReadonlySet<number> = new Set([10008, 10009, 10014, 10118]);
/** Another write to the subject came first. */
const CONFLICT: ReadonlySet<number> = new Set([10071, 10164]);
const NO_SUCH_STREAM = 10059;
const NO_SUCH_MESSAGE: ReadonlySet<number> = new Set([10037, 10043]);
const AWAY = new Set([
  'ClosedConnectionError', 'DrainingConnectionError', 'ConnectionError', 'RequestError', 'TimeoutError', 'NoRespondersError', 'ProtocolError', 'JetStreamNotEnabled',
]);
const AWAY_TEXT = new RegExp([
  'ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|connection refused|timeout|no responders|disconnect|closed|not available',
  'heartbeats missed|consumer deleted|leadership change|server shutdown',
].join('|'), 'i');

/** JetStream's code of an error; 0 for others. */
export function codeOf(error: unknown): number {
  if (error instanceof JetStreamApiError) return error.code;
  const { cause } = (error ?? {}) as { readonly cause?: unknown };
  return cause === undefined ? 0 : codeOf(cause);
}

export function textOf(error: unknown): string {
  const { message, cause } = (error ?? {}) as { readonly message?: string; readonly cause?: unknown };
  return message || (cause === undefined ? String(error) : textOf(cause));
}

export const isConflict = (error: unknown): boolean => CONFLICT.has(codeOf(error));
export const isMissingStream = (error: unknown): boolean => codeOf(error) === NO_SUCH_STREAM;
export const isMissingMessage = (error: unknown): boolean => NO_SUCH_MESSAGE.has(codeOf(error));

/** The server cannot be reached, or JetStream does not answer now; both may come back. */
export function isAway(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== 0) return NOT_NOW.has(code);
  return AWAY.has((error as Error | undefined)?.name ?? '') || AWAY_TEXT.test(textOf(error));
}

/** Nothing was answered in time. */
export const isLate = (error: unknown): boolean => (error as Error | undefined)?.name === 'TimeoutError' || ((error as Error | undefined)?.cause !== undefined && isLate((error as Error).cause));

/** What was not even sent. */
export class NotSentError extends OperationError {
  constructor(message: string) {
    super('StorageUnavailable', message);
  }
}

/** It is known that nothing was stored; after other errors it may have been. */
export const isNotStored = (error: unknown): boolean => error instanceof NotSentError || (error instanceof OperationError && error.code === 'StorageFull');

/** The error that callers of an adapter see. */
export function operationError(error: unknown, server: string): OperationError {
  if (error instanceof OperationError) return error;
  if (FULL.has(codeOf(error))) return new OperationError('StorageFull', `nothing was stored: ${server}: ${textOf(error)}`, error);
  if (isAway(error)) return new OperationError('StorageUnavailable', `${server} cannot be reached: ${textOf(error)}`, error);
  return new OperationError('StorageFailed', `${server}: ${textOf(error)}`, error);
}
