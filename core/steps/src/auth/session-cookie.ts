import { clearCookie, type CookieOptions, parseCookies, setCookie, sign, unsign } from '../cookies.js';
import { guard, type Guard, MIN_SECRET, secretOf } from './guard.js';

export interface SessionOptions extends CookieOptions {
  /** Signs the cookie, 16 characters or more. Of several the first signs and all are accepted, so that a secret can be exchanged. */
  readonly secret: string | undefined | readonly (string | undefined)[];
  /** Default `session`. */
  readonly name?: string | undefined;
  /** Seconds that a session lasts. Default a week. */
  readonly maxAgeS?: number | undefined;
}

/** A guard by a session that is kept in a signed cookie. */
export type SessionCookie<Data> = Guard<Data> & {
  /** The `set-cookie` header that begins a session. Clients can read the data and cannot change it; some 3,000 characters fit. */
  readonly begin: (data: Data) => string;
  /** The `set-cookie` header that ends it in this browser. A copy of the cookie goes on until its time is up. */
  readonly end: () => string;
};

/** What a session lasts by default, in seconds. */
const WEEK = 604_800;

/**
 * Guards by a session in a signed cookie; nothing is stored. `ctx.auth` is what `begin` was given.
 * @throws Error when a secret is not set or too short
 */
export function sessionCookie<Data extends object>(options: SessionOptions): SessionCookie<Data> {
  const { name = 'session', maxAgeS = WEEK, secret, ...attributes } = options;
  const secrets = [secret].flat().map((each) => secretOf('sessionCookie()', 'secret', each, MIN_SECRET));
  const [first] = secrets;
  if (first === undefined) throw new Error('sessionCookie(): "secret" is an empty list');
  const find = ({ headers }: { readonly headers: Readonly<Record<string, string>> }): Data | undefined => {
    const text = unsign(parseCookies(headers['cookie'])[name], secrets, name);
    return text === undefined ? undefined : dataOf<Data>(text);
  };
  const begin = (data: Data): string => {
    const text = Buffer.from(JSON.stringify({ data, until: Date.now() + maxAgeS * 1000 })).toString('base64url');
    return setCookie(name, sign(text, first, name), { ...attributes, maxAgeS });
  };
  return Object.assign(guard(find, undefined, [{ type: 'apiKey', in: 'cookie', name }]), { begin, end: () => clearCookie(name, attributes) });
}

/** Of a text that was signed here; undefined once its time is up. */
function dataOf<Data>(text: string): Data | undefined {
  const { data, until } = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as { readonly data: Data; readonly until: number };
  return until > Date.now() ? data : undefined;
}
