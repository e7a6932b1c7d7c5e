import type { Readable } from 'node:stream';
import { type BodyValue, type Call, type HttpResult, type StepResult, StepFailure } from '@treadle/api';
import type { ErrorMessage, ResultMessage, ResultStreamBody, StreamTable } from '@treadle/protocol';

const NOTHING: StepResult = Object.freeze({});
/** A body that did not fit into a message is put together again up to this size; in bytes. */
const MAX_WHOLE_BYTES = 64 * 1024 * 1024;

/** Hands a worker's result to its call. JSON and text bodies pass as they came. */
export function settleWithResult(call: Call, { http, value }: ResultMessage, streams: StreamTable): void {
  if (http === undefined) return call.succeed(value === undefined ? NOTHING : { value });
  const { body, ...head } = http;
  switch (body?.kind) {
    case 'base64':
      return call.succeed({ http: { ...head, body: { kind: 'bytes', value: Buffer.from(body.value, 'base64') } } as HttpResult });
    case 'stream':
      return settleWithStream(call, head as HttpResult, body, streams);
    default:
      return call.succeed({ http } as StepResult);
  }
}

/** Fails a call with what the worker says; a code that this engine does not know counts as the handler's fault. */
export function settleWithError(call: Call, error: ErrorMessage): void {
  const { code, message, name, stack, issues, nonRetryable, retryAfterMs } = error;
  call.fail(new StepFailure(CODES.has(code) ? code : 'unhandled_exception', message, {
    ...(name !== undefined && { errorName: name }),
    ...(stack !== undefined && { stack }),
    ...(issues !== undefined && { issues }),
    ...(nonRetryable === true && { nonRetryable }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }));
}

const CODES: ReadonlySet<string> = new Set([
  'no_worker', 'overloaded', 'draining', 'worker_lost', 'handler_timeout', 'cancelled', 'unhandled_exception',
  'invalid_handler_result', 'validation_failed', 'condition_not_met', 'invalid_json',
] satisfies ErrorMessage['code'][]);

function settleWithStream(call: Call, answer: HttpResult, body: ResultStreamBody, streams: StreamTable): void {
  const stream = streams.receive(body.stream);
  const { as } = body;
  if (as === undefined) return call.succeed({ http: { ...answer, stream } });
  readWhole(stream).then((bytes) => bodyOf(as, bytes)).then(
    (whole) => call.succeed({ http: { ...answer, body: whole } }),
    (error: Error) => call.fail(new StepFailure('invalid_handler_result', error.message)),
  );
}

function bodyOf(as: NonNullable<ResultStreamBody['as']>, bytes: Buffer): BodyValue {
  switch (as) {
    case 'json': return { kind: as, value: JSON.parse(bytes.toString()) };
    case 'text': return { kind: as, value: bytes.toString() };
    case 'bytes': return { kind: as, value: bytes };
  }
}

async function readWhole(stream: Readable): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > MAX_WHOLE_BYTES) throw new Error('a body must not exceed 64 MiB; answer with streamed()');
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
