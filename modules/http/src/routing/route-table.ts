import { createRequire } from 'node:module';
import type { RoutePath } from './route-grammar.js';

/** What the table knows of an entry; `T` is the owner's record. */
export interface RouteMatch<T> {
  readonly store: T;
  /** Undefined for an exact match; empty for an exact path that was percent-encoded. */
  readonly params: Record<string, string> | undefined;
}

interface TableEntry<T> {
  readonly method: string;
  readonly path: RoutePath;
  readonly store: T;
}

/** The part of find-my-way that is used here; its own types drag in http2. */
interface Radix<T> {
  on(method: string, path: string, handler: () => void, store: T): void;
  find(method: string, path: string): { readonly store: T | null; readonly params: Record<string, string> } | null;
}

const findMyWay = createRequire(import.meta.url)('find-my-way') as (options: object) => Radix<unknown>;
const RADIX_OPTIONS = {
  maxParamLength: 1024, caseSensitive: true, ignoreTrailingSlash: false, ignoreDuplicateSlashes: false,
  // The query is parsed by us, and only for Steps; the router sees paths alone.
  querystringParser: (): undefined => undefined,
  onBadUrl: (): undefined => undefined,
};
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const nothing = (): void => undefined;

/**
 * The one route table: a map for exact paths, in front of a radix tree for all of them. Routes are added at once; a
 * removal rebuilds both on the next look-up, so that a reload of a thousand Steps costs one rebuild.
 */
export class RouteTable<T> {
  private readonly entries = new Map<string, TableEntry<T>>();
  private exact = new Map<string, Map<string, RouteMatch<T>>>();
  private radix = findMyWay(RADIX_OPTIONS) as Radix<TableEntry<T>>;
  private stale = false;

  /** The route of this method and shape, if it is taken. */
  taken(method: string, path: RoutePath): T | undefined {
    return this.entries.get(keyOf(method, path))?.store;
  }

  /** Adds a route, replacing one of the same method and shape. */
  add(method: string, path: RoutePath, store: T): void {
    const key = keyOf(method, path);
    if (this.entries.has(key)) this.stale = true;
    const entry = { method, path, store };
    this.entries.set(key, entry);
    if (!this.stale) this.insert(entry);
  }

  /** Removes a route; does nothing when another store holds its place. */
  remove(method: string, path: RoutePath, store: T): void {
    const key = keyOf(method, path);
    if (this.entries.get(key)?.store !== store) return;
    this.entries.delete(key);
    this.stale = true;
  }

  /** The route for a request path without its query. HEAD falls back to GET. */
  match(method: string, path: string): RouteMatch<T> | undefined {
    if (this.stale) this.rebuild();
    const exact = this.exact.get(method)?.get(path);
    if (exact !== undefined) return exact;
    const found = this.dynamic(method, path);
    if (found !== undefined || method !== 'HEAD') return found;
    return this.match('GET', path);
  }

  all(): readonly T[] {
    return [...this.entries.values()].map(({ store }) => store);
  }

  /** Methods that the path answers, for `Allow`; empty when it is unknown. */
  allowed(path: string): string[] {
    const methods = METHODS.filter((method) => this.match(method, path) !== undefined);
    return methods.length === 0 ? methods : [...methods, 'OPTIONS'];
  }

  private dynamic(method: string, path: string): RouteMatch<T> | undefined {
    const found = this.radix.find(method, path) ?? this.emptyRest(method, path);
    // find-my-way lets a parameter be empty; here `/users/` is not `/users/:id`. Only the rest may be empty: `/files/` is `/files/*rest`.
    if (!found?.store || hasEmpty(found.params)) return undefined;
    const { store, path: { rest } } = found.store;
    if (rest !== undefined) return { store, params: named(found.params, rest) };
    return { store, params: found.params };
  }

  /** `/files` is `/files/*rest` where no other route takes it: find-my-way asks for the slash, optional catch-alls elsewhere do not. */
  private emptyRest(method: string, path: string): ReturnType<Radix<TableEntry<T>>['find']> {
    const found = path.endsWith('/') ? null : this.radix.find(method, `${path}/`);
    return found?.store?.path.rest !== undefined && found.params['*'] === '' ? found : null;
  }

  private insert(entry: TableEntry<T>): void {
    const { method, path, store } = entry;
    this.radix.on(method, path.pattern, nothing, entry);
    if (path.names.length > 0) return;
    let paths = this.exact.get(method);
    if (!paths) this.exact.set(method, paths = new Map());
    paths.set(path.pattern, { store, params: undefined });
  }

  private rebuild(): void {
    this.stale = false;
    this.radix = findMyWay(RADIX_OPTIONS) as Radix<TableEntry<T>>;
    this.exact = new Map();
    for (const entry of this.entries.values()) this.insert(entry);
  }
}

function keyOf(method: string, path: RoutePath): string {
  return `${method} ${path.shape}`;
}

/** find-my-way calls the final part `*`; the route has a name for it. */
function named(params: Record<string, string>, rest: string): Record<string, string> {
  const { '*': value = '', ...others } = params;
  return { ...others, [rest]: value };
}

function hasEmpty(params: Record<string, string>): boolean {
  for (const name in params) if (params[name] === '' && name !== '*') return true;
  return false;
}
