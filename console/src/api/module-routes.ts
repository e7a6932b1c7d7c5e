import { type AdminCatalog, type AdminRoute, parseClassId } from '@treadle/api';
import { Refusal } from '../server/refusal.js';
import { decoded, literalParts, matchPath, segmentsOf } from './route-match.js';

const BASE = ['api', 'v1'];
/** Short paths of the building blocks' modules. */
const BLOCKS: Readonly<Record<string, string>> = { queues: 'queue', state: 'state', streams: 'stream', cron: 'cron', steps: 'steps' };
/** Short paths that are the beginning of the module's own. */
const AREAS: Readonly<Record<string, string>> = { traces: 'observability', logs: 'observability', metrics: 'observability' };

/** A module's route that a request is for. */
export interface FoundRoute {
  readonly route: AdminRoute;
  readonly params: Readonly<Record<string, string>>;
}

interface Target {
  /** Id of the instance whose routes are meant, when there is one. */
  readonly instance: string | undefined;
  readonly owned: (route: AdminRoute) => boolean;
  readonly path: readonly string[];
  /** For the text of a refusal. */
  readonly name: string;
  readonly loaded: boolean;
}

/** Finds the route of a running module by path and method. @throws {Refusal} 404, 405 */
export function findRoute(catalog: AdminCatalog, method: string, path: string): FoundRoute {
  const target = targetOf(catalog, segmentsOf(path));
  if (!target) throw new Refusal(404, 'not_found', `nothing is served at ${path}`);
  if (!target.loaded) throw new Refusal(404, 'module_not_loaded', `this engine has no ${target.name}`);
  const fitting = catalog.routes().filter(target.owned).flatMap((route) => {
    const params = matchPath(route.path, target.path);
    return params ? [{ route, params }] : [];
  }).sort((a, b) => literalParts(b.route.path) - literalParts(a.route.path));
  const found = fitting.find(({ route }) => serves(route, method));
  if (found) return found;
  if (fitting.length === 0) throw new Refusal(404, 'not_found', `${target.name} serves nothing at ${path}`);
  throw new Refusal(405, 'method_not_allowed', `${method} is not served at ${path}; ${[...new Set(fitting.map(methodOf))].join(', ')}`);
}

/** The shortest path at which a route is served, with its `:params`. */
export function publicPath(catalog: AdminCatalog, { instance, classId, path }: AdminRoute): string {
  const base = `/${BASE.join('/')}`;
  const below = path === '/' ? '' : path;
  const area = Object.keys(AREAS).find((name) => path === `/${name}` || path.startsWith(`/${name}/`));
  if (area !== undefined && blockTarget(catalog, AREAS[area] as string, []).instance === instance) return `${base}${below}`;
  const short = Object.keys(BLOCKS).find((name) => blockTarget(catalog, BLOCKS[name] as string, []).instance === instance);
  const isOnly = catalog.instances().filter((one) => one.instance.classId === classId).length === 1;
  // The routes of an adapter are found by its class alone.
  if (short !== undefined && parseClassId(classId)?.kind === 'module') return `${base}/${short}${below}`;
  return `${base}/modules/${isOnly ? classId : instance}${below}`;
}

function serves({ method }: AdminRoute, asked: string): boolean {
  return method === asked || (asked === 'HEAD' && method === 'GET') || (asked === 'GET' && method === 'EVENTS');
}

function methodOf({ route: { method } }: FoundRoute): string {
  return method === 'EVENTS' ? 'GET' : method;
}

function targetOf(catalog: AdminCatalog, [api, version, area = '', ...rest]: readonly string[]): Target | undefined {
  if (api === 'metrics' && version === undefined) return blockTarget(catalog, 'observability', ['metrics']);
  if (api !== BASE[0] || version !== BASE[1]) return undefined;
  const block = Object.hasOwn(BLOCKS, area) ? BLOCKS[area] : undefined;
  if (block !== undefined) return blockTarget(catalog, block, rest);
  if (Object.hasOwn(AREAS, area)) return blockTarget(catalog, AREAS[area] as string, [area, ...rest]);
  const [name, ...path] = rest;
  return area === 'modules' && name !== undefined ? instanceTarget(catalog, decoded(name), path) : undefined;
}

/** The one loaded module of the block, whoever brings it. */
function blockTarget(catalog: AdminCatalog, block: string, path: readonly string[]): Target {
  const instance = catalog.instances().find(({ instance: { classId } }) => {
    const parsed = parseClassId(classId);
    return parsed?.kind === 'module' && parsed.block === block;
  })?.instance.id;
  return { instance, owned: (route) => route.instance === instance, path, name: `${block} module`, loaded: instance !== undefined };
}

/** By the class, or by the instance's id when the class is there more than once. */
function instanceTarget(catalog: AdminCatalog, name: string, path: readonly string[]): Target {
  const all = catalog.instances().map(({ instance }) => instance);
  const instance = all.find(({ id }) => id === name) ?? all.find(({ classId }) => classId === name);
  return {
    instance: instance?.id,
    owned: (route) => instance !== undefined && route.instance === instance.id && route.classId === instance.classId,
    path, name: instance ? instance.id : `module or adapter "${name}"`, loaded: instance !== undefined,
  };
}
