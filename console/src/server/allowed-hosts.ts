import { isIP } from 'node:net';
import { isLoopback, urlHost } from '@treadle/api';

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Where the server listens and under which further names it is reached. */
export interface Reach {
  readonly host: string;
  readonly port: number;
  readonly names: readonly string[];
}

/**
 * Which `Host` and `Origin` headers are ours. A page that has made its name resolve to this machine (DNS rebinding)
 * sends that name as `Host`, and nothing else gives it away.
 */
export class AllowedHosts {
  private readonly hosts = new Set<string>();
  private readonly origins = new Set<string>();

  constructor({ host, port, names }: Reach) {
    const own = isIP(host) && !WILDCARDS.has(host) && !isLoopback(host) ? [urlHost(host)] : [];
    for (const name of [...LOOPBACK_NAMES, ...own]) this.add(name, port);
    for (const name of names) this.addConfigured(name.toLowerCase(), port);
    if (isIP(host) === 0 && !isLoopback(host)) this.add(host.toLowerCase(), port);
  }

  allowsHost(host: string): boolean {
    return this.hosts.has(host.toLowerCase());
  }

  /** `null`, which pages without an origin send, is nobody's. */
  allowsOrigin(origin: string): boolean {
    return this.origins.has(origin.toLowerCase());
  }

  private add(name: string, port: number): void {
    const at = port === 80 ? [name, `${name}:80`] : [`${name}:${port}`];
    for (const host of at) this.allow(host, ['http']);
  }

  /** Behind a proxy the port is the proxy's: the one that is written, else the usual one of http and https, or ours. */
  private addConfigured(name: string, port: number): void {
    const hasPort = /:\d+$/.test(name);
    for (const host of hasPort ? [name] : [name, `${name}:${port}`]) this.allow(host, ['http', 'https']);
  }

  private allow(host: string, schemes: readonly string[]): void {
    this.hosts.add(host);
    for (const scheme of schemes) this.origins.add(`${scheme}://${host}`);
  }
}
