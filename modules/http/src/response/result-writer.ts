import { STATUS_CODES } from 'node:http';
import type { BodyValue, HttpResult, StepResult } from '@treadle/api';
import type { Exchange } from '../request/exchange.js';
import { routeName } from '../routing/step-route.js';
import { chooseEncoding, compress, compressible, compressStream, type ContentEncoding, MIN_COMPRESSED_BYTES } from './compression.js';
import { type OrProblem, Problem, unusableResult } from './problem.js';
import type { CheckedHeaders, HeaderList } from './response-headers.js';
import { checkResult } from './result-check.js';

/** Largest body that is not streamed. */
const MAX_RESULT_BYTES = 10 * 1024 * 1024;
const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT_TYPE = 'text/plain; charset=utf-8';
const BYTES_TYPE = 'application/octet-stream';
const NO_CONTENT = 204;
/** Its range counts the bytes of the content as it is. */
const PARTIAL = 206;
const NOT_MODIFIED = 304;

/** Answers with a handler's result, or with 500 `invalid_handler_result` when it cannot be sent. */
export function writeResult(exchange: Exchange, { http }: StepResult): void {
  if (http === undefined) return exchange.send(NO_CONTENT, [], undefined);
  const headers = checkResult(exchange, http);
  return headers instanceof Problem ? refuseResult(exchange, http, headers) : writeBody(exchange, http, headers);
}

function refuseResult(exchange: Exchange, http: HttpResult, problem: Problem): void {
  http.stream?.destroy();
  const { route, core } = exchange;
  const { error, parts: { fault } } = problem;
  exchange.log('error', 'a handler gave an unusable result', { ...(route && { route: routeName(route) }), error: fault });
  exchange.refuse(core.development ? problem.with({ error: `${error}: ${fault}` }) : problem);
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
  if (payload instanceof Problem) return refuseResult(exchange, http, payload);
  const bytes = byteLength(payload);
  if (bytes > MAX_RESULT_BYTES) {
    return refuseResult(exchange, http, unusableResult(`the body has ${bytes} bytes; stream what exceeds ${MAX_RESULT_BYTES}`));
  }
  const contentType = headers?.contentType ?? defaultType(body);
  if (headers?.contentType === undefined) list.push('content-type', contentType);
  if (headers?.encoded) return sendPlain(exchange, http.status, { list, payload, bytes });
  return writePayload(exchange, http.status, { list, payload, bytes, contentType });
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
  const encoding = bytes >= MIN_COMPRESSED_BYTES && status !== PARTIAL ? negotiate(exchange, list, contentType) : undefined;
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
  const encoding = headers?.encoded || status === PARTIAL ? undefined : negotiate(exchange, list, contentType);
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

/** A cycle, a BigInt, a function, and what is too deep have no JSON. */
function payloadOf(body: BodyValue): OrProblem<string | Buffer> {
  switch (body.kind) {
    case 'text': return String(body.value);
    case 'encoded': return body.value;
    case 'base64': return Buffer.from(body.value, 'base64');
    case 'bytes': return Buffer.from(body.value.buffer, body.value.byteOffset, body.value.byteLength);
    default: return body.text ?? jsonOf(body.value) ?? unusableResult('the body cannot be written as JSON');
  }
}

function jsonOf(value: unknown): string | undefined {
  try {
    // The declared type leaves out that a function or undefined gives undefined.
    return JSON.stringify(value) as string | undefined;
  } catch {
    // Said by the caller: the log names the Step.
    return undefined;
  }
}

/** Body of an answer that was thrown without one: that of the engine's own errors, with the status as its code. Undefined for any other answer. */
function thrownBody({ status, thrown }: HttpResult, traceId: string): BodyValue | undefined {
  if (thrown === undefined) return undefined;
  const name = STATUS_CODES[status] ?? `HTTP status ${status}`;
  return { kind: 'json', text: new Problem(status, codeOf(name), thrown === '' ? name : thrown).text(traceId, false) };
}

const codeOf = (name: string): string => name.toLowerCase().replaceAll("'", '').replace(/[^a-z0-9]+/g, '_');
