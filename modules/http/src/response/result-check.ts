import { type BodyValue, type HttpResult, nearest } from '@treadle/api';
import type { Exchange } from '../request/exchange.js';
import { routeName } from '../routing/step-route.js';
import { type OrProblem, unusableResult } from './problem.js';
import { checkHandlerHeaders, type CheckedHeaders } from './response-headers.js';

const KEYS: readonly string[] = ['status', 'body', 'headers'];
/** Keys of one route that are told: a handler may make them up as it goes. */
const MAX_TOLD = 50;

/** Judges a handler's result and gives its headers, if it has any. */
export function checkResult(exchange: Exchange, http: HttpResult): OrProblem<CheckedHeaders | undefined> {
  const fault = statusFault(http.status) ?? keysFault(exchange, http) ?? schemaFault(exchange, http);
  if (fault !== undefined) return unusableResult(fault);
  return http.headers === undefined ? undefined : checkHandlerHeaders(http.headers);
}

function statusFault(status: number): string | undefined {
  return Number.isInteger(status) && status >= 200 && status <= 599
    ? undefined : `the status ${JSON.stringify(status)} is not an integer from 200 to 599`;
}

/**
 * What is wrong with the keys of a result: in development the text of the refusal, for the first request with a misspelt `body` shall be
 * the one that tells. In production the answer goes out, and each key of a Step is logged once.
 */
function keysFault(exchange: Exchange, { unknownKeys }: HttpResult): string | undefined {
  if (unknownKeys === undefined || unknownKeys.length === 0) return undefined;
  if (exchange.core.development) return unknownKeys.map(describe).join('; ');
  const told = exchange.route?.toldKeys;
  for (const key of unknownKeys) {
    if (!told || told.has(key) || told.size >= MAX_TOLD) continue;
    told.add(key);
    exchange.log('warn', 'a result has a key that means nothing', { error: describe(key) });
  }
  return undefined;
}

function describe(key: string): string {
  const meant = nearest(key, KEYS);
  return `a result has no key "${key}"${meant === undefined ? `; it has ${KEYS.join(', ')}` : `; did you mean "${meant}"?`}`;
}

/** Holds the handler's body to the responseSchema of its status. Streams are not looked into, and an error keeps its own form. */
function schemaFault(exchange: Exchange, http: HttpResult): string | undefined {
  const { route } = exchange;
  const check = route?.responses?.get(http.status);
  if (check === undefined || http.stream !== undefined || http.thrown !== undefined || !route) return undefined;
  if (http.unchecked === true && !route.validateMiddleware) return undefined;
  // A bare error status says all that it has to say.
  if (http.body === undefined && http.status >= 400) return undefined;
  if (isBytes(http.body) && route.binaryResponses.has(http.status)) return undefined;
  const refusal = check.check(sentValue(http.body), 0);
  if (!refusal) return undefined;
  const text = refusal.issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
  const fault = `the body does not fit the responseSchema of ${http.status}: ${text}`;
  if (route.responseValidation === 'enforce') return fault;
  exchange.log('warn', 'a result does not fit its responseSchema', { route: routeName(route), error: fault });
  return undefined;
}

function isBytes(body: BodyValue | undefined): boolean {
  return body?.kind === 'bytes' || body?.kind === 'base64';
}

/** The value as the client will read it: a handler of this process may have answered with Dates and the like. */
function sentValue(body: BodyValue | undefined): unknown {
  if (body?.kind === 'text') return body.value;
  if (body?.kind === 'encoded') return body.as === 'text' ? body.value.toString() : JSON.parse(body.value.toString());
  if (body?.kind !== 'json') return undefined;
  return body.text === undefined ? body.value : JSON.parse(body.text);
}
