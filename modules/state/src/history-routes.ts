import { AdminError, type AdminRequest, type AdminRoutes, bodyWithRevision, invalidArgument, type StateItem } from '@treadle/api';
import type { StateHistory } from './state-history.js';
import { refusing } from './state-routes.js';
import type { StateService } from './state-service.js';

const KEY = '/groups/:group/keys/:key';

type State = Pick<StateService, 'getEntry' | 'compareAndSet' | 'deleteRevision'>;

/** Routes about writes: those of a key that are kept, what undoes one, and all of them as they come. */
export function addHistoryRoutes(routes: AdminRoutes, state: State, history: StateHistory): void {
  routes.get(`${KEY}/history`, async ({ params: { group = '', key = '' } }) => {
    const since = history.begin();
    return { items: history.of(group, key), since };
  }, [], 'The last writes of a key, the newest first');
  routes.post(`${KEY}/restore`, (request) => refusing(() => restore(state, history, request)), ['change', 'revision'], 'Makes what was before a write the value again');
  routes.events('/follow', ({ query: { group, key } }, send) => history.follow((change) => {
    if ((group === undefined || change.group === group) && (key === undefined || change.key === key)) send(change);
  }), ['group', 'key'], 'Writes as they come');
}

/** Only over the revision that is there when it is asked, or over the one that is given. */
async function restore(state: State, history: StateHistory, request: AdminRequest): Promise<StateItem | { readonly deleted: true }> {
  const { group = '', key = '' } = request.params;
  const { change: id, revision } = (bodyWithRevision(request) ?? {}) as { readonly change?: unknown; readonly revision?: number };
  if (typeof id !== 'number') throw invalidArgument('"change" must be the id of a change');
  const change = history.of(group, key).find((one) => one.id === id);
  if (!change) throw new AdminError(404, 'not_found', `change ${id} of key "${key}" is not kept`);
  const now = revision ?? (await state.getEntry(group, key))?.revision ?? 0;
  if (change.before) return { key, ...await state.compareAndSet(group, key, { revision: now, value: change.before.value }) };
  // There was nothing before it.
  await state.deleteRevision(group, key, now);
  return { deleted: true };
}
