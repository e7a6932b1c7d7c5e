import { STATUS_CODES } from 'node:http';
import type { ResponseHeaders } from './response-headers.js';

/** Errors are recognised by a marker, so that `instanceof` works across copies of this package. */
function hasMarker(value: unknown, marker: symbol): boolean {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[marker] === true;
}

const NON_RETRYABLE = Symbol.for('treadle.NonRetryableError');
const RETRY_AFTER = Symbol.for('treadle.RetryAfter');
const HTTP_ERROR = Symbol.for('treadle.HttpError');
const HANDLER_EXIT = Symbol.for('treadle.HandlerExit');
const OPERATION = Symbol.for('treadle.OperationError');
const TOPIC_NOT_DECLARED = Symbol.for('treadle.TopicNotDeclared');

/** Thrown by a handler: the message becomes a dead letter now, without further attempts. */
export class NonRetryableError extends Error {
  constructor(message = 'not to be tried again', options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'NonRetryableError';
    Object.defineProperty(this, NON_RETRYABLE, { value: true });
  }
  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasMarker(value, NON_RETRYABLE);
  }
}

/** Thrown by a handler: the next attempt comes after `delayMs` milliseconds. */
export class RetryAfter extends Error {
  readonly delayMs: number;
  /** @throws RangeError when `delayMs` is not a finite number from 0. */
  constructor(delayMs: number, message = `try again after ${delayMs} ms`, options?: { cause?: unknown }) {
    if (!Number.isFinite(delayMs) || delayMs < 0) throw new RangeError(`RetryAfter needs milliseconds from 0, got ${delayMs}`);
    super(message, options);
    this.name = 'RetryAfter';
    this.delayMs = delayMs;
    Object.defineProperty(this, RETRY_AFTER, { value: true });
  }
  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasMarker(value, RETRY_AFTER);
  }
}

/**
 * Thrown on the way of a request (middleware, condition, handler): it is answered with this status, body and headers. Without a body, or with a
 * sentence in its place, the client gets `{ error, code, traceId }` as from the engine itself. Below 500 it is not logged. In the handler of
 * another trigger it is an error like any other.
 */
export class HttpError extends Error {
  readonly status: number;
  readonly body: unknown;
  readonly headers: ResponseHeaders | undefined;
  /** @throws RangeError when `status` is not an integer from 400 to 599. */
  constructor(status: number, body?: unknown, headers?: ResponseHeaders, options?: { cause?: unknown }) {
    if (!Number.isInteger(status) || status < 400 || status > 599) throw new RangeError(`HttpError needs a status from 400 to 599, got ${status}`);
    super(sentenceOf(status, body), options);
    this.name = 'HttpError';
    this.status = status;
    this.body = body;
    this.headers = headers;
    Object.defineProperty(this, HTTP_ERROR, { value: true });
  }
  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasMarker(value, HTTP_ERROR);
  }
}

function sentenceOf(status: number, body: unknown): string {
  if (typeof body === 'string') return body;
  const error = typeof body === 'object' && body !== null ? (body as { error?: unknown }).error : undefined;
  return typeof error === 'string' ? error : STATUS_CODES[status] ?? `HTTP status ${status}`;
}

/** Thrown in place of ending the process when a handler calls `process.exit` or `process.abort`: others run in it as well. */
export class HandlerExit extends Error {
  readonly exitCode: number | undefined;
  constructor(call: string, exitCode?: number) {
    super(`the handler called ${call}, which would end a process that other Steps run in; throw an error instead`);
    this.name = 'HandlerExit';
    this.exitCode = exitCode;
    Object.defineProperty(this, HANDLER_EXIT, { value: true });
  }
  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasMarker(value, HANDLER_EXIT);
  }
}

/** Rejection of `ctx.state`, `ctx.streams`, `ctx.enqueue` or `ctx.call`; `code` is stable, e.g. `StaleDelivery` or `QueueFull`. */
export class OperationError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = 'OperationError';
    this.code = code;
    Object.defineProperty(this, OPERATION, { value: true });
  }
  static override [Symbol.hasInstance](value: unknown): boolean {
    // A subclass has its own marker; inherited, this would let every OperationError pass for it.
    return hasMarker(value, OPERATION);
  }
}

/** Rejection of `ctx.enqueue` for a topic that the Step's `enqueues` does not list. Nothing was sent. */
export class TopicNotDeclared extends OperationError {
  constructor(step: string, topic: string) {
    super('TopicNotDeclared', `Step "${step}" enqueues to "${topic}", which its "enqueues" does not list`);
    this.name = 'TopicNotDeclared';
    Object.defineProperty(this, TOPIC_NOT_DECLARED, { value: true });
  }
  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasMarker(value, TOPIC_NOT_DECLARED);
  }
}
