import { type FailureCode, StepFailure, type ValidationIssue } from '@treadle/api';

/** What there is to a problem beside its status, its code and its text. */
export interface ProblemParts {
  /** At most 20. */
  readonly issues?: readonly ValidationIssue[] | undefined;
  /** In development: what was probably meant. */
  readonly hint?: string | undefined;
  /** In development: what there is, as `GET /users/:id`. */
  readonly routes?: readonly string[] | undefined;
  /** Flat list of further response headers. */
  readonly headers?: readonly string[] | undefined;
  /** Text of the handler's own error: shown with `debug` on a loopback bind only. */
  readonly detail?: string | undefined;
  /** What is wrong with a handler's result: for the log, and in development for the client. */
  readonly fault?: string | undefined;
}

/** Why a request is not answered by its handler: one row of the error table. */
export class Problem {
  /**
   * @param status HTTP status, 400-599
   * @param code stable name for machines
   * @param error for people; says nothing of the engine's inside
   */
  constructor(readonly status: number, readonly code: string, readonly error: string, readonly parts: ProblemParts = {}) {}

  /** The same row with something added. */
  with(parts: ProblemParts & { readonly error?: string }): Problem {
    return new Problem(this.status, this.code, parts.error ?? this.error, { ...this.parts, ...parts });
  }

  /** The body of its answer, as JSON. `detail` is shown only when asked for: never to strangers. */
  text(traceId: string, showDetail: boolean): string {
    const { error, code, parts: { issues, hint, routes, detail } } = this;
    return JSON.stringify({ error, code, traceId, issues, hint, routes, message: showDetail ? detail : undefined });
  }
}

/**
 * How every stage of a request gives its result: the value, or why the request goes no further. Returned where it is known at once,
 * else handed over once to whoever waits for it.
 */
export type OrProblem<T> = T | Problem;

const comeBack = (seconds: number): ProblemParts => ({ headers: ['retry-after', String(seconds)] });

/** Problems whose text does not depend on the request. */
export const PROBLEMS = {
  notFound: new Problem(404, 'not_found', 'Not Found'),
  starting: new Problem(503, 'starting', 'The engine is starting', comeBack(1)),
  draining: new Problem(503, 'draining', 'The engine is shutting down', comeBack(1)),
  noWorker: new Problem(503, 'no_worker', 'No worker serves this Step at the moment', comeBack(1)),
  workerLost: new Problem(502, 'worker_lost', 'The worker died while it handled the request'),
  handlerTimeout: new Problem(504, 'handler_timeout', 'The handler took too long'),
  invalidResult: new Problem(500, 'invalid_handler_result', 'The handler gave an unusable result'),
  conditionNotMet: new Problem(422, 'condition_not_met', 'The condition of the Step is not met'),
  queueFull: new Problem(503, 'queue_full', 'The queue takes no more at the moment', comeBack(5)),
  storageFull: new Problem(503, 'storage_full', 'The storage is full', comeBack(5)),
  fileForbidden: new Problem(403, 'forbidden', 'The engine may not read this file'),
  unhandled: new Problem(500, 'unhandled_exception', 'Internal Server Error'),
  uriTooLong: new Problem(414, 'uri_too_long', 'The URI is longer than 8 KiB'),
  headersTooLarge: new Problem(431, 'headers_too_large', 'The headers exceed 16 KiB or 200 lines'),
  bodyTooLarge: new Problem(413, 'body_too_large', 'The body is too large'),
  requestTimeout: new Problem(408, 'request_timeout', 'The request did not arrive in time'),
  malformed: badRequest('The request is malformed'),
  badEncoding: badRequest('The URI has a bad percent-encoding'),
  badTarget: badRequest('The request target is not usable'),
  duplicateHost: badRequest('The request must have exactly one Host header'),
  hostMismatch: badRequest('The request target and the Host header name different hosts'),
  oldTransferEncoding: badRequest('HTTP/1.0 has no Transfer-Encoding'),
  tooManyParameters: badRequest('The query has more than 256 parameters'),
  connect: badRequest('CONNECT is not supported'),
  expectation: new Problem(417, 'expectation_failed', 'Only "Expect: 100-continue" is supported'),
} as const;

/** 400 for a request that breaks a rule of HTTP or of ours. */
export function badRequest(error: string): Problem {
  return new Problem(400, 'bad_request', error);
}

/** 400 for a body that is not the JSON it claims to be. */
export function invalidJson(error: string): Problem {
  return new Problem(400, 'invalid_json', error);
}

/** 415 for a body in a form that the trigger does not take. */
export function unsupportedMedia(error: string): Problem {
  return new Problem(415, 'unsupported_media_type', error);
}

/** 405; `allow` is the value of the `Allow` header. */
export function methodNotAllowed(allow: string): Problem {
  return new Problem(405, 'method_not_allowed', 'Method Not Allowed', { headers: ['allow', allow] });
}

/** 416 for a part that a file of `size` bytes does not have. */
export function rangeNotSatisfiable(size: number): Problem {
  return new Problem(416, 'range_not_satisfiable', 'The file has no such range', { headers: ['content-range', `bytes */${size}`] });
}

/** 400 with the findings of a schema. */
export function validationFailed(issues: readonly ValidationIssue[]): Problem {
  return new Problem(400, 'validation_failed', 'Validation failed', { issues: issues.slice(0, 20) });
}

/** 500 for a result that cannot be sent. */
export function unusableResult(fault: string): Problem {
  return PROBLEMS.invalidResult.with({ fault });
}

/** 503 that asks the client back after 1-5 s, spread so that refused clients do not return together. */
export function overloaded(): Problem {
  return new Problem(503, 'overloaded', 'The engine is busy', comeBack(1 + Math.floor(Math.random() * 5)));
}

const BY_FAILURE: Readonly<Partial<Record<FailureCode, Problem>>> = {
  no_worker: PROBLEMS.noWorker,
  draining: PROBLEMS.draining,
  cancelled: PROBLEMS.draining,
  worker_lost: PROBLEMS.workerLost,
  handler_timeout: PROBLEMS.handlerTimeout,
  condition_not_met: PROBLEMS.conditionNotMet,
  invalid_json: invalidJson('The body is not valid JSON'),
};

/** Refusals of operations that a handler let through and that pass by themselves. */
const BY_ERROR: ReadonlyMap<string | undefined, Problem> = new Map([['QueueFull', PROBLEMS.queueFull], ['StorageFull', PROBLEMS.storageFull]]);

/** The table's row for a rejected invocation; anything unknown is an unhandled exception. */
export function problemOfFailure(failure: unknown): Problem {
  if (!(failure instanceof StepFailure)) return PROBLEMS.unhandled;
  if (failure.code === 'overloaded') return overloaded();
  if (failure.code === 'validation_failed') return validationFailed(failure.detail.issues ?? []);
  if (failure.code === 'invalid_handler_result') return PROBLEMS.invalidResult.with({ detail: failure.message });
  const passing = failure.code === 'unhandled_exception' ? BY_ERROR.get(failure.detail.errorName) : undefined;
  return passing ?? BY_FAILURE[failure.code] ?? PROBLEMS.unhandled.with({ detail: failure.message });
}
