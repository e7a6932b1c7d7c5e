import { createHmac, timingSafeEqual } from 'node:crypto';

/** Attributes of a cookie. Defaults are the careful ones. */
export interface CookieOptions {
  /** Seconds that the browser keeps it. Default: until the browser is closed. */
  readonly maxAgeS?: number | undefined;
  /** Default `/`. */
  readonly path?: string | undefined;
  /** Default: the host that answered, without its subdomains. */
  readonly domain?: string | undefined;
  /** Only over TLS, or to localhost. Default true. */
  readonly secure?: boolean | undefined;
  /** Scripts of the page cannot read it. Default true. */
  readonly httpOnly?: boolean | undefined;
  /** Default `lax`. */
  readonly sameSite?: 'strict' | 'lax' | 'none' | undefined;
}

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const ATTRIBUTE = /^[\x20-\x3a\x3c-\x7e]*$/;
const SAME_SITE = { strict: 'Strict', lax: 'Lax', none: 'None' } as const;
/** What browsers keep of one cookie, in characters. */
const MAX_LENGTH = 4096;

/** Reads a `cookie` header: name to value. Of a name that comes twice the first counts, as browsers send the closest one first. */
export function parseCookies(header: string | undefined): Record<string, string> {
  const cookies = Object.create(null) as Record<string, string>;
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(at, 0)).trim();
    if (name !== '' && !(name in cookies)) cookies[name] = decoded(part.slice(at + 1).trim());
  }
  return cookies;
}

/**
 * Writes the value of a `set-cookie` header.
 * @throws RangeError for a name or attribute that no cookie can have, or when it is longer than the 4,096 characters that browsers keep
 */
export function setCookie(name: string, value: string, options: CookieOptions = {}): string {
  const { maxAgeS, path = '/', domain, secure = true, httpOnly = true, sameSite = 'lax' } = options;
  if (!NAME.test(name)) throw new RangeError(`a cookie cannot be named "${name}"`);
  for (const text of [path, domain ?? '']) if (!ATTRIBUTE.test(text)) throw new RangeError(`the cookie "${name}" cannot have "${text}" as path or domain`);
  if (maxAgeS !== undefined && !Number.isInteger(maxAgeS)) throw new RangeError(`maxAgeS of the cookie "${name}" must be whole seconds, got ${maxAgeS}`);
  const attributes = [
    `Path=${path}`, ...(domain === undefined ? [] : [`Domain=${domain}`]), ...(maxAgeS === undefined ? [] : [`Max-Age=${maxAgeS}`]),
    ...(secure ? ['Secure'] : []), ...(httpOnly ? ['HttpOnly'] : []), `SameSite=${SAME_SITE[sameSite]}`,
  ];
  const text = `${name}=${encodeURIComponent(value)}; ${attributes.join('; ')}`;
  if (text.length > MAX_LENGTH) throw new RangeError(`the cookie "${name}" would have ${text.length} characters; browsers keep ${MAX_LENGTH}`);
  return text;
}

/** Writes a `set-cookie` header that removes a cookie. Path and domain must be those that it was set with. */
export function clearCookie(name: string, options: Pick<CookieOptions, 'path' | 'domain' | 'secure' | 'sameSite'> = {}): string {
  return setCookie(name, '', { ...options, maxAgeS: 0 });
}

/** A value with its HMAC-SHA256, which `unsign` checks. Whoever gets it can read it. Give the cookie's name in `purpose`, so that the value passes for no other. */
export function sign(value: string, secret: string, purpose = ''): string {
  return `${value}.${mac(value, secret, purpose)}`;
}

/** The value that was signed; undefined when it was not signed with one of the secrets, for the same purpose. */
export function unsign(signed: string | undefined, secret: string | readonly string[], purpose = ''): string | undefined {
  const at = signed?.lastIndexOf('.') ?? -1;
  if (signed === undefined || at < 0) return undefined;
  const value = signed.slice(0, at);
  const given = Buffer.from(signed.slice(at + 1));
  const isRight = [secret].flat().some((each) => {
    const right = Buffer.from(mac(value, each, purpose));
    return right.length === given.length && timingSafeEqual(right, given);
  });
  return isRight ? value : undefined;
}

/** The length in front keeps purpose and value apart. */
function mac(value: string, secret: string, purpose: string): string {
  if (secret === '') throw new RangeError('the secret that values are signed with is empty');
  return createHmac('sha256', secret).update(`${purpose.length}:${purpose}${value}`).digest('base64url');
}

function decoded(value: string): string {
  const text = value.startsWith('"') && value.endsWith('"') && value.length > 1 ? value.slice(1, -1) : value;
  try {
    return text.includes('%') ? decodeURIComponent(text) : text;
  } catch {
    return text; // somebody else's cookie, written otherwise
  }
}
