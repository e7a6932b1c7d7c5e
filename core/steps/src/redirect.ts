import type { ResponseHeaders } from './response-headers.js';

/** Statuses that send a client elsewhere. 303: whatever the method was, the client asks with GET; 307 and 308 keep the method. */
export type RedirectStatus = 301 | 302 | 303 | 307 | 308;

/** A result that sends the client elsewhere; further headers such as `set-cookie` go along. Default status 302. Never redirect to what a client has sent without a look at it. */
export function redirect<const Status extends RedirectStatus = 302>(
  location: string | URL, status: Status = 302 as Status, headers?: ResponseHeaders,
): { readonly status: Status; readonly headers: ResponseHeaders } {
  // Headers are ASCII; what is encoded already stays.
  const target = String(location).replace(/[^\x21-\x7e]+/gu, encodeURIComponent);
  return { status, headers: { ...headers, location: target } };
}
