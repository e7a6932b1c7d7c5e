import { MAX_INLINE_BODY_BYTES, type ErrorMessage, type SpanNotes } from '@treadle/protocol';
import type { Readable } from 'node:stream';
import type { RunBody, RunHttpResult, RunOutcome } from '../running/invoke.js';

/** What does not fit into a message goes here; gives the id of its stream. */
export interface BodyOutlet {
  /** A streamed answer. */
  stream(source: Readable): number;
  /** A body that was only too large. Undefined when too many of them wait. */
  whole(bytes: Buffer): number | undefined;
}

/** What is told of a run in a sampled trace. */
export interface RunReport {
  /** Milliseconds. */
  readonly ms: number;
  readonly span: SpanNotes | undefined;
}

/**
 * The `result` or `error` message of an outcome as JSON text. A handler's answer may be an object that the next handler of
 * the same turn changes, so it is written down when it was given, and only once.
 */
export function resultText(id: number, outcome: RunOutcome, outlet: BodyOutlet, report?: RunReport): string {
  if (!outcome.ok) {
    const { ok: _, ...failure } = outcome;
    return JSON.stringify({ type: 'error', id, ...failure, ...report } satisfies ErrorMessage);
  }
  const { http, value } = outcome;
  const head = `{"type":"result","id":${id}${report === undefined ? '' : reportText(report)}`;
  if (http) {
    const text = httpText(http, outlet);
    return text === undefined ? overloadedText(id) : `${head},"http":${text}}`;
  }
  return value === undefined ? `${head}}` : `${head},"value":${JSON.stringify(value)}}`;
}

function reportText({ ms, span }: RunReport): string {
  return span === undefined ? `,"ms":${ms}` : `,"ms":${ms},"span":${JSON.stringify(span)}`;
}

function notesText({ thrown, unknownKeys, unchecked }: RunHttpResult): string {
  const mark = unchecked === undefined ? '' : ',"unchecked":true';
  const keys = unknownKeys === undefined ? '' : `,"unknownKeys":${JSON.stringify(unknownKeys)}`;
  return thrown === undefined ? mark + keys : `${mark},"thrown":${JSON.stringify(thrown)}${keys}`;
}

function overloadedText(id: number): string {
  return JSON.stringify({ type: 'error', id, code: 'overloaded', message: 'too many large answers of this process wait to be sent' } satisfies ErrorMessage);
}

/** Undefined when there is no room for the body. */
function httpText(http: RunHttpResult, outlet: BodyOutlet): string | undefined {
  const headers = http.headers ? `,"headers":${JSON.stringify(http.headers)}` : '';
  const body = http.stream ? `{"kind":"stream","stream":${outlet.stream(http.stream)}}` : http.body && bodyText(http.body, outlet);
  if (body === undefined && http.body !== undefined && http.stream === undefined) return undefined;
  const notes = http.thrown === undefined && http.unknownKeys === undefined && http.unchecked === undefined ? '' : notesText(http);
  return `{"status":${http.status}${headers}${body === undefined ? '' : `,"body":${body}`}${notes}}`;
}

function bodyText(body: RunBody, outlet: BodyOutlet): string | undefined {
  switch (body.kind) {
    case 'json': return isLarge(body.text) ? wholeText(Buffer.from(body.text), outlet, 'json') : `{"kind":"json","text":${JSON.stringify(body.text)}}`;
    case 'text': return isLarge(body.value) ? wholeText(Buffer.from(body.value), outlet, 'text') : JSON.stringify(body);
    case 'bytes': return bytesText(body.value, outlet);
  }
}

function bytesText(value: Uint8Array, outlet: BodyOutlet): string | undefined {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return bytes.length > MAX_INLINE_BODY_BYTES ? wholeText(bytes, outlet, 'bytes') : `{"kind":"base64","value":"${bytes.toString('base64')}"}`;
}

function wholeText(bytes: Buffer, outlet: BodyOutlet, as: RunBody['kind']): string | undefined {
  const stream = outlet.whole(bytes);
  return stream === undefined ? undefined : `{"kind":"stream","stream":${stream},"as":"${as}","bytes":${bytes.length}}`;
}

/** Short texts are never counted: even at three bytes a character they fit. */
const isLarge = (text: string): boolean =>
  text.length * 3 > MAX_INLINE_BODY_BYTES && Buffer.byteLength(text) > MAX_INLINE_BODY_BYTES;
