import type { IncomingMessage } from 'node:http';
import type { Caller } from '../access/caller.js';
import type { Callers } from '../access/callers.js';
import type { AllowedHosts } from './allowed-hosts.js';
import { Refusal } from './refusal.js';

/** Methods that change nothing. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const JSON_TYPE = /^application\/json(?:\s*;\s*charset\s*=\s*"?utf-8"?)?\s*$/i;
/** Who comes without a name, to what everybody may see. */
const NOBODY: Caller = { name: 'nobody', role: 'viewer' };

/** True for a request that may change something. */
export function isUnsafe({ method = '' }: IncomingMessage): boolean {
  return !SAFE.has(method);
}

export interface GuardOptions {
  readonly hosts: AllowedHosts;
  readonly callers: Callers;
  /** Whether a GET needs no token: files of the page, and metrics on a loopback address. */
  readonly isOpen: (path: string) => boolean;
}

/** Decides, before anything else of a request is looked at, whether it may come in. */
export class RequestGuard {
  constructor(private readonly options: GuardOptions) {}

  /** Who has sent it, or the first check that it does not pass. */
  admit(request: IncomingMessage, upgrade = false): Caller | Refusal {
    return this.foreign(request) ?? (upgrade ? undefined : unfitting(request)) ?? this.stranger(request, upgrade);
  }

  private foreign(request: IncomingMessage): Refusal | undefined {
    const { headers: { host = '', origin }, url = '' } = request;
    const hosts = request.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
    const { hosts: ours } = this.options;
    if (hosts.length !== 1 || !ours.allowsHost(host)) {
      return new Refusal(403, 'host_refused', `Host "${shown(host)}" is not one of this console's; further ones come from allowed_hosts`);
    }
    if (!url.startsWith('/')) return new Refusal(400, 'bad_target', 'the request line must hold a path');
    if (origin !== undefined && !ours.allowsOrigin(origin)) {
      return new Refusal(403, 'origin_refused', `Origin "${shown(origin)}" is not this console's`);
    }
    return otherSite(request);
  }

  private stranger(request: IncomingMessage, upgrade: boolean): Caller | Refusal {
    const who = this.options.callers.identify(request);
    if (who instanceof Refusal) return !upgrade && !isUnsafe(request) && this.options.isOpen(pathOf(request)) ? NOBODY : who;
    // A browser says where a WebSocket or a change comes from. Only programs, which show a token, may leave it out.
    const mustTell = upgrade ? who.by !== 'token' : who.by === 'session' && isUnsafe(request);
    return mustTell && request.headers.origin === undefined ? NO_ORIGIN : who.caller;
  }
}

/** Without its query. */
export function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

const NO_ORIGIN = new Refusal(403, 'origin_refused', 'the header Origin is missing; only with a bearer token it may be left out');

/** What browsers say of where a request comes from. */
function otherSite({ method, headers }: IncomingMessage): Refusal | undefined {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin') return undefined;
  if (site === 'none' && method === 'GET' && headers['sec-fetch-mode'] === 'navigate') return undefined;
  return new Refusal(403, 'site_refused', `Sec-Fetch-Site "${shown(String(site))}" is refused: only this console's own pages may ask`);
}

/** A form or a simple request of another page can send neither. */
function unfitting(request: IncomingMessage): Refusal | undefined {
  if (!isUnsafe(request)) return undefined;
  const { headers } = request;
  const type = headers['content-type'];
  if ((type !== undefined || hasBody(headers)) && !JSON_TYPE.test(type ?? '')) {
    return new Refusal(415, 'unsupported_media_type', 'Content-Type must be application/json');
  }
  if (headers['content-encoding'] !== undefined) return new Refusal(415, 'unsupported_media_type', 'Content-Encoding is not supported');
  if (headers['x-console'] !== '1') return new Refusal(403, 'header_missing', 'the header "X-Console: 1" is needed');
  return undefined;
}

function hasBody({ 'transfer-encoding': encoding, 'content-length': length = '0' }: IncomingMessage['headers']): boolean {
  return encoding !== undefined || length !== '0';
}

function shown(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
