import { Readable } from 'node:stream';
import type { InputBody, UploadedFile } from '@treadle/protocol';
import { CHUNK_BYTES, MAX_INLINE_BODY_BYTES } from '@treadle/protocol';

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
}

/** What a request without a body gives. Frozen: shared by all of them. */
export const NO_BODY: Readonly<HandlerBody> = Object.freeze({
  body: undefined, rawBody: undefined, files: undefined, streams: undefined, value: undefined, bytes: 0, text: undefined,
});

/** A parsed JSON body; `source` are its bytes, `text` is what they say when a client wrote it. */
export function jsonHandlerBody(value: unknown, source: Buffer, text?: string): HandlerBody {
  const made = emptyBody(value, source);
  made.body = source.length <= MAX_INLINE_BODY_BYTES ? { kind: 'json', value } : streamed(made, source, 'json');
  if (made.body.kind === 'json') made.text = text;
  return made;
}

/** A text body. */
export function textHandlerBody(value: string, source: Buffer): HandlerBody {
  const made = emptyBody(value, source);
  made.body = source.length <= MAX_INLINE_BODY_BYTES ? { kind: 'text', value } : streamed(made, source, 'text');
  return made;
}

/** A body of bytes. */
export function bytesHandlerBody(source: Buffer): HandlerBody {
  const made = emptyBody(undefined, source);
  made.body = source.length <= MAX_INLINE_BODY_BYTES
    ? { kind: 'base64', value: source.toString('base64') } : streamed(made, source, 'bytes');
  return made;
}

function emptyBody(value: unknown, { length: bytes }: Buffer): HandlerBody {
  return { body: undefined, rawBody: undefined, files: undefined, streams: undefined, value, bytes, text: undefined };
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
