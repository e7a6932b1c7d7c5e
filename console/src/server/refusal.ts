import type { ServerResponse } from 'node:http';
import { requestIdOf } from './request-id.js';

/** Why a request is not answered as it asks, in the form that clients get. */
export class Refusal extends Error {
  constructor(readonly status: number, readonly code: string, message: string, readonly at?: { readonly from: number; readonly to: number }) {
    super(message);
    this.name = 'Refusal';
  }

  /** The body (RFC 9457). */
  text(requestId: string): string {
    const { status, code, message: detail, at } = this;
    return JSON.stringify({ status, code, detail, requestId, at });
  }
}

/** Of a body that says why something was refused. */
export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** On every response: nothing here is for other sites, frames or caches. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
};

/** Answers a request whose body nobody has read, and ends its connection. */
export function refuse(response: ServerResponse, refusal: Refusal): void {
  const text = refusal.text(requestIdOf(response));
  response.writeHead(refusal.status, {
    ...SAFE_HEADERS, 'content-type': PROBLEM_TYPE, 'content-length': Buffer.byteLength(text), connection: 'close',
    ...refusal.status === 401 ? { 'www-authenticate': 'Bearer' } : {},
  });
  response.end(text);
}
