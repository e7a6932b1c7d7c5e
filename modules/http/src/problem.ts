import { type FailureCode, StepFailure, type ValidationIssue } from '@treadle/api';

/** Why a request is not answered by its handler: one row of the error table. */
export interface Problem {
  /** HTTP status, 400-599. */
  readonly status: number;
  /** Stable name for machines. */
  readonly code: string;
  /** For people; says nothing of the engine's inside. */
  readonly error: string;
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
}

const fixed = (status: number, code: string, error: string, headers?: readonly string[]): Problem =>
  Object.freeze({ status, code, error, headers });

/** Problems whose text does not depend on the request. */
export const PROBLEMS = {
  notFound: fixed(404, 'not_found', 'Not Found'),
  starting: fixed(503, 'starting', 'The engine is starting', ['retry-after', '1']),
  draining: fixed(503, 'draining', 'The engine is shutting down', ['retry-after', '1']),
  noWorker: fixed(503, 'no_worker', 'No worker serves this Step at the moment', ['retry-after', '1']),
  workerLost: fixed(502, 'worker_lost', 'The worker died while it handled the request'),
  handlerTimeout: fixed(504, 'handler_timeout', 'The handler took too long'),
  invalidResult: fixed(500, 'invalid_handler_result', 'The handler gave an unusable result'),
  conditionNotMet: fixed(422, 'condition_not_met', 'The condition of the Step is not met'),
  queueFull: fixed(503, 'queue_full', 'The queue takes no more at the moment', ['retry-after', '5']),
  storageFull: fixed(503, 'storage_full', 'The storage is full', ['retry-after', '5']),
  unhandled: fixed(500, 'unhandled_exception', 'Internal Server Error'),
  uriTooLong: fixed(414, 'uri_too_long', 'The URI is longer than 8 KiB'),
  headersTooLarge: fixed(431, 'headers_too_large', 'The headers exceed 16 KiB or 200 lines'),
  bodyTooLarge: fixed(413, 'body_too_large', 'The body is too large'),
  requestTimeout: fixed(408, 'request_timeout', 'The request did not arrive in time'),
  malformed: fixed(400, 'bad_request', 'The request is malformed'),
  badEncoding: fixed(400, 'bad_request', 'The URI has a bad percent-encoding'),
  badTarget: fixed(400, 'bad_request', 'The request target is not usable'),
  duplicateHost: fixed(400, 'bad_request', 'The request must have exactly one Host header'),
  hostMismatch: fixed(400, 'bad_request', 'The request target and the Host header name different hosts'),
  oldTransferEncoding: fixed(400, 'bad_request', 'HTTP/1.0 has no Transfer-Encoding'),
  tooManyParameters: fixed(400, 'bad_request', 'The query has more than 256 parameters'),
  connect: fixed(400, 'bad_request', 'CONNECT is not supported'),
  expectation: fixed(417, 'expectation_failed', 'Only "Expect: 100-continue" is supported'),
} as const;

/** 400 for a request that breaks a rule of HTTP or of ours. */
export function badRequest(error: string): Problem {
  return { status: 400, code: 'bad_request', error };
}

/** 400 for a body that is not the JSON it claims to be. */
export function invalidJson(error: string): Problem {
  return { status: 400, code: 'invalid_json', error };
}

/** 415 for a body in a form that the trigger does not take. */
export function unsupportedMedia(error: string): Problem {
  return { status: 415, code: 'unsupported_media_type', error };
}

/** 405; `allow` is the value of the `Allow` header. */
export function methodNotAllowed(allow: string): Problem {
  return { status: 405, code: 'method_not_allowed', error: 'Method Not Allowed', headers: ['allow', allow] };
}

/** 416 for a part that a file of `size` bytes does not have. */
export function rangeNotSatisfiable(size: number): Problem {
  const headers = ['content-range', `bytes */${size}`];
  return { status: 416, code: 'range_not_satisfiable', error: 'The file has no such range', headers };
}

/** 400 with the findings of a schema. */
export function validationFailed(issues: readonly ValidationIssue[]): Problem {
  return { status: 400, code: 'validation_failed', error: 'Validation failed', issues: issues.slice(0, 20) };
}

/** 503 that asks the client back after 1-5 s, spread so that refused clients do not return together. */
export function overloaded(): Problem {
  const seconds = 1 + Math.floor(Math.random() * 5);
  return { status: 503, code: 'overloaded', error: 'The engine is busy', headers: ['retry-after', String(seconds)] };
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
  if (failure.code === 'invalid_handler_result') return { ...PROBLEMS.invalidResult, detail: failure.message };
  const passing = failure.code === 'unhandled_exception' ? BY_ERROR.get(failure.detail.errorName) : undefined;
  return passing ?? BY_FAILURE[failure.code] ?? { ...PROBLEMS.unhandled, detail: failure.message };
}
