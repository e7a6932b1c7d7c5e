import { HttpError } from 'treadle';
import type { Answer } from './http-result.js';
import { toAnswer } from './http-result.js';
import { isThenable } from './is-thenable.js';

/** Longest sentence of an error that a client gets, in characters. */
const MAX_SENTENCE = 2048;

/** An error's status and the whole answer, which may have to be waited for. */
export interface ThrownAnswer {
  readonly status: number;
  readonly answer: Answer | PromiseLike<Answer>;
}

/**
 * The answer that a thrown error asks for: an `HttpError`, or another package's with a `status` or `statusCode` that it exposes, or that is
 * the client's fault. Undefined for every other error.
 * @throws RunError `invalid_handler_result` when its headers or body cannot be sent
 */
export function thrownAnswer(thrown: unknown): ThrownAnswer | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  if (thrown instanceof HttpError) return ofHttpError(thrown);
  return ofForeign(thrown as ForeignError);
}

function ofHttpError({ status, headers, body, message }: HttpError): ThrownAnswer {
  const typed = headers !== undefined && Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  return answerWith({ status, headers, body: typeof body === 'string' && !typed ? undefined : body }, message);
}

interface ForeignError {
  readonly status?: unknown;
  readonly statusCode?: unknown;
  readonly expose?: unknown;
  readonly message?: unknown;
  readonly headers?: unknown;
}

/** Its words and headers reach the client only where it says so: errors of HTTP clients carry what another server said. */
function ofForeign(error: ForeignError): ThrownAnswer | undefined {
  const { expose } = error;
  const status = [error.status, error.statusCode].find(isStatus);
  if (status === undefined || (status >= 500 && expose !== true)) return undefined;
  if (expose !== true) return answerWith({ status }, '');
  return answerWith({ status, headers: error.headers }, typeof error.message === 'string' ? error.message : '');
}

const isStatus = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value) && value >= 400 && value <= 599;

function answerWith(parts: { readonly status: number; readonly headers?: unknown; readonly body?: unknown }, sentence: string): ThrownAnswer {
  const answer = toAnswer(parts);
  const complete = (whole: Answer): Answer => ({ ...whole, thrown: sentence.slice(0, MAX_SENTENCE) });
  return { status: parts.status, answer: isThenable(answer) ? answer.then(complete) : complete(answer) };
}
