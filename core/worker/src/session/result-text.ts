import { MAX_INLINE_BODY_BYTES, type ErrorMessage, type SpanNotes } from '@treadle/protocol';
import { Readable } from 'node:stream';
import type { RunBody, RunHttpResult, RunOutcome } from '../running/invoke.js';

/** Starts to send a readable and returns the id of its stream. */
export type OpenStream = (source: Readable) => number;

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
export function resultText(id: number, outcome: RunOutcome, open: OpenStream, report?: RunReport): string {
  if (!outcome.ok) {
    const { ok: _, ...failure } = outcome;
    return JSON.stringify({ type: 'error', id, ...failure, ...report } satisfies ErrorMessage);
  }
  const { http, value } = outcome;
  const head = `{"type":"result","id":${id}${report === undefined ? '' : reportText(report)}`;
  if (http) return `${head},"http":${httpText(http, open)}}`;
  return value === undefined ? `${head}}` : `${head},"value":${JSON.stringify(value)}}`;
}

function reportText({ ms, span }: RunReport): string {
  return span === undefined ? `,"ms":${ms}` : `,"ms":${ms},"span":${JSON.stringify(span)}`;
}

function httpText(http: RunHttpResult, open: OpenStream): string {
  const headers = http.headers ? `,"headers":${JSON.stringify(http.headers)}` : '';
  const body = http.stream ? `,"body":{"kind":"stream","stream":${open(http.stream)}}` : http.body ? `,"body":${bodyText(http.body, open)}` : '';
  return `{"status":${http.status}${headers}${body}${http.thrown === undefined && http.unknownKeys === undefined ? '' : notesText(http)}}`;
}

function notesText({ thrown, unknownKeys }: RunHttpResult): string {
  const keys = unknownKeys === undefined ? '' : `,"unknownKeys":${JSON.stringify(unknownKeys)}`;
  return thrown === undefined ? keys : `,"thrown":${JSON.stringify(thrown)}${keys}`;
}

function bodyText(body: RunBody, open: OpenStream): string {
  switch (body.kind) {
    case 'json': return isLarge(body.text) ? streamText(Buffer.from(body.text), open, 'json') : `{"kind":"json","text":${JSON.stringify(body.text)}}`;
    case 'text': return isLarge(body.value) ? streamText(Buffer.from(body.value), open, 'text') : JSON.stringify(body);
    case 'bytes': return bytesText(body.value, open);
  }
}

function bytesText(value: Uint8Array, open: OpenStream): string {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return bytes.length > MAX_INLINE_BODY_BYTES ? streamText(bytes, open, 'bytes') : `{"kind":"base64","value":"${bytes.toString('base64')}"}`;
}

function streamText(bytes: Buffer, open: OpenStream, as: RunBody['kind']): string {
  return `{"kind":"stream","stream":${open(Readable.from([bytes], { objectMode: false }))},"as":"${as}"}`;
}

/** Short texts are never counted: even at three bytes a character they fit. */
const isLarge = (text: string): boolean =>
  text.length * 3 > MAX_INLINE_BODY_BYTES && Buffer.byteLength(text) > MAX_INLINE_BODY_BYTES;
