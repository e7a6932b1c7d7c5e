import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** The header of every answer by which its request is found in the audit and in the log. */
export const REQUEST_ID = 'x-request-id';

/** A UUID. */
export const newRequestId = (): string => randomUUID();

/** The id that a request was given before anybody answered it. */
export function requestIdOf(response: ServerResponse): string {
  return String(response.getHeader(REQUEST_ID));
}
