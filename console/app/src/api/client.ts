import type { Problem } from './types.generated.js';
import { BASE } from '../url/location.js';
import { readLongJson, writeJson } from './json.js';
import { type AnswerOf, type ApiRequest, type Asked, type OperationId, type ReadId, requestOf } from './operations.js';

const ROOT = `${BASE}/api/v1`;
const TIMEOUT_MS = 30_000;

/** An answer that is no success, or none at all. `code` is `unreachable` when the engine does not answer. */
export class ApiError extends Error {
  readonly code: string;
  /** Of a query: the characters that are wrong. */
  readonly at: Problem['at'];

  /** `status` is 0 without an answer; `raw` is what came. */
  constructor(readonly status: number, { code, detail, at }: Omit<Problem, 'status' | 'requestId'>, readonly raw: string) {
    super(detail);
    this.code = code;
    this.at = at;
  }
}

/** What a call may say beside its arguments. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Default 30,000. */
  readonly timeoutMs?: number;
}

/** Asks the admin API. @throws ApiError */
export async function call<I extends OperationId>(id: I, ...[given, options]: Asked<I, CallOptions>): Promise<AnswerOf<I>> {
  return await send(requestOf(id, given), options) as AnswerOf<I>;
}

/** A request that no operation is known of, to a route of a plugin. @throws ApiError */
export async function send(request: ApiRequest, { signal, timeoutMs = TIMEOUT_MS }: CallOptions = {}): Promise<unknown> {
  const { method, body } = request;
  const headers: Record<string, string> = method === 'GET' ? {} : { 'Content-Type': 'application/json', 'X-Console': '1' };
  const deadline = AbortSignal.timeout(timeoutMs);
  const response = await reach(addressOf(request), {
    method, headers, credentials: 'same-origin', cache: 'no-store', signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    ...method === 'GET' ? {} : { body: body === undefined ? '{}' : writeJson(body) },
  });
  const text = await response.text();
  if (!response.ok) throw refusal(response.status, text);
  return text === '' ? undefined : await readLongJson(text);
}

/** Where a browser finds an answer, for downloads. */
export function linkTo<I extends ReadId>(id: I, ...[given]: Asked<I, never>): string {
  return addressOf(requestOf(id, given));
}

function addressOf({ path, query = {} }: ApiRequest): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') search.set(name, String(value));
  return ROOT + path + (search.size === 0 ? '' : `?${search}`);
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted && (init.signal.reason as Error).name !== 'TimeoutError') throw error;
    const timeout = init.signal?.aborted === true;
    throw new ApiError(0, { code: 'unreachable', detail: timeout ? 'The engine did not answer in time' : 'The engine does not answer' }, String(error));
  }
}

function refusal(status: number, text: string): ApiError {
  try {
    const { code, detail, error, at } = JSON.parse(text) as Partial<Problem> & { readonly error?: string };
    return new ApiError(status, { code: code ?? `http_${status}`, detail: detail ?? error ?? `HTTP ${status}`, ...at && { at } }, text);
  } catch {
    return new ApiError(status, { code: `http_${status}`, detail: `The console's server answered ${status}` }, text); // No JSON: e.g. of a proxy.
  }
}
