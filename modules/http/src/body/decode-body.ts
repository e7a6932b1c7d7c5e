import { isUtf8 } from 'node:buffer';
import { readJson } from '@treadle/json';
import { badRequest, invalidJson, type Problem } from '../problem.js';
import type { MediaType } from './body-kind.js';
import { isProblem, parseFormBody } from './form-body.js';
import { bytesHandlerBody, type HandlerBody, isLarge, jsonHandlerBody, largeHandlerBody, textHandlerBody } from './handler-body.js';
import { parseMultipartBody } from './multipart-body.js';

/** Turns the bytes of a body into what the handler gets; calls `done` once, at once for all kinds but multipart. */
export function decodeBody(
  bytes: Buffer, media: MediaType, contentType: string, done: (result: HandlerBody | Problem) => void,
): void {
  if (media.kind === 'multipart') parseMultipartBody(bytes, contentType, done);
  else done(decodeAtOnce(bytes, media));
}

function decodeAtOnce(bytes: Buffer, media: MediaType): HandlerBody | Problem {
  switch (media.kind) {
    case 'json': return isLarge(bytes) ? largeHandlerBody(bytes, 'json') : jsonBody(bytes);
    case 'form': {
      const fields = parseFormBody(bytes);
      return isProblem(fields) ? fields : jsonHandlerBody(fields, Buffer.from(JSON.stringify(fields)));
    }
    case 'text':
      return isUtf8(bytes) ? textHandlerBody(bytes) : badRequest('The body is not valid UTF-8');
    default:
      return bytesHandlerBody(bytes);
  }
}

function jsonBody(bytes: Buffer): HandlerBody | Problem {
  const read = readJson(bytes);
  return 'fault' in read ? invalidJson(read.fault) : jsonHandlerBody(read.value, bytes, read.text);
}
