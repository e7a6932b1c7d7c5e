const SCHEMES: Readonly<Record<string, string>> = { 'ws:': 'ws:', 'wss:': 'wss:', 'http:': 'ws:', 'https:': 'wss:' };

/**
 * What a WebSocket takes: `http` and `https` become `ws` and `wss`; in a page, an address may be relative to it.
 * @throws TypeError that names what is no such address, without its query, which may hold a ticket
 */
export function socketAddress(url: unknown): string {
  const parsed = typeof url === 'string' && url !== '' ? parse(url) : undefined;
  const scheme = SCHEMES[parsed?.protocol ?? ''];
  if (!parsed || scheme === undefined) throw new TypeError(`url must be an address such as "ws://127.0.0.1:3112", got ${shown(url)}`);
  return /^wss?:/.test(url as string) ? (url as string) : parsed.href.replace(parsed.protocol, scheme);
}

function parse(url: string): URL | undefined {
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  try {
    return new URL(url, location?.href);
  } catch {
    return undefined; // the caller says so
  }
}

const shown = (url: unknown): string => (typeof url === 'string' ? JSON.stringify(url.split('?', 1)[0]) : String(url));
