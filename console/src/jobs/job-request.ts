import { invalidArgument } from '@treadle/api';
import type { JobRequest } from '../contract/index.js';
import { ACTIONS } from './actions.js';

/** Objects a second that may be asked for. */
const FASTEST = 10_000;
const SLOWEST = 0.01;

/** The body of `POST /jobs`. @throws AdminError 400 */
export function jobRequest(body: unknown): JobRequest {
  const { selection, count, action, perSecond, canary, data } = (body ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof selection !== 'string') throw invalidArgument('"selection" must be the id that POST /selections gave');
  if (!Number.isInteger(count)) throw invalidArgument('"count" must be the number of objects in the selection');
  if (typeof action !== 'string' || !Object.hasOwn(ACTIONS, action)) throw invalidArgument(`"action" must be one of ${Object.keys(ACTIONS).join(', ')}`);
  if (perSecond !== undefined && !(typeof perSecond === 'number' && perSecond >= SLOWEST && perSecond <= FASTEST)) throw invalidArgument(`"perSecond" must be a number from ${SLOWEST} to ${FASTEST}`);
  if (canary !== undefined && typeof canary !== 'boolean') throw invalidArgument('"canary" must be true or false');
  if (data !== undefined && action !== 'redrive') throw invalidArgument('"data" is for redrive');
  return body as JobRequest;
}
