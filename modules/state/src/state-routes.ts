import {
  AdminError, type AdminRequest, type AdminRoutes, bodyWithRevision, invalidArgument, type Json, OperationError, type StateItem, type StateListOptions, type StatePort,
} from '@treadle/api';
import type { StateService } from './state-service.js';

/** Statuses of refusals; anything else is a fault of the store. */
const STATUS: Readonly<Record<string, 400 | 409 | 422>> = {
  StateInvalidArgument: 400, StateConflict: 409, InvalidValue: 422,
};

const KEYS = '/groups/:group/keys';
const KEY = `${KEYS}/:key`;
/** Arguments of the listings. */
const PAGING = ['prefix', 'limit', 'cursor'];

/** The port, the write that gives its own revision (one that is read after it may be of another write), and the deletion that can be undone. */
type WrittenState = StatePort & Pick<StateService, 'setEntry' | 'deleteByHand'>;

/** What operators may do with state: read it page by page, write, and delete. */
export function addStateRoutes(routes: AdminRoutes, state: WrittenState): void {
  routes.get('/groups', ({ query }) => refusing(() => state.listGroups(paging(query))), PAGING, 'Groups');
  routes.get(KEYS, ({ params, query }) => refusing(() => state.list(params['group'] ?? '', paging(query))), PAGING, 'Keys of a group with their values');
  routes.get(KEY, (request) => refusing(() => entryOf(state, request)), [], 'One value with its revision');
  routes.put(KEY, (request) => refusing(() => write(state, request)), ['value', 'ttlMs', 'revision'], 'Stores a value, with a revision only over that one');
  routes.delete(KEY, (request) => refusing(() => remove(state, request)), [], 'Deletes a key');
}

async function entryOf(state: StatePort, { params }: AdminRequest): Promise<StateItem> {
  const { group, key } = names(params);
  const entry = await state.getEntry(group, key);
  if (entry) return { key, ...entry };
  throw new AdminError(404, 'not_found', `there is no key "${key}" in group "${group}"`);
}

/** With a revision it is `compareAndSet`, which has no time to live of its own. */
async function write(state: WrittenState, request: AdminRequest): Promise<StateItem> {
  const { group, key } = names(request.params);
  const { value, ttlMs, revision } = writtenOf(bodyWithRevision(request));
  const entry = revision === undefined ? await state.setEntry(group, key, value, { ttlMs }) : await state.compareAndSet(group, key, { revision, value });
  return { key, ...entry };
}

async function remove(state: WrittenState, request: AdminRequest): Promise<{ readonly deleted: true; readonly change?: number }> {
  const { group, key } = names(request.params);
  await entryOf(state, request);
  const change = await state.deleteByHand(group, key);
  return { deleted: true, ...change !== undefined && { change } };
}

interface Written {
  readonly value: Json;
  readonly ttlMs: number | undefined;
  readonly revision: number | undefined;
}

/** The state checks what the members hold. */
function writtenOf(body: unknown): Written {
  if (typeof body !== 'object' || body === null || !('value' in body)) throw invalidArgument('the body must be an object with a "value"');
  const written = body as Written;
  if (written.ttlMs !== undefined && written.revision !== undefined) {
    throw invalidArgument('ttlMs and revision cannot be given together: a value that replaces a revision keeps its time to live');
  }
  return written;
}

function names({ group = '', key = '' }: AdminRequest['params']): { readonly group: string; readonly key: string } {
  return { group, key };
}

function paging({ prefix, limit, cursor }: AdminRequest['query']): StateListOptions {
  return {
    ...prefix === undefined ? {} : { prefix }, ...cursor === undefined ? {} : { cursor }, ...limit === undefined ? {} : { limit: Number(limit) },
  };
}

/** What the state refuses is the client's to hear. */
export async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    throw new AdminError(STATUS[error.code] ?? 503, codeOf(error.code), error.message);
  }
}

/** `InvalidValue` → `invalid_value`. */
function codeOf(code: string): string {
  return CODES[code] ?? code.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

/** As codes are written over HTTP; those that every module has are called the same everywhere. */
const CODES: Readonly<Record<string, string>> = { StateInvalidArgument: 'invalid_argument', StateConflict: 'conflict' };
