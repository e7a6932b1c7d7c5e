import { authorization, type Found, guard, type Guard, isSame, secretOf } from './guard.js';

/** Users that are known beforehand: name to password. */
export interface BasicOptions {
  readonly users: Readonly<Record<string, string | undefined>>;
  /** What browsers show when they ask for the password. Default `restricted`. */
  readonly realm?: string | undefined;
}

/** Users that are looked up. */
export interface BasicLookup<Auth> {
  /** Who has this name and password; null or undefined for nobody. */
  readonly find: (user: string, password: string) => Found<Auth> | Promise<Found<Auth>>;
  readonly realm?: string | undefined;
}

/**
 * Guards by user and password (RFC 7617), for which browsers ask by themselves. Gives `ctx.auth.user`.
 * @throws Error when a password is not set
 */
export function basic(options: BasicOptions): Guard<{ user: string }>;
export function basic<Auth>(options: BasicLookup<Auth>): Guard<Auth>;
export function basic(options: BasicOptions | BasicLookup<unknown>): object {
  const find = 'find' in options ? options.find : amongKnown(options.users);
  const realm = (options.realm ?? 'restricted').replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '');
  return guard<unknown>((request) => {
    const text = Buffer.from(authorization(request, 'basic') ?? '', 'base64').toString('utf8');
    const at = text.indexOf(':');
    return at < 0 ? null : find(text.slice(0, at), text.slice(at + 1));
  }, `Basic realm="${realm}", charset="UTF-8"`, [{ type: 'http', scheme: 'basic' }]);
}

function amongKnown(users: BasicOptions['users']): (user: string, password: string) => { user: string } | undefined {
  const known = Object.entries(users).map(([user, password]) => [user, secretOf('basic()', `users.${user}`, password)] as const);
  if (known.length === 0) throw new Error('basic(): "users" has no user, so nobody could get in');
  return (user, password) => known.reduce<{ user: string } | undefined>((found, [name, right]) => {
    const isRight = isSame(password, right);
    return isSame(user, name) && isRight ? { user: name } : found;
  }, undefined);
}
