import { type AdminRequest, type AdminRoutes, bodyWithRevision, type Clock, invalidArgument, type StateItem, wallTime } from '@treadle/api';
import { refusing } from './state-routes.js';
import type { StateService } from './state-service.js';

const EXPIRY = '/groups/:group/keys/:key/expiry';

/** When a value expires. */
interface Expiry {
  /** False: the store cannot tell. */
  readonly known: boolean;
  /** ISO 8601; absent: it stays. */
  readonly expiresAt?: string;
}

/** Routes about the time to live of a value. */
export function addExpiryRoutes(routes: AdminRoutes, state: Pick<StateService, 'expiresIn' | 'expire'>, clock: Clock): void {
  routes.get(EXPIRY, (request) => refusing(() => expiryOf(state, request, clock)), [], 'When a value expires');
  routes.put(EXPIRY, (request) => refusing(() => expire(state, request)), ['ttlMs', 'revision'], 'Gives the value of a revision another time to live');
}

async function expiryOf(state: Pick<StateService, 'expiresIn'>, { params: { group = '', key = '' } }: AdminRequest, clock: Clock): Promise<Expiry> {
  const left = await state.expiresIn(group, key);
  return { known: left !== null, ...typeof left === 'number' && { expiresAt: new Date(wallTime(clock) + left).toISOString() } };
}

async function expire(state: Pick<StateService, 'expire'>, request: AdminRequest): Promise<StateItem> {
  const { group = '', key = '' } = request.params;
  const { ttlMs, revision } = (bodyWithRevision(request) ?? {}) as { readonly ttlMs?: number | null; readonly revision?: number };
  if (ttlMs === undefined || revision === undefined) throw invalidArgument('the body must have "ttlMs", milliseconds or null, and the "revision" that is meant');
  return { key, ...await state.expire(group, key, { ttlMs, revision }) };
}
