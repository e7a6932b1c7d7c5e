import type { Problem } from './types.generated.js';
import { BASE } from '../url/location.js';
import { readJson, writeJson } from './json.js';

const ROOT = `${BASE}/api/v1`;
const TIMEOUT_MS = 30_000;

/** An answer that is no success, or none at all. `code` is `unreachable` when the engine does not answer. */
export class ApiError extends Error {
  readonly code: string;
  /** Of a query: the characters that are wrong. */
  readonly at: Problem['at'];

  /** `status` is 0 without an answer; `raw` is what came. */
  constructor(readonly status: number, { code, detail, at }: Omit<Problem, 'status'>, readonly raw: string) {
    super(detail);
    this.code = code;
    this.at = at;
  }
}

export type Query = Readonly<Record<string, string | number | undefined>>;

/** What a call may say beside its path. */
export interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly query?: Query;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** Default 30,000. */
  readonly timeoutMs?: number;
}

/** Asks the admin API; the path is below `/api/v1`. @throws ApiError */
export async function call<T>(path: string, options: CallOptions = {}): Promise<T> {
  const text = await textOf(path, options);
  return (text === '' ? undefined : readJson(text)) as T;
}

/** A path of the API with its query; segments are encoded by the caller. */
export function apiPath(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') search.set(name, String(value));
  return ROOT + path + (search.size === 0 ? '' : `?${search}`);
}

async function textOf(path: string, { method = 'GET', query, body, signal, timeoutMs = TIMEOUT_MS }: CallOptions): Promise<string> {
  const headers: Record<string, string> = method === 'GET' ? {} : { 'Content-Type': 'application/json', 'X-Console': '1' };
  const deadline = AbortSignal.timeout(timeoutMs);
  const response = await reach(apiPath(path, query), {
    method, headers, credentials: 'same-origin', cache: 'no-store', signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    ...method === 'GET' ? {} : { body: body === undefined ? '{}' : writeJson(body) },
  });
  const text = await response.text();
  if (!response.ok) throw refusal(response.status, text);
  return text;
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
