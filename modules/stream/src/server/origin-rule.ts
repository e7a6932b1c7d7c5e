import type { IncomingMessage } from 'node:http';
import { isLoopback } from '@treadle/api';

/** Which upgrade requests are let in, whoever sends them. */
export interface OriginOptions {
  readonly host: string;
  readonly allowed_origins?: readonly string[] | undefined;
}

/**
 * What is wrong with where a request comes from and whom it thinks it talks to, or undefined. Browsers send `Origin` and
 * cannot forge it; other clients send none. On a loopback address `Host` has to be one too, or that of an allowed origin:
 * a page of another site that has its name point here is found out by both. A page of the same host and port is let in: it was
 * served below the same address.
 */
export function originFault({ headers }: IncomingMessage, options: OriginOptions): string | undefined {
  const { origin, host } = headers;
  const local = isLoopback(options.host);
  const allowed = options.allowed_origins;
  if (origin !== undefined && !isSameOrigin(origin, host) && !originAllowed(origin, allowed, local)) {
    return `origin "${origin.slice(0, 100)}" is not allowed; add it to allowed_origins`;
  }
  if (!local || allowed?.includes('*')) return undefined;
  const name = hostName(host);
  if (name !== undefined && (isLoopback(name) || allowed?.some((one) => new URL(one).hostname === name))) return undefined;
  return `host "${(host ?? '').slice(0, 100)}" is not served here`;
}

function isSameOrigin(origin: string, host: string | undefined): boolean {
  return host !== undefined && /^https?:\/\//.test(origin) && origin.replace(/^https?:\/\//, '').toLowerCase() === host.toLowerCase();
}

function originAllowed(origin: string, allowed: readonly string[] | undefined, local: boolean): boolean {
  if (allowed) return allowed.includes('*') || allowed.includes(origin);
  if (!local) return false;
  try {
    const { protocol, hostname } = new URL(origin);
    return (protocol === 'http:' || protocol === 'https:') && isLoopback(hostname);
  } catch {
    // `null`, which sandboxed pages send, and whatever else is no address.
    return false;
  }
}

function hostName(host: string | undefined): string | undefined {
  if (host === undefined) return undefined;
  const match = /^(\[[0-9a-f:.]+\]|[^:]+)(?::\d+)?$/i.exec(host);
  return match?.[1]?.toLowerCase();
}
