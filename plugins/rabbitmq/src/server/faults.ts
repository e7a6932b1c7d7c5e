import { OperationError } from '@treadle/api';

/** AMQP's reply code for what is not there. */
const NOT_FOUND = 404;
/** Those that a user with other rights, or another configuration of the server, cures. */
const ACCESS_REFUSED = 403;
const NOT_ALLOWED = 530;
const PRECONDITION_FAILED = 406;

interface Fault { readonly code?: unknown; readonly message?: string; readonly errors?: readonly unknown[] }

export function textOf(error: unknown): string {
  const { message, errors } = (error ?? {}) as Fault;
  return message || (errors?.[0] === undefined ? String(error) : textOf(errors[0]));
}

/** The server refuses what was asked for; a repetition does not help. */
export function isRefusal(error: unknown): boolean {
  const { code } = (error ?? {}) as Fault;
  if (code === ACCESS_REFUSED || code === NOT_ALLOWED || code === PRECONDITION_FAILED) return true;
  return /ACCESS[-_]REFUSED|NOT[-_]ALLOWED|PRECONDITION[-_]FAILED/.test(textOf(error));
}

/** The server has no such queue. */
export function isNotFound(error: unknown): boolean {
  return ((error ?? {}) as Fault).code === NOT_FOUND;
}

/** The error that callers of the adapter see. */
export function operationError(error: unknown, server: string): OperationError {
  if (error instanceof OperationError) return error;
  if (isRefusal(error)) return new OperationError('StorageFailed', `${server}: ${textOf(error)}`, error);
  return new OperationError('StorageUnavailable', `${server} cannot be reached: ${textOf(error)}`, error);
}
