import { isUtf8 } from 'node:buffer';
import { badRequest, type Problem } from '../problem.js';
import type { MediaType } from './body-kind.js';
import { isProblem, parseFormBody } from './form-body.js';
import { bytesHandlerBody, type HandlerBody, jsonHandlerBody, textHandlerBody } from './handler-body.js';
import { parseJsonBody } from './json-body.js';
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
    case 'json': {
      const parsed = parseJsonBody(bytes);
      return 'status' in parsed ? parsed : jsonHandlerBody(parsed.value, bytes, parsed.text);
    }
    case 'form': {
      const fields = parseFormBody(bytes);
      return isProblem(fields) ? fields : jsonHandlerBody(fields, Buffer.from(JSON.stringify(fields)));
    }
    case 'text':
      return isUtf8(bytes) ? textHandlerBody(bytes.toString('utf8'), bytes) : badRequest('The body is not valid UTF-8');
    default:
      return bytesHandlerBody(bytes);
  }
}
