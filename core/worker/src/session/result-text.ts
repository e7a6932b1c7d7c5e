import { MAX_INLINE_BODY_BYTES, type ErrorMessage } from '@treadle/protocol';
import { Readable } from 'node:stream';
import type { RunBody, RunHttpResult, RunOutcome } from '../running/invoke.js';

/** Starts to send a readable and returns the id of its stream. */
export type OpenStream = (source: Readable) => number;

/**
 * The `result` or `error` message of an outcome as JSON text. A handler's answer may be an object that the next handler of
 * the same turn changes, so it is written down when it was given, and only once.
 */
export function resultText(id: number, outcome: RunOutcome, open: OpenStream): string {
  if (!outcome.ok) {
    const { ok: _, ...failure } = outcome;
    return JSON.stringify({ type: 'error', id, ...failure } satisfies ErrorMessage);
  }
  const { http } = outcome;
  return http ? `{"type":"result","id":${id},"http":${httpText(http, open)}}` : `{"type":"result","id":${id}}`;
}

function httpText(http: RunHttpResult, open: OpenStream): string {
  const headers = http.headers ? `,"headers":${JSON.stringify(http.headers)}` : '';
  const body = http.stream ? `,"body":{"kind":"stream","stream":${open(http.stream)}}` : http.body ? `,"body":${bodyText(http.body, open)}` : '';
  return `{"status":${http.status}${headers}${body}}`;
}

function bodyText(body: RunBody, open: OpenStream): string {
  switch (body.kind) {
    case 'json': return isLarge(body.text) ? streamText(Buffer.from(body.text), open, ',"as":"json"') : `{"kind":"json","value":${body.text}}`;
    case 'text': return isLarge(body.value) ? streamText(Buffer.from(body.value), open) : JSON.stringify(body);
    case 'bytes': return bytesText(body.value, open);
  }
}

function bytesText(value: Uint8Array, open: OpenStream): string {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return bytes.length > MAX_INLINE_BODY_BYTES ? streamText(bytes, open) : `{"kind":"base64","value":"${bytes.toString('base64')}"}`;
}

function streamText(bytes: Buffer, open: OpenStream, as = ''): string {
  return `{"kind":"stream","stream":${open(Readable.from([bytes], { objectMode: false }))}${as}}`;
}

/** Short texts are never counted: even at three bytes a character they fit. */
const isLarge = (text: string): boolean =>
  text.length * 3 > MAX_INLINE_BODY_BYTES && Buffer.byteLength(text) > MAX_INLINE_BODY_BYTES;
