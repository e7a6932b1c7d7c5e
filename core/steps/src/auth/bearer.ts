import { HttpError } from '../errors.js';
import { inQuery } from './credential-scheme.js';
import { readPublicKey } from './public-key.js';
import { authorization, type Credentials, type Found, guard, type Guard, MIN_SECRET, secretOf } from './guard.js';

/** Where a token is looked for beside the `authorization` header. */
interface Place {
  /** Parameter of the query that may carry it as well, e.g. where browsers connect to streams. It is then in the logs of proxies. Default: none. */
  readonly query?: string | undefined;
}

/** How JSON Web Tokens are checked: by exactly one of `jwks`, `publicKey` and `secret`. */
export interface JwtOptions extends Place {
  /** Address of the issuer's keys, e.g. `https://id.example/.well-known/jwks.json`; fetched when needed and kept. */
  readonly jwks?: string | URL | undefined;
  /** PEM (SPKI). */
  readonly publicKey?: string | undefined;
  /** Of HMAC, 16 characters or more. */
  readonly secret?: string | undefined;
  /** Must be the token's `iss`. */
  readonly issuer?: string | string[] | undefined;
  /** Must be in the token's `aud`. */
  readonly audience?: string | string[] | undefined;
  /** Algorithms that are accepted. Default `HS256` for a secret, `RS256` for a public key, else those of the keys. */
  readonly algorithms?: string[] | undefined;
  /** By how much clocks may differ, in seconds. Default 5. */
  readonly clockToleranceS?: number | undefined;
}

/** Tokens of another kind, which are looked up. */
export interface TokenLookup<Auth> extends Place {
  /** Who has the token; null or undefined for nobody. */
  readonly find: (token: string) => Found<Auth> | Promise<Found<Auth>>;
}

/** Claims of a valid token. */
export interface JwtClaims {
  /** Whom it is about. */
  readonly sub?: string;
  readonly iss?: string;
  readonly aud?: string | string[];
  /** Seconds since the Unix epoch. */
  readonly exp: number;
  readonly [claim: string]: unknown;
}

/** The part of the package `jose` that is used here; versions 5 and 6 have it. */
interface Jose {
  jwtVerify(token: string, key: unknown, options: object): Promise<{ payload: unknown }>;
  createRemoteJWKSet(url: URL): unknown;
}

/** Codes of `jose` by which a token is at fault, and not the place that its keys come from. */
const FAULTY_TOKEN = /^ERR_(?:JWT|JWS)_|^ERR_JOSE_(?:ALG_NOT_ALLOWED|NOT_SUPPORTED)$|^ERR_JWKS_(?:NO|MULTIPLE)_MATCHING_KEYS?$/;

/**
 * Guards by `authorization: Bearer …`. With JSON Web Tokens `ctx.auth` are the claims; a token without `exp` is refused. These need the
 * package `jose` in the application.
 * @throws Error when a secret or key is not set, or not exactly one of them is given; when a public key cannot be read, or none of the `algorithms` fits it
 */
export function bearer(options: JwtOptions): Guard<JwtClaims>;
export function bearer<Auth>(options: TokenLookup<Auth>): Guard<Auth>;
export function bearer(options: JwtOptions | TokenLookup<unknown>): object {
  const find = 'find' in options ? options.find : jwtVerifier(options);
  const scheme = { type: 'http', scheme: 'bearer', ...!('find' in options) && { bearerFormat: 'JWT' } } as const;
  return guard<unknown>((request) => {
    const token = authorization(request, 'bearer') ?? fromQuery(request, options.query);
    return token === undefined || token === '' ? null : find(token);
  }, 'Bearer', [scheme, ...inQuery(options.query)]);
}

function jwtVerifier(options: JwtOptions): (token: string) => Promise<JwtClaims | null> {
  const ways = (['jwks', 'publicKey', 'secret'] as const).filter((way) => way in options);
  const [way] = ways;
  if (way === undefined || ways.length > 1) throw new Error(`bearer(): give exactly one of "jwks", "publicKey", "secret" and "find", not ${ways.join(' and ') || 'none'}`);
  const value = secretOf('bearer()', way, options[way]?.toString(), way === 'secret' ? MIN_SECRET : 1);
  const wanted = options.algorithms ?? { jwks: undefined, publicKey: ['RS256'], secret: ['HS256'] }[way];
  // What stands in for a key that is not set is none, and a build has no use for one: nobody gets in.
  if (way === 'publicKey' && (value !== options.publicKey || process.env['TREADLE_BUILD'] === '1')) return () => Promise.resolve(null);
  const read = way === 'publicKey' ? readPublicKey(value, wanted ?? []) : undefined;
  const algorithms = read?.fitting ?? wanted;
  const { issuer, audience, clockToleranceS = 5 } = options;
  const rules = { ...(algorithms && { algorithms }), ...(issuer && { issuer }), ...(audience && { audience }), clockTolerance: clockToleranceS, requiredClaims: ['exp'] };
  let loaded: Promise<readonly [Jose, unknown]> | undefined;
  return async (token) => {
    loaded ??= load(way, value, read?.key);
    loaded.catch(() => { loaded = undefined; });
    const [jose, key] = await loaded;
    try {
      return (await jose.jwtVerify(token, key, rules)).payload as JwtClaims;
    } catch (error) {
      // A key that is here already fits or does not, e.g. another algorithm than that of the token.
      if (way !== 'jwks' || FAULTY_TOKEN.test(String((error as { code?: unknown }).code))) return null;
      throw new HttpError(503, 'the keys of tokens cannot be had now', { 'retry-after': 5 }, { cause: error });
    }
  };
}

async function load(way: 'jwks' | 'publicKey' | 'secret', value: string, publicKey: unknown): Promise<readonly [Jose, unknown]> {
  const name = 'jose';
  const jose = await (import(name) as Promise<Jose>).catch((error: unknown) => {
    throw new Error('bearer() checks JSON Web Tokens with the package "jose", which is not installed: npm install jose', { cause: error });
  });
  if (way === 'jwks') return [jose, jose.createRemoteJWKSet(new URL(value))];
  return [jose, publicKey ?? new TextEncoder().encode(value)];
}

function fromQuery({ query }: Credentials, name: string | undefined): string | undefined {
  const value: unknown = name === undefined ? undefined : query[name];
  return typeof value === 'string' ? value : undefined;
}
