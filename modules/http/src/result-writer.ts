import type { BodyValue, HttpResult, StepResult } from '@treadle/api';
import { chooseEncoding, compress, compressible, compressStream, type ContentEncoding, MIN_COMPRESSED_BYTES } from './compression.js';
import type { Exchange } from './exchange.js';
import { PROBLEMS } from './problem.js';
import { keysFault } from './result-keys.js';
import { thrownBody } from './thrown-body.js';
import { checkHandlerHeaders, type CheckedHeaders, type HeaderList } from './response-headers.js';
import type { StepRoute } from './step-route.js';

/** Largest body that is not streamed. */
const MAX_RESULT_BYTES = 10 * 1024 * 1024;
const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT_TYPE = 'text/plain; charset=utf-8';
const BYTES_TYPE = 'application/octet-stream';
const NO_CONTENT = 204;
const NOT_MODIFIED = 304;

/** Answers with a handler's result, or with 500 `invalid_handler_result` when it cannot be sent. */
export function answer(exchange: Exchange, result: StepResult): void {
  const { http } = result;
  if (http === undefined) {
    exchange.send(NO_CONTENT, [], undefined);
    return;
  }
  const fault = statusFault(http.status) ?? keysFault(exchange, http) ?? schemaFault(exchange, http);
  if (fault !== undefined) {
    refuseResult(exchange, http, fault);
    return;
  }
  const { headers } = http;
  if (headers === undefined) writeBody(exchange, http, undefined);
  else {
    const checked = checkHandlerHeaders(headers);
    if (typeof checked === 'string') refuseResult(exchange, http, checked);
    else writeBody(exchange, http, checked);
  }
}

function statusFault(status: number): string | undefined {
  return Number.isInteger(status) && status >= 200 && status <= 599
    ? undefined : `the status ${JSON.stringify(status)} is not an integer from 200 to 599`;
}

/** Holds the handler's body to the responseSchema of its status. Streams are not looked into, and an error keeps its own form. */
function schemaFault(exchange: Exchange, http: HttpResult): string | undefined {
  const { route } = exchange;
  const check = route?.responses?.get(http.status);
  if (check === undefined || http.stream !== undefined || http.thrown !== undefined || !route) return undefined;
  if (http.unchecked === true && !route.validateMiddleware) return undefined;
  // A bare error status says all that it has to say.
  if (http.body === undefined && http.status >= 400) return undefined;
  const refusal = check.check(sentValue(http.body), 0);
  if (!refusal) return undefined;
  const text = refusal.issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
  const fault = `the body does not fit the responseSchema of ${http.status}: ${text}`;
  if (route.responseValidation === 'enforce') return fault;
  exchange.log('warn', 'a result does not fit its responseSchema', { route: routeName(route), error: fault });
  return undefined;
}

function routeName({ method, label }: StepRoute): string {
  return `${method} ${label}`;
}

/** The value as the client will read it: a handler of this process may have answered with Dates and the like. */
function sentValue(body: BodyValue | undefined): unknown {
  if (body?.kind === 'text') return body.value;
  if (body?.kind === 'encoded') return body.as === 'text' ? body.value.toString() : JSON.parse(body.value.toString());
  if (body?.kind !== 'json') return undefined;
  return body.text === undefined ? body.value : JSON.parse(body.text);
}

function refuseResult(exchange: Exchange, http: HttpResult, fault: string): void {
  http.stream?.destroy();
  const { route } = exchange;
  exchange.log('error', 'a handler gave an unusable result', { ...(route && { route: routeName(route) }), error: fault });
  exchange.refuse(exchange.core.development ? { ...PROBLEMS.invalidResult, error: `${PROBLEMS.invalidResult.error}: ${fault}` } : PROBLEMS.invalidResult);
}

function writeBody(exchange: Exchange, http: HttpResult, headers: CheckedHeaders | undefined): void {
  const { status, stream } = http;
  const body = http.body ?? (http.thrown === undefined || headers?.contentType !== undefined ? undefined : thrownBody(http, exchange.traceId));
  const list: HeaderList = headers === undefined ? [] : headers.list;
  if (status === NO_CONTENT || status === NOT_MODIFIED) {
    stream?.destroy();
    exchange.send(status, list, undefined);
  } else if (stream !== undefined) {
    writeStream(exchange, http, headers);
  } else if (body === undefined) {
    list.push('content-length', 0);
    exchange.send(status, list, undefined);
  } else {
    writeWhole(exchange, http, { body, headers, list });
  }
}

interface Whole {
  readonly body: BodyValue;
  readonly headers: CheckedHeaders | undefined;
  readonly list: HeaderList;
}

function writeWhole(exchange: Exchange, http: HttpResult, { body, headers, list }: Whole): void {
  const payload = payloadOf(body);
  if (payload === undefined) {
    refuseResult(exchange, http, 'the body cannot be written as JSON');
    return;
  }
  const bytes = byteLength(payload);
  if (bytes > MAX_RESULT_BYTES) {
    refuseResult(exchange, http, `the body has ${bytes} bytes; stream what exceeds ${MAX_RESULT_BYTES}`);
    return;
  }
  const contentType = headers?.contentType ?? defaultType(body);
  if (headers?.contentType === undefined) list.push('content-type', contentType);
  if (headers?.encoded) sendPlain(exchange, http.status, { list, payload, bytes });
  else writePayload(exchange, http.status, { list, payload, bytes, contentType });
}

/** A body and the headers it goes with. */
export interface Payload {
  readonly list: HeaderList;
  readonly payload: string | Buffer;
  /** Size of the payload, where it is known already. */
  readonly bytes?: number;
  readonly contentType: string;
}

type Counted = Required<Omit<Payload, 'contentType'>>;

/** Sends a body, compressed when that is worth it and the client takes it so. */
export function writePayload(exchange: Exchange, status: number, { list, payload, contentType, bytes = byteLength(payload) }: Payload): void {
  const encoding = bytes >= MIN_COMPRESSED_BYTES ? negotiate(exchange, list, contentType) : undefined;
  if (encoding === undefined) {
    sendPlain(exchange, status, { list, payload, bytes });
    return;
  }
  compress(payload, encoding, (compressed) => {
    if (compressed) list.push('content-encoding', encoding);
    sendPlain(exchange, status, compressed ? { list, payload: compressed, bytes: compressed.length } : { list, payload, bytes });
  });
}

/** The encoding for content of this type, where the client takes one. */
function negotiate(exchange: Exchange, list: HeaderList, contentType: string): ContentEncoding | undefined {
  if (!exchange.core.config.compression || !compressible(contentType)) return undefined;
  list.push('vary', 'accept-encoding');
  const { method, headers } = exchange.request;
  return method === 'HEAD' ? undefined : chooseEncoding(headers['accept-encoding']);
}

function sendPlain(exchange: Exchange, status: number, { list, payload, bytes }: Counted): void {
  list.push('content-length', bytes);
  exchange.send(status, list, exchange.request.method === 'HEAD' ? undefined : payload);
}

function byteLength(payload: string | Buffer): number {
  return typeof payload === 'string' ? Buffer.byteLength(payload) : payload.length;
}

function writeStream(exchange: Exchange, http: HttpResult, headers: CheckedHeaders | undefined): void {
  const { status, stream } = http;
  if (stream === undefined) return;
  const list: HeaderList = headers === undefined ? [] : headers.list;
  const contentType = headers?.contentType ?? BYTES_TYPE;
  if (headers?.contentType === undefined) list.push('content-type', contentType);
  const encoding = headers?.encoded ? undefined : negotiate(exchange, list, contentType);
  if (exchange.request.method === 'HEAD') {
    stream.destroy();
    exchange.send(status, list, undefined);
    return;
  }
  if (contentType.startsWith('text/event-stream')) exchange.core.eventStreams.add(exchange);
  if (encoding) list.push('content-encoding', encoding);
  exchange.sendStream(status, list, encoding ? compressStream(stream, encoding) : stream);
}

function defaultType(body: BodyValue): string {
  switch (body.kind === 'encoded' ? body.as : body.kind) {
    case 'json': return JSON_TYPE;
    case 'text': return TEXT_TYPE;
    default: return BYTES_TYPE;
  }
}

/** Undefined when the value has no JSON: a cycle, a BigInt, a function, or too deep. */
function payloadOf(body: BodyValue): string | Buffer | undefined {
  switch (body.kind) {
    case 'text': return String(body.value);
    case 'encoded': return body.value;
    case 'base64': return Buffer.from(body.value, 'base64');
    case 'bytes': return Buffer.from(body.value.buffer, body.value.byteOffset, body.value.byteLength);
    default:
  }
  try {
    // The declared type leaves out that a function or undefined gives undefined.
    return body.text ?? (JSON.stringify(body.value) as string | undefined);
  } catch {
    // Said by the caller: the log names the Step.
    return undefined;
  }
}
