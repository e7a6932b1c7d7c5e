import type { CorsConfig } from '../http.config.js';

/**
 * Cross-origin rules, prepared for the hot path. Not by `@koa/cors`: it is middleware, and Koa is passed by for Steps; nor does it know what a preflight
 * has to be told here, which is the methods of the path that would be called, by the rules of that route.
 */
export interface CorsPolicy {
  readonly any: boolean;
  readonly origins: ReadonlySet<string>;
  readonly methods: string | undefined;
  readonly headers: string | undefined;
  readonly exposed: string | undefined;
  readonly credentials: boolean;
  readonly maxAge: string;
}

/** Why the rules contradict each other, or undefined. @source Fetch standard, "CORS protocol and credentials" */
export function corsConflict(config: CorsConfig): string | undefined {
  if (!config.allowed_origins.includes('*')) return undefined;
  if (config.credentials) return 'allowed_origins "*" with credentials lets every site act as its user';
  return config.allowed_origins.length > 1 ? 'allowed_origins "*" makes the other origins meaningless' : undefined;
}

/** Prepares rules; the caller has asked `corsConflict` before. */
export function corsPolicy(config: CorsConfig): CorsPolicy {
  return {
    any: config.allowed_origins.includes('*'),
    origins: new Set(config.allowed_origins.map((origin) => origin.toLowerCase())),
    methods: list(config.allowed_methods),
    headers: list(config.allowed_headers),
    exposed: list(config.exposed_headers),
    credentials: config.credentials ?? false,
    maxAge: String(config.max_age_seconds ?? 600),
  };
}

function list(values: readonly string[] | undefined): string | undefined {
  return values && values.length > 0 ? values.join(', ') : undefined;
}

/** Adds the headers of an answer to a cross-origin request; `Vary: Origin` also without one. */
export function addCorsHeaders(policy: CorsPolicy, origin: string | undefined, to: (string | number)[]): void {
  if (!policy.any) to.push('vary', 'origin');
  if (!allows(policy, origin)) return;
  to.push('access-control-allow-origin', policy.any ? '*' : origin);
  if (policy.credentials) to.push('access-control-allow-credentials', 'true');
  if (policy.exposed) to.push('access-control-expose-headers', policy.exposed);
}

/** Adds what a preflight is answered with; nothing when the origin is not allowed. */
export function addPreflightHeaders(
  policy: CorsPolicy, request: { origin: string | undefined; headers: string | undefined; allow: string }, to: (string | number)[],
): void {
  addCorsHeaders(policy, request.origin, to);
  if (!allows(policy, request.origin)) return;
  to.push('access-control-allow-methods', policy.methods ?? request.allow);
  const headers = policy.headers ?? requestedHeaders(request.headers);
  if (headers) to.push('access-control-allow-headers', headers);
  to.push('access-control-max-age', policy.maxAge);
}

function allows(policy: CorsPolicy, origin: string | undefined): origin is string {
  return origin !== undefined && (policy.any || policy.origins.has(origin));
}

/** Echoes only what is a list of header names. */
function requestedHeaders(asked: string | undefined): string | undefined {
  return asked !== undefined && asked.length <= 1024 && /^[A-Za-z0-9!#$%&'*+.^_`|~, -]+$/.test(asked) ? asked : undefined;
}
