import type { IncomingHttpHeaders } from 'node:http';
import { SecretToken } from '@treadle/api';
import type { Role } from '../contract/index.js';
import { Refusal } from '../server/refusal.js';
import { type Caller, callerOf, type ProxySettings } from './caller.js';

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
    const { user_header: user, role_header: asked, role: usual, payloads_header: shows } = this.settings;
    const name = said(headers, user);
    if (name === undefined || !NAME.test(name)) return new Refusal(401, 'unauthorized', `the proxy says by no header "${user}" who it is`);
    const named = said(headers, asked);
    const role = named === undefined ? usual : ROLES.find((one) => one === named);
    if (!role) return new Refusal(403, 'role_refused', `the header "${asked ?? ''}" of the proxy names no role: ${ROLES.join(', ')}`);
    const payloads = said(headers, shows) ?? String(this.settings.payloads);
    if (!['true', 'false'].includes(payloads)) return new Refusal(403, 'role_refused', `the header "${shows ?? ''}" of the proxy says neither true nor false: whether payloads are seen`);
    return callerOf(name, role, payloads === 'true');
  }
}

/** Undefined where the header is not there, is empty, or none is set. */
function said(headers: IncomingHttpHeaders, header: string | undefined): string | undefined {
  const value = header === undefined ? undefined : headers[header.toLowerCase()];
  return value === undefined || value === '' ? undefined : String(value);
}
