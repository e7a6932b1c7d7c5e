import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { HttpError } from '../errors.js';
import type { HttpRequest } from '../input.js';
import type { Middleware, Next } from '../middleware.js';
import type { AuthRequest } from '../stream-declaration.js';
import { checkSchemes, type CredentialScheme } from './credential-scheme.js';

/** What credentials are looked for in: an HTTP request, or the one by which a client connects to streams. */
export type Credentials = Pick<AuthRequest, 'headers' | 'query'>;

/** Who sent a request; null or undefined when its credentials are missing or wrong. */
export type Found<Auth> = Auth | null | undefined;

/**
 * Middleware that answers 401 unless the request has valid credentials, and gives handlers `ctx.auth`. For streams:
 * `export const authenticate = guard.authenticate` in the `*.stream-auth.ts`.
 */
export type Guard<Auth> = Middleware<{ auth: Auth }> & {
  /** Lets requests without valid credentials through, too: their `ctx.auth` is undefined. */
  readonly optional: Middleware<{ auth: Auth | undefined }>;
  /** Who sent a request, or null. */
  readonly authenticate: (request: Credentials) => Promise<Auth | null>;
};

/** What the OpenAPI document is told of a guard, on its functions. */
const FACTS = Symbol.for('treadle.guard');

/**
 * Makes a guard of a function that looks for credentials. `challenge`: value of the `www-authenticate` header of a 401. `schemes`: how they are sent, for
 * the OpenAPI document; any one of them is enough. Without them the document says nothing of them.
 * @throws Error when OpenAPI has no form for a scheme
 */
export function guard<Auth>(
  find: (request: Credentials) => Found<Auth> | Promise<Found<Auth>>, challenge?: string, schemes: readonly CredentialScheme[] = [],
): Guard<Auth> {
  const authenticate = async (request: Credentials): Promise<Auth | null> => (await find(request)) ?? null;
  const required = async (request: HttpRequest, _ctx: unknown, next: Next): Promise<unknown> => {
    const auth = await authenticate(request);
    if (auth !== null) return next({ auth });
    throw new HttpError(401, 'valid credentials are needed', challenge === undefined ? undefined : { 'www-authenticate': challenge });
  };
  const optional = async (request: HttpRequest, _ctx: unknown, next: Next): Promise<unknown> => next({ auth: (await authenticate(request)) ?? undefined });
  const facts = { schemes: checkSchemes(schemes) };
  Object.assign(optional, { [FACTS]: { ...facts, optional: true } });
  return Object.assign(required, { optional, authenticate, [FACTS]: facts }) as unknown as Guard<Auth>;
}

/** Fewest characters of a secret that something is signed with. */
export const MIN_SECRET = 16;

/**
 * A secret that has to be there when the file is loaded, so that nothing is served with a guard that lets everybody in. `treadle build` alone
 * imports files where secrets are not. A development engine takes note of what is not set, and serves nothing behind the guard; the secret is then one
 * that nobody knows.
 * @throws Error that says what is not set, elsewhere
 */
export function secretOf(owner: string, key: string, value: string | undefined, atLeast = 1): string {
  if (typeof value === 'string' && value.length >= atLeast) return value;
  if (process.env['TREADLE_BUILD'] === '1') return '-'.repeat(MIN_SECRET);
  const message = value === undefined || value === '' ? `${owner}: "${key}" is not set; set the environment variable that it is read from`
    : `${owner}: "${key}" has ${String(value).length} characters; use ${atLeast} or more, for example of "openssl rand -base64 32"`;
  const error = Object.assign(new Error(message), { code: MISSING_SECRET });
  const { [TAKES_NOTE]: note } = globalThis as { [TAKES_NOTE]?: (error: Error) => boolean };
  if (note?.(error) !== true) throw error;
  return randomUUID();
}

/** Code of the error for a secret that is not set: an engine in production does not start then. */
const MISSING_SECRET = 'TREADLE_MISSING_SECRET';
/** Global function of a development process that is told of secrets that are not set; true when that does not keep the file from being loaded. */
const TAKES_NOTE = Symbol.for('treadle.missing-secret');

/** Takes as long for a right text as for a wrong one. */
export function isSame(given: string, right: string): boolean {
  const [a, b] = [given, right].map((text) => createHash('sha256').update(text).digest()) as [Buffer, Buffer];
  return timingSafeEqual(a, b);
}

/** What follows a scheme in the `authorization` header. */
export function authorization({ headers }: Credentials, scheme: string): string | undefined {
  const text = (headers['authorization'] ?? '').trim();
  const end = text.search(/\s/);
  return end > 0 && text.slice(0, end).toLowerCase() === scheme ? text.slice(end).trim() : undefined;
}
