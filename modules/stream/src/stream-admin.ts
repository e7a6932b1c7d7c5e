import { AdminError, type AdminEventSink, type AdminRequest, type AdminRoutes, bodyWithRevision, invalidArgument, type Json, limitArgument, MAX_LIMIT, OperationError, type StreamGroup, type StreamItem, type Unsubscribe } from '@treadle/api';
import type { Declarations } from './access/declarations.js';
import { eventTest, itemPage } from './item-search.js';
import type { StreamService } from './stream-service.js';

const DEFAULT_LIMIT = 100;

/** What the admin API shows of streams; see `AdminRoutes` for where it is served. */
export interface StreamAdmin {
  readonly declarations: Declarations;
  readonly service: StreamService;
  /** Subscriptions of clients, by stream. */
  subscriptions(stream: string): number;
  /** Clients, the latest first. */
  connections(most: number): object;
  /** Closes the connection of a client; false: there is none with this id. */
  disconnect(id: string): boolean;
}

/** Adds the routes. */
export function addStreamRoutes(routes: AdminRoutes, admin: StreamAdmin): void {
  routes.get('/', async () => Promise.resolve({
    items: admin.declarations.all().map(({ name, file }) => ({ name, declaredIn: file, subscriptions: admin.subscriptions(name) })),
  }), [], 'Declared streams with their subscriptions');
  routes.get('/connections', async ({ query }) => Promise.resolve(admin.connections(limitArgument(query['limit'], DEFAULT_LIMIT, MAX_LIMIT))), ['limit'], 'Connected clients, the latest first, and what they follow');
  routes.delete('/connections/:id', async ({ params }) => Promise.resolve(disconnect(admin, params['id'] ?? '')), [], 'Closes the connection of a client');
  routes.get('/:stream/groups', ({ params, query }) => answer(() => admin.service.listGroups(params['stream'] ?? '', {
    ...query, ...(query['limit'] === undefined ? {} : { limit: Number(query['limit']) }),
  })), ['prefix', 'limit', 'cursor'], 'Groups of a stream');
  routes.get('/:stream/groups/:group', ({ params, query }) => answer(async () => {
    const group = { stream: params['stream'] ?? '', groupId: params['group'] ?? '' };
    const { items, position } = await admin.service.snapshot(group);
    return { ...itemPage(group, items, query), ...position };
  }), ['q', 'limit', 'cursor'], 'Items of a group in the order of their ids, all or those that fit a query, and its position');
  const ITEM = '/:stream/groups/:group/items/:id';
  routes.put(ITEM, (request) => answer(() => writeItem(admin.service, request)), ['value', 'revision'], 'Stores an item and tells its group');
  routes.get(ITEM, ({ params }) => answer(() => readItem(admin.service, params)), [], 'One item with its revision');
  routes.delete(ITEM, ({ params }) => answer(async () => {
    const { group, id } = itemOf(params);
    await admin.service.delete(group, id);
    return { deleted: true };
  }), [], 'Removes an item and tells its group');
  routes.events('/watch', (request, send) => watch(admin, request, send), ['stream', 'group', 'q'], 'What happens in streams, as it happens');
}

/** A client that connects again when its connection ends comes back: who may come in is up to `authenticate`. */
function disconnect(admin: StreamAdmin, id: string): { readonly deleted: true } {
  if (admin.disconnect(id)) return { deleted: true };
  throw new AdminError(404, 'not_found', `no client "${id}" is connected to this engine`);
}

function itemOf({ stream = '', group = '', id = '' }: AdminRequest['params']): { readonly group: StreamGroup; readonly id: string } {
  return { group: { stream, groupId: group }, id };
}

async function writeItem(service: StreamService, request: AdminRequest): Promise<StreamItem> {
  const body = bodyWithRevision(request);
  if (typeof body !== 'object' || body === null || !('value' in body)) throw invalidArgument('the body must be an object with a "value"');
  const { group, id } = itemOf(request.params);
  const { value: wanted, revision: over } = body as { readonly value: Json; readonly revision?: unknown };
  if (over !== undefined) return replaceItem(service, { group, id }, { value: wanted, over });
  const { value, revision } = await service.update(group, id, [{ type: 'set', value: wanted }]);
  return { id, value, revision };
}

async function replaceItem(service: StreamService, { group, id }: ReturnType<typeof itemOf>, { value, over }: { readonly value: Json; readonly over: unknown }): Promise<StreamItem> {
  if (!Number.isSafeInteger(over) || (over as number) < 0) throw invalidArgument('"revision" must be that of the item, or 0 where there is none');
  const { revision, written } = await service.replace(group, id, value, over as number);
  if (written !== undefined) return { id, value: written, revision };
  const there = revision === 0 ? `is not there, so it has no revision ${over as number}` : `has revision ${revision}, not ${over as number}`;
  throw new AdminError(409, 'conflict', `item "${id}" ${there}: nothing was written`);
}

async function readItem(service: StreamService, params: AdminRequest['params']): Promise<StreamItem> {
  const { group, id } = itemOf(params);
  const entry = await service.entry(group, id);
  if (!entry) throw new AdminError(404, 'not_found', `group "${group.groupId}" of stream "${group.stream}" has no item "${id}"`);
  return { id, value: entry.value, revision: entry.revision };
}

/** @throws AdminError 404 for a stream that is not declared: nothing would ever come of it */
function watch({ declarations, service }: StreamAdmin, { query: { stream, group, q } }: AdminRequest, send: AdminEventSink): Unsubscribe {
  try {
    if (stream !== undefined) declarations.get(stream);
  } catch (error) {
    throw refusal(error);
  }
  const fits = eventTest(q);
  return service.watch((event) => {
    if (stream !== undefined && stream !== event.stream) return;
    if (group !== undefined && group !== event.groupId) return;
    if (fits && !fits(event)) return;
    const { stream: streamName, ...rest } = event;
    send({ streamName, ...rest });
  });
}

async function answer<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw refusal(error);
  }
}

/** What the client is told; any other error is a fault of ours and stays as it is. */
function refusal(error: unknown): unknown {
  if (!(error instanceof OperationError)) return error;
  if (error.code === 'StreamNotDeclared') return new AdminError(404, 'not_found', error.message);
  if (error.code === 'StreamInvalidArgument' || error.code === 'InvalidItem') return new AdminError(400, 'invalid_argument', error.message);
  return new AdminError(503, 'unavailable', error.message);
}
