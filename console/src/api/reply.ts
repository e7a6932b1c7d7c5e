import { Readable, pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';
import { AdminStream, AdminText } from '@treadle/api';
import type Koa from 'koa';
import type { AnswerRoom } from './answer-room.js';

/** What of a request and its answer counts here; routers have contexts of their own. */
type Context = Pick<Koa.Context, 'status' | 'type' | 'body' | 'set' | 'acceptsEncodings' | 'res'>;

/** Answers with what a route gave. Nothing to say is 204. @throws Refusal `overloaded` when too much waits in memory to be read */
export function reply(context: Context, value: unknown, room: AnswerRoom): void {
  if (value === undefined) {
    context.status = 204;
    return;
  }
  context.status = 200;
  if (value instanceof AdminStream) {
    stream(context, value);
    return;
  }
  const text = value instanceof AdminText ? value : undefined;
  const body = text?.text ?? JSON.stringify(value);
  room.hold(context.res, body.length);
  context.type = text?.contentType ?? 'application/json';
  context.body = body;
}

/** Only downloads are compressed: what a page on this machine shows is there sooner as it is. */
function stream(context: Context, { contentType, pieces, file }: AdminStream): void {
  context.type = contentType;
  const body = Readable.from(pieces);
  if (file === undefined) {
    context.body = body;
    return;
  }
  context.set('content-disposition', `attachment; filename="${file}"`);
  context.set('vary', 'accept-encoding');
  const compressed = context.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (compressed) context.set('content-encoding', 'gzip');
  // A client that leaves ends both; there is nobody to tell.
  context.body = compressed ? pipeline(body, createGzip(), () => undefined) : body;
}
