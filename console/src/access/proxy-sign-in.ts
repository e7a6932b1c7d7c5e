import type { IncomingHttpHeaders } from 'node:http';
import { SecretToken } from '@treadle/api';
import type { Role } from '../contract/index.js';
import { Refusal } from '../server/refusal.js';
import type { Caller, ProxySettings } from './caller.js';

/** With it a proxy shows that a request came through it. */
const SECRET_HEADER = 'x-console-secret';
/** As the header of the role may have them. */
const ROLES: readonly Role[] = ['viewer', 'operator', 'admin'];
/** What may be somebody's name: it stands in the audit log. */
const NAME = /^[^\p{Cc}]{1,128}$/u;

/** Takes a proxy's word for who sends a request. */
export class ProxySignIn {
  private readonly secret: SecretToken;

  constructor(private readonly settings: ProxySettings) {
    this.secret = new SecretToken('proxy', settings.secret);
  }

  /** Undefined for a request that did not come through the proxy. */
  callerOf(headers: IncomingHttpHeaders): Caller | Refusal | undefined {
    const given = headers[SECRET_HEADER];
    if (given === undefined) return undefined;
    if (!this.secret.matches(given)) return new Refusal(401, 'unauthorized', 'the header "X-Console-Secret" is not what auth.proxy.secret says');
    const { user_header: user, role_header: asked, role: usual } = this.settings;
    const name = headers[user.toLowerCase()];
    if (typeof name !== 'string' || !NAME.test(name)) return new Refusal(401, 'unauthorized', `the proxy says by no header "${user}" who it is`);
    const said = asked === undefined ? undefined : headers[asked.toLowerCase()];
    const role = said === undefined || said === '' ? usual : ROLES.find((one) => one === said);
    return role ? { name, role } : new Refusal(403, 'role_refused', `the header "${asked ?? ''}" of the proxy names no role: ${ROLES.join(', ')}`);
  }
}
