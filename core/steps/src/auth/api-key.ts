import { inQuery } from './credential-scheme.js';
import { type Credentials, type Found, guard, type Guard, isSame, secretOf } from './guard.js';

/** Where an API key is looked for. */
interface Place {
  /** Default `x-api-key`. */
  readonly header?: string | undefined;
  /** Parameter of the query that may carry it as well, e.g. where browsers connect to streams. It is then in the logs of proxies. Default: none. */
  readonly query?: string | undefined;
}

/** Keys that are known beforehand, by the name of who has them. */
export interface ApiKeyOptions extends Place {
  readonly keys: Readonly<Record<string, string | undefined>>;
}

/** Keys that are looked up. */
export interface ApiKeyLookup<Auth> extends Place {
  /** Who has the key; null or undefined for nobody. Look up its hash, so that the time that it takes says nothing. */
  readonly find: (key: string) => Found<Auth> | Promise<Found<Auth>>;
}

/**
 * Guards by a key in a header: `apiKey({ keys: { billing: process.env['BILLING_KEY'] } })` gives `ctx.auth.name` `billing`.
 * @throws Error when a key is not set
 */
export function apiKey(options: ApiKeyOptions): Guard<{ name: string }>;
export function apiKey<Auth>(options: ApiKeyLookup<Auth>): Guard<Auth>;
export function apiKey(options: ApiKeyOptions | ApiKeyLookup<unknown>): object {
  const { header = 'x-api-key', query } = options;
  const find = 'find' in options ? options.find : amongKnown(options.keys);
  const name = header.toLowerCase();
  return guard<unknown>((request) => {
    const key = request.headers[name] ?? fromQuery(request, query);
    return key === undefined || key === '' ? null : find(key);
  }, `ApiKey header="${name}"`, [{ type: 'apiKey', in: 'header', name }, ...inQuery(query)]);
}

function amongKnown(keys: ApiKeyOptions['keys']): (key: string) => { name: string } | undefined {
  const known = Object.entries(keys).map(([name, key]) => [name, secretOf('apiKey()', `keys.${name}`, key)] as const);
  if (known.length === 0) throw new Error('apiKey(): "keys" has no key, so nobody could get in');
  // Each is compared, so that the time does not tell which one was nearly right.
  return (given) => known.reduce<{ name: string } | undefined>((found, [name, key]) => (isSame(given, key) ? { name } : found), undefined);
}

function fromQuery({ query }: Credentials, name: string | undefined): string | undefined {
  const value: unknown = name === undefined ? undefined : query[name];
  return typeof value === 'string' ? value : undefined;
}
