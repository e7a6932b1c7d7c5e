/** A parsed route path. */
export interface RoutePath {
  /** As find-my-way reads it: `*rest` has become `*`. */
  readonly pattern: string;
  /** Parameter names in order, the final `*rest` included. */
  readonly names: readonly string[];
  /** Name of the final `*rest`, if there is one. */
  readonly rest: string | undefined;
  /** The path with parameter names removed: equal for two paths that match the same requests. */
  readonly shape: string;
}

/** The path is not one; the text says why and begins in lower case. */
export interface RouteFault {
  readonly fault: string;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const FORBIDDEN_NAMES = new Set(['__proto__', 'constructor', 'prototype']);
/** Regexes, several parameters in a segment, optional parameters, encodings, query, fragment, spaces, controls. */
const FORBIDDEN = /[:*?#%()[\]{}\\<>"^`|;\s\u0000-\u001f\u007f]/;
const MAX_LENGTH = 1024;
const MAX_PARAMETERS = 32;

/**
 * Reads a route path: `/segments`, `:name` for one segment, `*rest` as the last segment for any characters, slashes
 * included, or none. Everything else that routers understand is refused.
 */
export function parseRoutePath(path: string): RoutePath | RouteFault {
  if (!path.startsWith('/')) return { fault: `"${path}" does not begin with "/"` };
  if (path.length > MAX_LENGTH) return { fault: `the path is longer than ${MAX_LENGTH} characters` };
  if (path === '/') return { pattern: '/', names: [], rest: undefined, shape: '/' };
  const segments = path.slice(1).split('/');
  const names: string[] = [];
  const pattern: string[] = [];
  const shape: string[] = [];
  let rest: string | undefined;
  for (const [index, segment] of segments.entries()) {
    const last = index === segments.length - 1;
    const fault = segmentFault(segment, last, names);
    if (fault) return { fault: `${fault} in "${path}"` };
    const isRest = segment.startsWith('*');
    if (isRest) rest = segment.slice(1);
    if (isRest || segment.startsWith(':')) names.push(segment.slice(1));
    pattern.push(isRest ? '*' : segment);
    shape.push(isRest ? '*' : segment.startsWith(':') ? ':' : segment);
  }
  if (names.length > MAX_PARAMETERS) return { fault: `more than ${MAX_PARAMETERS} parameters in "${path}"` };
  return { pattern: `/${pattern.join('/')}`, names, rest, shape: `/${shape.join('/')}` };
}

function segmentFault(segment: string, last: boolean, taken: readonly string[]): string | undefined {
  if (segment === '') return last ? undefined : 'an empty segment ("//")';
  if (segment === '.' || segment === '..') return `the segment "${segment}", which clients remove,`;
  if (segment.startsWith(':') || segment.startsWith('*')) return parameterFault(segment, last, taken);
  const bad = FORBIDDEN.exec(segment);
  return bad ? `${JSON.stringify(bad[0])} in the segment "${segment}"; only ":name" segments and a final "*rest" are special` : undefined;
}

function parameterFault(segment: string, last: boolean, taken: readonly string[]): string | undefined {
  const name = segment.slice(1);
  if (segment.startsWith('*') && !last) return `"${segment}" before the end; "*rest" must be the last segment`;
  if (name === '') return `"${segment}" without a name`;
  if (!NAME.test(name)) return `the parameter "${segment}"; a name is letters, digits and "_", and fills its segment`;
  if (FORBIDDEN_NAMES.has(name)) return `the parameter name "${name}"`;
  return taken.includes(name) ? `the parameter "${name}" twice` : undefined;
}
