import { isStreamed } from 'treadle';
import type { StreamedResponse } from 'treadle';
import { toBuffer } from './bodies.js';
import { RunError } from './failure.js';
import type { RunBody, RunHttpResult } from './invoke.js';

/** A response whose body is still to be produced. */
export interface StreamingAnswer extends Pick<StreamedResponse, 'source' | 'produce'> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly streaming: true;
}

/** A handler's answer, checked. */
export type Answer = (RunHttpResult & { readonly streaming?: undefined }) | StreamingAnswer;

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** What RFC 9110 does not allow in a field value. */
 
const FORBIDDEN = /[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/;
/** Characters of all header names and values; no client takes more. */
const MAX_HEADERS = 65_536;
const NOTHING: Answer = Object.freeze({ status: 204 });

/** Checks what a handler of an http trigger returned. @throws RunError `invalid_handler_result` with the reason */
export function toAnswer(value: unknown): Answer {
  if (value === undefined || value === null) return NOTHING;
  if (typeof value !== 'object') throw unusable(`a handler returns { status, body?, headers? }; this one returned a ${typeof value}`);
  const { status, headers, body } = value as { status?: unknown; headers?: unknown; body?: unknown };
  checkStatus(status, value);
  const checked = headers === undefined || headers === null ? undefined : checkHeaders(headers);
  if (isStreamed(value)) return { status, headers: checked ?? {}, streaming: true, source: value.source, produce: value.produce };
  if (body === undefined) return checked ? { status, headers: checked } : { status };
  const content = toBody(body, checked);
  return checked ? { status, headers: checked, body: content } : { status, body: content };
}

function checkStatus(status: unknown, value: object): asserts status is number {
  if (typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599) return;
  if (status === undefined) {
    const keys = Object.keys(value).slice(0, 5).join(', ');
    throw unusable(`a handler returns { status, body?, headers? }; this one returned ${Array.isArray(value) ? 'an array' : `{ ${keys} }`}`);
  }
  throw unusable(`status must be an integer from 200 to 599; it is ${typeof status === 'number' ? status : `a ${typeof status}`}`);
}

function toBody(body: unknown, headers: RunHttpResult['headers']): RunBody {
  if (body instanceof Uint8Array) return { kind: 'bytes', value: toBuffer(body) };
  if (typeof body === 'string' && headers && hasContentType(headers)) return { kind: 'text', value: body };
  let text: string | undefined;
  try {
    text = JSON.stringify(body);
  } catch (error) {
    throw unusable(`the body cannot be written as JSON: ${error instanceof Error ? firstLine(error.message) : String(error)}`);
  }
  if (text === undefined) throw unusable(`the body cannot be written as JSON: it is a ${typeof body}`);
  return { kind: 'json', value: body, text };
}

function checkHeaders(headers: unknown): Record<string, string | readonly string[]> {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) throw unusable('headers must be an object');
  const checked: Record<string, string | readonly string[]> = {};
  let size = 0;
  for (const [name, value] of Object.entries(headers)) {
    if (!TOKEN.test(name)) throw unusable(`${JSON.stringify(name)} is no name of a header`);
    if (value === undefined) continue;
    const values = Array.isArray(value) ? value.map((item) => fieldValue(name, item)) : fieldValue(name, value);
    size += name.length + (typeof values === 'string' ? values.length : values.join('').length);
    checked[name] = values;
  }
  if (size > MAX_HEADERS) throw unusable(`the headers have ${size} characters; at most ${MAX_HEADERS} are sent`);
  return checked;
}

function fieldValue(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
  if (text === undefined) throw unusable(`header "${name}" must be a string, a number or a list of them`);
  if (FORBIDDEN.test(text)) throw unusable(`header "${name}" has a character that headers cannot carry`);
  return text;
}

const hasContentType = (headers: object): boolean => Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
const unusable = (reason: string): RunError => new RunError('invalid_handler_result', reason);
const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';
