/** True for an address that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return bindsBoth(host) || /^127(\.\d{1,3}){3}$/.test(host);
}

/** The usual loopback addresses stand for each other: whoever tries `localhost` may get either. */
export function bindsBoth(host: string): boolean {
  return host === 'localhost' || host === '127.0.0.1' || host === '::1';
}

/** IPv6 addresses stand in brackets in URLs. */
export function printableHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
