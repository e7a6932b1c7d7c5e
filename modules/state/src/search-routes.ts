import { type AdminRequest, type AdminRoutes, invalidArgument, queryArgument, type StateItem, type StatePort } from '@treadle/api';
import { MAX_PAGE_LENGTH } from './bounded-page.js';
import { refusing } from './state-routes.js';
import { type Scanned, scan } from './state-scan.js';
import { STATE_TARGET } from './state-target.js';

/** Keys that fit a query. */
export interface StateFound extends Scanned {
  readonly items: readonly StateItem[];
}

/** Keys that begin alike. */
export interface StateBranch {
  /** Up to and with a separator; of a key that stands alone all of it. */
  readonly prefix: string;
  readonly keys: number;
  /** The only key, where there is one. */
  readonly key?: string;
}

/** What keys go on with. */
export interface StateTree extends Scanned {
  readonly items: readonly StateBranch[];
}

const DEFAULT_FOUND = 100;
const MOST_FOUND = 1_000;
const SEPARATORS = ':/.';
const MOST_SEPARATORS = 10;

/** Routes that look at many keys: they say at how many, and give a cursor behind the last one. */
export function addSearchRoutes(routes: AdminRoutes, state: Pick<StatePort, 'list'>): void {
  routes.get('/groups/:group/search', (request) => refusing(() => search(state, request)), ['q', 'prefix', 'limit', 'cursor'], 'Keys whose name or value fits a query');
  routes.get('/groups/:group/tree', (request) => refusing(() => tree(state, request)), ['prefix', 'separators', 'limit', 'cursor'], 'Keys of a group by what they begin with');
}

/** An answer with large values ends early, as a page of keys does. */
async function search(state: Pick<StatePort, 'list'>, { params: { group = '' }, query }: AdminRequest): Promise<StateFound> {
  const test = queryArgument(query['q'], STATE_TARGET)?.test ?? ((): boolean => true);
  const limit = limitOf(query['limit']);
  const items: StateItem[] = [];
  let room = MAX_PAGE_LENGTH;
  const scanned = await scan(state, group, placeOf(query), (item) => {
    if (!test(item)) return false;
    room -= JSON.stringify(item).length;
    if (items.length === limit || (room < 0 && items.length > 0)) return true;
    items.push(item);
    return false;
  });
  return { items, ...scanned };
}

async function tree(state: Pick<StatePort, 'list'>, { params: { group = '' }, query }: AdminRequest): Promise<StateTree> {
  const { prefix = '', separators = SEPARATORS } = query;
  if (separators.length > MOST_SEPARATORS) throw invalidArgument(`separators must be at most ${MOST_SEPARATORS} characters`);
  const limit = limitOf(query['limit']);
  const items: StateBranch[] = [];
  const scanned = await scan(state, group, placeOf(query), ({ key }) => {
    const begins = beginOf(key, prefix, separators);
    const last = items.at(-1);
    // What begins alike comes together.
    if (last?.prefix === begins) items[items.length - 1] = { prefix: begins, keys: last.keys + 1 };
    else if (items.length === limit) return true;
    else items.push({ prefix: begins, keys: 1, key });
    return false;
  });
  return { items, ...scanned };
}

/** A key up to its next separator. */
function beginOf(key: string, prefix: string, separators: string): string {
  let end = prefix.length;
  for (const letter of key.slice(end)) {
    end += letter.length;
    if (separators.includes(letter)) return key.slice(0, end);
  }
  return key;
}

function placeOf({ prefix, cursor }: AdminRequest['query']): { readonly prefix?: string; readonly cursor?: string } {
  return { ...prefix !== undefined && { prefix }, ...cursor !== undefined && { cursor } };
}

function limitOf(text: string | undefined): number {
  const limit = text === undefined ? DEFAULT_FOUND : Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST_FOUND) return limit;
  throw invalidArgument(`limit must be a whole number from 1 to ${MOST_FOUND}, got ${JSON.stringify(text)}`);
}
