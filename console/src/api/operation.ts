import type { AdminCatalog, AdminRoute } from '@treadle/api';
import { publicPath } from './module-routes.js';
import type { OwnRoute } from './own-route.js';

const BASE = '/api/v1';

/** A route as clients see it. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its `:params`, from `/api/v1` on. */
  readonly path: string;
  /** It sends events. */
  readonly events: boolean;
}

/** What a table of the generated schemas has for an operation; undefined of one that has no type, as those of plugins. */
export function typeOf<T>({ method, path }: Pick<Operation, 'method' | 'path'>, types: Readonly<Record<string, T>>): T | undefined {
  const below = path.slice(BASE.length);
  return types[`${method} ${below}`] ?? types[`${method} ${below.replace(/^\/modules\/[^/]+/, '/modules/:adapter')}`];
}

/** A route of the console module. */
export function ownOperation({ method, path }: Pick<OwnRoute, 'method' | 'path'>): Operation {
  return { method, path: `${BASE}${path === '/' ? '' : path}`, events: false };
}

/** A route of another module. */
export function moduleOperation(catalog: AdminCatalog, route: AdminRoute): Operation {
  const { method } = route;
  return { method: method === 'EVENTS' ? 'GET' : method, path: publicPath(catalog, route), events: method === 'EVENTS' };
}
