import type { IncomingMessage } from 'node:http';
import { type Problem, PROBLEMS } from '../response/problem.js';

/** Most header lines of a request. */
const MAX_HEADER_LINES = 200;
/** Most bytes of names and values of all headers. */
export const MAX_HEADER_BYTES = 16 * 1024;
/** Longest request target. */
export const MAX_URI_BYTES = 8 * 1024;

const SLASH = 47;
const LOWER_H = 104;
const CASE_BIT = 32;

/**
 * Refuses what Node lets through: too much, and what two readers of the same bytes could understand differently. One
 * pass over the raw headers; called for every request.
 * @source RFC 9112, sections 3.2, 6.1
 */
export function checkHead(request: IncomingMessage): Problem | undefined {
  const raw = request.rawHeaders;
  if (raw.length > 2 * MAX_HEADER_LINES) return PROBLEMS.headersTooLarge;
  let bytes = 0;
  let hosts = 0;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string;
    // ": " and the line end belong to the line as it was sent.
    bytes += name.length + (raw[i + 1] as string).length + 4;
    if (name.length === 4 && (name.charCodeAt(0) | CASE_BIT) === LOWER_H && name.toLowerCase() === 'host') hosts++;
  }
  const url = request.url as string;
  if (url.length > MAX_URI_BYTES) return PROBLEMS.uriTooLong;
  if (bytes > MAX_HEADER_BYTES) return PROBLEMS.headersTooLarge;
  const old = request.httpVersionMinor === 0;
  if (hosts > 1 || (hosts === 0 && !old)) return PROBLEMS.duplicateHost;
  if (old && request.headers['transfer-encoding'] !== undefined) return PROBLEMS.oldTransferEncoding;
  return url.charCodeAt(0) === SLASH ? undefined : normaliseTarget(request, url);
}

/** Turns `http://host/path` into `/path` when it names the host of the Host header; leaves `OPTIONS *` alone. */
function normaliseTarget(request: IncomingMessage, url: string): Problem | undefined {
  if (url === '*') return request.method === 'OPTIONS' ? undefined : PROBLEMS.badTarget;
  const match = /^https?:\/\/([^/?#@]+)(\/[^#]*|\?[^#]*)?$/i.exec(url);
  if (!match) return PROBLEMS.badTarget;
  const [, authority = '', rest = '/'] = match;
  if (authority.toLowerCase() !== (request.headers.host ?? '').toLowerCase()) return PROBLEMS.hostMismatch;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  return undefined;
}

/** All values of each header, in order; undefined when no header was repeated, which is the rule. */
export function repeatedHeaders(request: IncomingMessage): Record<string, string[]> | undefined {
  let names = 0;
  for (const _ in request.headers) names++;
  const raw = request.rawHeaders;
  if (names * 2 === raw.length) return undefined;
  const all = Object.create(null) as Record<string, string[]>;
  for (let i = 0; i < raw.length; i += 2) (all[(raw[i] as string).toLowerCase()] ??= []).push(raw[i + 1] as string);
  return all;
}

/** Node's own header map; `set-cookie`, which it keeps as a list, joined like any other. */
export function plainHeaders(request: IncomingMessage): Record<string, string> {
  const { headers } = request;
  if (headers['set-cookie'] === undefined) return headers as Record<string, string>;
  return { ...headers, 'set-cookie': headers['set-cookie'].join(', ') } as Record<string, string>;
}

/** Checks the path's encoding; the router has not matched it, or has matched it with parameters. */
export function pathProblem(path: string): Problem | undefined {
  if (path.includes('#')) return PROBLEMS.badTarget;
  if (!path.includes('%')) return undefined;
  try {
    return decodeURIComponent(path).includes('\0') ? PROBLEMS.badEncoding : undefined;
  } catch {
    // The one error of decodeURIComponent is the answer itself.
    return PROBLEMS.badEncoding;
  }
}
