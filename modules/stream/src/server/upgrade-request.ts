import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { HttpPort } from '@treadle/api';
import type { HookRequest } from '../access/hooks.js';

/** Answers an upgrade request that is not granted, and ends its connection. */
export function refuseUpgrade(socket: Duplex, status: 401 | 403 | 503, code: string, message: string): void {
  const body = JSON.stringify({ error: message, code });
  const retry = status === 503 ? 'Retry-After: 1\r\n' : '';
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\n${retry}`
    + `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  // Not only ended: a peer that never ends its side would keep the connection.
  (socket as Socket).destroySoon();
}

/** What `authenticate` is told: names in lower case, the last value of each query name. `http` knows which proxies are trusted. */
export function hookRequest(request: IncomingMessage, http: Pick<HttpPort, 'clientAddress'> | undefined): HookRequest {
  const url = request.url ?? '/';
  return { headers: plainHeaders(request), query: queryOf(url), url, ip: http?.clientAddress(request) ?? request.socket.remoteAddress ?? '' };
}

function plainHeaders({ headers }: IncomingMessage): Record<string, string> {
  const plain = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) plain[name] = Array.isArray(value) ? value.join(', ') : value;
  return plain;
}

function queryOf(url: string): Record<string, string> {
  const query = Object.create(null) as Record<string, string>;
  const at = url.indexOf('?');
  if (at >= 0) for (const [name, value] of new URLSearchParams(url.slice(at + 1))) query[name] = value;
  return query;
}
