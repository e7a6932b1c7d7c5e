import { isStreamed } from 'treadle';
import type { StreamedResponse } from 'treadle';
import { RunError } from './failure.js';
import type { ResultNotes, RunBody, RunHttpResult } from './invoke.js';
import { isThenable } from './is-thenable.js';
import { discard, isPlain, type RawContent, rawContent, refuseStreamInside } from './raw-body.js';
import { isResponse, responseParts } from './response-answer.js';

/** A response whose body is still to be produced. */
export interface StreamingAnswer extends Pick<StreamedResponse, 'source' | 'produce'>, ResultNotes {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly streaming: true;
}

/** A handler's answer, checked. */
export type Answer = (RunHttpResult & { readonly streaming?: undefined }) | StreamingAnswer;

/** What a handler returned, taken apart. */
interface Parts {
  readonly status?: unknown;
  readonly headers?: unknown;
  readonly body?: unknown;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** What RFC 9110 does not allow in a field value. */
 
const FORBIDDEN = /[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/;
/** Characters of all header names and values; no client takes more. */
const MAX_HEADERS = 65_536;
/** Keys without a meaning that are told, and how much of each. */
const MAX_KEYS = 5;
const MAX_KEY = 100;
const NOTHING: Answer = Object.freeze({ status: 204 });

/**
 * Checks what a handler of an http trigger returned: `{ status, body?, headers? }`, a `Response`, or bytes in any form. A body
 * that is a promise is waited for.
 * @throws RunError `invalid_handler_result` with the reason
 */
export function toAnswer(value: unknown): Answer | PromiseLike<Answer> {
  if (value === undefined || value === null) return NOTHING;
  if (typeof value !== 'object') throw unusable(`a handler returns { status, body?, headers? }; this one returned a ${typeof value}`);
  if (isStreamed(value)) return streaming(value, value);
  if (isPlain(value)) return answerOf(value, unknownKeys(value));
  if (isResponse(value)) return ofResponse(value);
  const raw = 'status' in value ? undefined : rawContent(value);
  return raw === undefined ? answerOf(value) : ofContent({ status: 200 }, raw);
}

function answerOf(parts: Parts, unknown?: readonly string[]): Answer | PromiseLike<Answer> {
  const { body } = parts;
  const special = typeof body === 'object' && body !== null && !isPlain(body);
  if (special && isThenable(body)) return body.then((settled) => answerOf({ status: parts.status, headers: parts.headers, body: settled }, unknown));
  try {
    const answer = special ? ofObject(parts, body) : ofValue(parts);
    return unknown === undefined ? answer : { ...answer, unknownKeys: unknown };
  } catch (error) {
    discard(body);
    throw error;
  }
}

/** A body that is no plain value: bytes, a source of bytes, or an instance that has a JSON form. */
function ofObject(parts: Parts, body: object): Answer {
  const content = rawContent(body);
  return content === undefined ? ofValue(parts) : ofContent(parts, content);
}

function ofContent(parts: Parts, content: RawContent): Answer {
  if ('bytes' in content) return whole(parts, { kind: 'bytes', value: content.bytes });
  const answer = streaming(parts, { source: content.source });
  const { contentType } = content;
  return contentType === undefined || hasContentType(answer.headers) ? answer : { ...answer, headers: { ...answer.headers, 'content-type': contentType } };
}

function ofValue(parts: Parts): Answer {
  const { body, headers } = parts;
  if (body === undefined) return whole(parts);
  const asText = typeof body === 'string' && typeof headers === 'object' && headers !== null && hasContentType(headers);
  return whole(parts, asText ? { kind: 'text', value: body } : jsonBody(body));
}

function ofResponse(response: Response): Answer {
  const { status, headers, source } = responseParts(response);
  return source === undefined ? whole({ status, headers }) : streaming({ status, headers }, { source });
}

function whole(parts: Parts, body?: RunBody): Answer {
  const { status, headers } = parts;
  checkStatus(status, parts);
  const checked = headers === undefined || headers === null ? undefined : checkHeaders(headers);
  if (body === undefined) return checked ? { status, headers: checked } : { status };
  return checked ? { status, headers: checked, body } : { status, body };
}

function streaming(parts: Parts, { source, produce }: Pick<StreamedResponse, 'source' | 'produce'>): StreamingAnswer {
  const { status, headers } = parts;
  checkStatus(status, parts);
  return { status, headers: headers === undefined || headers === null ? {} : checkHeaders(headers), streaming: true, source, produce };
}

/** Keys that mean nothing: most often a misspelt one that does. */
function unknownKeys(value: object): string[] | undefined {
  let found: string[] | undefined;
  for (const key in value) {
    if (key === 'status' || key === 'body' || key === 'headers') continue;
    found ??= [];
    if (found.push(key.slice(0, MAX_KEY)) === MAX_KEYS) break;
  }
  return found;
}

function checkStatus(status: unknown, value: Parts): asserts status is number {
  if (typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599) return;
  if (status === undefined) {
    const keys = Object.keys(value).slice(0, 5).join(', ');
    throw unusable(`a handler returns { status, body?, headers? }; this one returned ${Array.isArray(value) ? 'an array' : `{ ${keys} }`}`);
  }
  throw unusable(`status must be an integer from 200 to 599; it is ${typeof status === 'number' ? status : `a ${typeof status}`}`);
}

function jsonBody(body: unknown): RunBody {
  let text: string | undefined;
  try {
    text = JSON.stringify(body);
  } catch (error) {
    throw unusable(`the body cannot be written as JSON: ${error instanceof Error ? firstLine(error.message) : String(error)}`);
  }
  if (text === undefined) throw unusable(`the body cannot be written as JSON: it is a ${typeof body}`);
  refuseStreamInside(body, text);
  return { kind: 'json', value: body, text };
}

function checkHeaders(headers: unknown): Record<string, string | readonly string[]> {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) throw unusable('headers must be an object');
  const checked: Record<string, string | readonly string[]> = {};
  let size = 0;
  for (const [name, value] of Object.entries(headers)) {
    if (!TOKEN.test(name)) throw unusable(`${JSON.stringify(name)} is not a valid header name`);
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
