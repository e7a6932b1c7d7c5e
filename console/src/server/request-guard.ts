import type { IncomingMessage } from 'node:http';
import type { SecretToken } from '@treadle/api';
import type { AllowedHosts } from './allowed-hosts.js';
import { Refusal } from './refusal.js';

/** Methods that change nothing. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const JSON_TYPE = /^application\/json(?:\s*;\s*charset\s*=\s*"?utf-8"?)?\s*$/i;
/** Need no token on a loopback address. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/metrics']);

/** True for a request that may change something. */
export function isUnsafe({ method = '' }: IncomingMessage): boolean {
  return !SAFE.has(method);
}

/** Decides, before anything else of a request is looked at, whether it may come in. */
export class RequestGuard {
  /** @param loopback only programs of this machine can reach it */
  constructor(private readonly hosts: AllowedHosts, private readonly token: SecretToken, private readonly loopback: boolean) {}

  /** The first check that the request does not pass; undefined: it may come in. */
  refusal(request: IncomingMessage, upgrade = false): Refusal | undefined {
    return this.foreign(request) ?? (upgrade ? UPGRADE : undefined) ?? unfitting(request) ?? this.stranger(request);
  }

  private foreign(request: IncomingMessage): Refusal | undefined {
    const { headers: { host = '', origin }, url = '' } = request;
    const hosts = request.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
    if (hosts.length !== 1 || !this.hosts.allowsHost(host)) {
      return new Refusal(403, 'host_refused', `Host "${shown(host)}" is not one of this console's; further ones come from allowed_hosts`);
    }
    if (!url.startsWith('/')) return new Refusal(400, 'bad_target', 'the request line must hold a path');
    if (origin !== undefined && !this.hosts.allowsOrigin(origin)) {
      return new Refusal(403, 'origin_refused', `Origin "${shown(origin)}" is not this console's`);
    }
    return otherSite(request);
  }

  private stranger({ headers, url = '' }: IncomingMessage): Refusal | undefined {
    if (this.token.matches(bearerOf(headers.authorization)) || (this.loopback && OPEN_PATHS.has(url))) return undefined;
    const reason = headers.authorization === undefined ? 'a bearer token is needed' : 'the bearer token is wrong';
    return new Refusal(401, 'unauthorized', `${reason}; it is in admin.token in the engine's data directory, or what ADMIN_TOKEN says`);
  }
}

function bearerOf(authorization = ''): string {
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '';
}

const UPGRADE = new Refusal(400, 'upgrade_refused', 'connections are not upgraded here');

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
  if (!JSON_TYPE.test(headers['content-type'] ?? '')) {
    return new Refusal(415, 'unsupported_media_type', 'Content-Type must be application/json');
  }
  if (headers['content-encoding'] !== undefined) return new Refusal(415, 'unsupported_media_type', 'Content-Encoding is not supported');
  if (headers['x-console'] !== '1') return new Refusal(403, 'header_missing', 'the header "X-Console: 1" is needed');
  return undefined;
}

function shown(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
