import { isPythonStep, roleOfFile } from './discover.js';

/** A file of middleware and what it holds for. */
export interface PlacedMiddleware {
  /** Relative to the root, with `/`. */
  readonly file: string;
  /** Prefixes of routes; absent: the Steps in its folder and below. */
  readonly paths?: readonly string[] | undefined;
}

/** The prefixes that the config of a file of middleware names; undefined for none. */
export function pathsOf(config: unknown): readonly string[] | undefined {
  const { path } = (config ?? {}) as { readonly path?: unknown };
  if (path === undefined) return undefined;
  return (Array.isArray(path) ? path : [path]).filter((each): each is string => typeof each === 'string');
}

/** True for a file of middleware, in any language. */
export function isMiddlewareFile(file: string): boolean {
  return roleOfFile(file) === 'middleware';
}

/**
 * The middleware that holds for a route of a Step's file, the outermost first: files of outer folders come before those of inner ones, and in
 * one folder they go by name. Middleware holds for Steps of its own language.
 */
export function middlewareFor<Placed extends PlacedMiddleware>(all: readonly Placed[], step: string, route: string): readonly Placed[] {
  return inOrder(all.filter(({ file, paths }) => isPythonStep(file) === isPythonStep(step) && covers({ file, paths }, step, route)));
}

/** Middleware that would hold for the route if the Step were written in the other language. */
export function middlewareOfOtherLanguage<Placed extends PlacedMiddleware>(all: readonly Placed[], step: string, route: string): readonly Placed[] {
  return inOrder(all.filter(({ file, paths }) => isPythonStep(file) !== isPythonStep(step) && covers({ file, paths }, step, route)));
}

function covers({ file, paths }: PlacedMiddleware, step: string, route: string): boolean {
  return paths ? paths.some((prefix) => isBelow(segments(prefix), segments(route))) : step.startsWith(folderOf(file));
}

/** Whole segments count: `/api` holds for `/api/users` and not for `/apis`. A parameter in the prefix stands for any segment. */
function isBelow(prefix: readonly string[], route: readonly string[]): boolean {
  return prefix.every((segment, index) => route[index] !== undefined && (segment.startsWith(':') || segment === route[index]));
}

function segments(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '');
}

const folderOf = (file: string): string => file.slice(0, file.lastIndexOf('/') + 1);

function inOrder<Placed extends PlacedMiddleware>(placed: readonly Placed[]): readonly Placed[] {
  const depth = ({ file }: Placed): number => file.split('/').length;
  return [...placed].sort((a, b) => depth(a) - depth(b) || (a.file < b.file ? -1 : 1));
}
