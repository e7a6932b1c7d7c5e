import type { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { ResponseHeaders } from './response-headers.js';

const MARKER = Symbol.for('treadle.streamed');

/** What an event may say beside its data. */
export interface SseMessage {
  /** Name of the event; clients listen for `message` without one. */
  readonly event?: string | undefined;
  /** Sent back by clients as Last-Event-ID. */
  readonly id?: string | undefined;
  /** Tells clients how long to wait before they connect again, in milliseconds. */
  readonly retryMs?: number | undefined;
}

/**
 * Sends one event; strings as they are, anything else as JSON. Resolves when there is room for the next one. Events that are sent without
 * waiting are kept in order; beyond 4 MiB of an answer, or 64 MiB of the process, the answer ends with an error in the log. Rejects when
 * the answer is over or its client has gone.
 */
export interface SseSend {
  (data: unknown, message?: SseMessage): Promise<void>;
  /** A line that clients ignore; keeps proxies from closing an idle connection. */
  comment(text: string): Promise<void>;
  /** Aborts when the client has gone or time is up. */
  readonly signal: AbortSignal;
}

/** What a streamed answer may say beside its body. */
export interface StreamOptionsOfResponse {
  /** Default 200. */
  readonly status?: number | undefined;
  readonly headers?: ResponseHeaders | undefined;
}

/** Where the bytes of a streamed answer come from; texts are UTF-8. */
export type StreamSource = Readable | ReadableStream | AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/** A response whose body comes bit by bit; made by `sse()` and `streamed()`. */
export interface StreamedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** Exactly one of the two is there. */
  readonly source?: StreamSource | undefined;
  readonly produce?: ((send: SseSend) => unknown) | undefined;
}

/** Answers with server-sent events for as long as `produce` runs. */
export function sse(produce: (send: SseSend) => unknown, options: StreamOptionsOfResponse = {}): StreamedResponse {
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform', ...options.headers };
  return mark({ status: options.status ?? 200, headers, produce });
}

/** Answers with the bytes of a readable. Default content type: `application/octet-stream`. */
export function streamed(source: StreamSource, options: StreamOptionsOfResponse = {}): StreamedResponse {
  const headers = { 'content-type': 'application/octet-stream', ...options.headers };
  return mark({ status: options.status ?? 200, headers, source });
}

/** True for a response made by `sse()` or `streamed()`, also by another copy of this package. */
export function isStreamed(value: unknown): value is StreamedResponse {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[MARKER] === true;
}

function mark(response: StreamedResponse): StreamedResponse {
  Object.defineProperty(response, MARKER, { value: true });
  return Object.freeze(response);
}
