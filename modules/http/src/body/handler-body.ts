import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { readJson, type Reading, type SchemaRefusal, SMALL_JSON_BYTES } from '@treadle/json';
import type { InputBody, UploadedFile } from '@treadle/protocol';
import { CHUNK_BYTES, MAX_INLINE_BODY_BYTES } from '@treadle/protocol';
import { parseQuery } from '../request/query.js';
import { badRequest, invalidJson, type OrProblem, Problem } from '../response/problem.js';
import type { BodyKind } from './body-format.js';

/** Most fields of a form. */
const MAX_FIELDS = 1000;

/** A body in the form in which it travels to the handler, with the streams it refers to. */
export interface HandlerBody {
  body: InputBody | undefined;
  rawBody: string | undefined;
  files: UploadedFile[] | undefined;
  streams: Readable[] | undefined;
  /** The value that the body schema judges; undefined when there is none. */
  value: unknown;
  /** Length of what came over the wire. */
  bytes: number;
  /** A JSON body that travels in place, as it came. */
  text: string | undefined;
  /** What is too large to be read and checked on the event loop; undefined when `value` is there. */
  large: LargeValue | undefined;
  /** What the check of a large value found. */
  refusal: SchemaRefusal | undefined;
}

/** The bytes that a body schema judges, and what they stand for. */
export interface LargeValue {
  readonly bytes: Buffer;
  readonly as: Reading;
}

/** What a request without a body gives. Frozen: shared by all of them. */
export const NO_BODY: Readonly<HandlerBody> = Object.freeze({
  body: undefined, rawBody: undefined, files: undefined, streams: undefined, value: undefined, bytes: 0, text: undefined,
  large: undefined, refusal: undefined,
});

/** Turns the bytes of a body into what the handler gets; multipart forms have a parser of their own. */
export function parseBody(bytes: Buffer, kind: Exclude<BodyKind, 'multipart'>): OrProblem<HandlerBody> {
  switch (kind) {
    case 'json': return isLarge(bytes) ? largeHandlerBody(bytes, 'json') : jsonBody(bytes);
    case 'form': return formBody(bytes);
    case 'text': return isUtf8(bytes) ? textHandlerBody(bytes) : badRequest('The body is not valid UTF-8');
    default: return bytesHandlerBody(bytes);
  }
}

function jsonBody(bytes: Buffer): OrProblem<HandlerBody> {
  const read = readJson(bytes);
  return 'fault' in read ? invalidJson(read.fault) : jsonHandlerBody(read.value, bytes, read.text);
}

/** An urlencoded form: each name to its value, or to its values when it was repeated. */
function formBody(bytes: Buffer): OrProblem<HandlerBody> {
  if (!isUtf8(bytes)) return badRequest('The form is not valid UTF-8');
  const fields = parseQuery(bytes.toString('utf8'), MAX_FIELDS);
  if (fields instanceof Problem) return badRequest(`The form has a bad percent-encoding or more than ${MAX_FIELDS} fields`);
  return jsonHandlerBody(fields, Buffer.from(JSON.stringify(fields)));
}

/** A parsed JSON body; `source` are its bytes, `text` is what they say when a client wrote it. */
export function jsonHandlerBody(value: unknown, source: Buffer, text?: string): HandlerBody {
  if (isLarge(source)) return largeHandlerBody(source, 'trusted-json');
  const made = emptyBody(value, source);
  made.body = { kind: 'json', value };
  made.text = text;
  return made;
}

/** A text body. */
function textHandlerBody(source: Buffer): HandlerBody {
  if (isLarge(source)) return largeHandlerBody(source, 'text');
  const value = source.toString('utf8');
  const made = emptyBody(value, source);
  made.body = { kind: 'text', value };
  return made;
}

/** A body that is not read here. */
function largeHandlerBody(source: Buffer, as: Reading): HandlerBody {
  const made = emptyBody(undefined, source);
  made.body = streamed(made, source, as === 'text' ? 'text' : 'json');
  made.large = { bytes: source, as };
  return made;
}

/** Travels as a stream. Nothing on the event loop needs the value then, so that it can be read and checked elsewhere. */
function isLarge({ length }: Buffer): boolean {
  return length > SMALL_JSON_BYTES;
}

/** A body of bytes. */
function bytesHandlerBody(source: Buffer): HandlerBody {
  const made = emptyBody(undefined, source);
  made.body = source.length > MAX_INLINE_BODY_BYTES ? streamed(made, source, 'bytes') : { kind: 'base64', value: source.toString('base64') };
  return made;
}

function emptyBody(value: unknown, { length: bytes }: Buffer): HandlerBody {
  return { body: undefined, rawBody: undefined, files: undefined, streams: undefined, value, bytes, text: undefined, large: undefined, refusal: undefined };
}

/** Puts bytes behind a stream of the body's and returns the reference to it. */
export function streamed(into: HandlerBody, source: Buffer, as: 'json' | 'text' | 'bytes'): InputBody {
  into.streams ??= [];
  into.streams.push(Readable.from(slices(source), { objectMode: false }));
  return { kind: 'stream', stream: into.streams.length - 1, as };
}

function* slices(source: Buffer): Generator<Buffer> {
  for (let at = 0; at < source.length; at += CHUNK_BYTES) yield source.subarray(at, at + CHUNK_BYTES);
}
