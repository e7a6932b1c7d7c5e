import type { IncomingMessage } from 'node:http';
import { SecretToken } from '@treadle/api';
import { Refusal } from '../server/refusal.js';
import { type Caller, callerOf, type NamedToken } from './caller.js';
import type { ProxySignIn } from './proxy-sign-in.js';
import type { SessionCookie } from './session-cookie.js';
import type { Sessions } from './sessions.js';

export interface CallersOptions {
  /** The engine's own, of an admin. */
  readonly token: SecretToken;
  readonly tokens: readonly NamedToken[];
  /** Nobody needs to show anything. */
  readonly none: boolean;
  readonly proxy?: ProxySignIn | undefined;
  readonly sessions: Sessions;
  readonly cookie: SessionCookie;
}

/** How somebody has shown who they are. */
export interface Identified {
  readonly caller: Caller;
  /** A browser adds it by itself, whoever makes it ask: then other headers must say that the page is ours. */
  readonly by: 'token' | 'session' | 'nothing';
}

/** Tells who sends a request, by the word of a proxy, a bearer token or the cookie of a session. */
export class Callers {
  private readonly tokens: readonly { readonly secret: SecretToken; readonly caller: Caller }[];

  constructor(private readonly options: CallersOptions) {
    const own = { secret: options.token, caller: { name: 'local', role: 'admin' } as const };
    this.tokens = [own, ...options.tokens.map(({ name, role, payloads, token }) => ({ secret: new SecretToken(name, token), caller: callerOf(name, role, payloads) }))];
  }

  /** A refusal when it does not tell. A token that is wrong is not made up for by a session. */
  identify(request: IncomingMessage): Identified | Refusal {
    const { authorization } = request.headers;
    const passed = this.options.proxy?.callerOf(request.headers);
    // The proxy goes by a cookie of its own.
    if (passed) return passed instanceof Refusal ? passed : { caller: passed, by: 'session' };
    if (authorization !== undefined) return this.byToken(authorization) ?? unauthorized('the bearer token is wrong');
    const id = this.options.cookie.read(request);
    const caller = id === undefined ? undefined : this.options.sessions.callerOf(id);
    if (caller) return { caller, by: 'session' };
    if (this.options.none) return { caller: { name: 'anybody', role: 'admin' }, by: 'nothing' };
    return unauthorized('a bearer token is needed');
  }

  private byToken(authorization: string): Identified | undefined {
    const given = /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '';
    // All of them, so that the time tells nothing of which one it is.
    const [found] = this.tokens.filter(({ secret }) => secret.matches(given));
    return found && { caller: found.caller, by: 'token' };
  }
}

function unauthorized(reason: string): Refusal {
  return new Refusal(401, 'unauthorized', `${reason}; it is in admin.token in the engine's data directory, or what ADMIN_TOKEN says. "treadle console" opens the page`);
}
