import { AdminError, OperationError, TreadleError } from '@treadle/api';
import { Refusal } from '../server/refusal.js';

/** Operations that failed for want of something, rather than because of what was asked. */
const UNAVAILABLE = /(?:Full|Unavailable|Closed|Failed)$/;

/** What a client gets for a fault that tells it nothing. */
export const INTERNAL = new Refusal(500, 'internal_error', "the route failed; the engine's log says more");

/** What a client gets for an error of a route; undefined: a fault that tells it nothing. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (error instanceof AdminError) return new Refusal(error.status, error.code, error.message, error.at);
  if (error instanceof OperationError) return new Refusal(UNAVAILABLE.test(error.code) ? 503 : 422, snakeCase(error.code), error.message);
  if (error instanceof TreadleError) return new Refusal(500, error.code.toLowerCase(), error.message);
  return undefined;
}

/** `QueueFull` → `queue_full`, as codes are written over HTTP. */
function snakeCase(code: string): string {
  return code.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}
