import type { Readable } from 'node:stream';
import { type Call, type HttpResult, type InvokeRequest, type StepResult, StepFailure } from '@treadle/api';
import type { ErrorMessage, HttpInput, JsonText, ResultMessage, ResultStreamBody, StreamTable } from '@treadle/protocol';

const NOTHING: StepResult = Object.freeze({});
/** Largest body that is put together again; in bytes. */
const MAX_WHOLE_BYTES = 10 * 1024 * 1024;

/** What an `invoke` says beside the request. */
export interface InvokeFacts {
  readonly id: number;
  readonly traceparent: string;
}

/** The `invoke` message of a request whose input is JSON text, all or for the body: that is embedded as it is, a piece of the text. */
export function invokeText({ id, traceparent }: InvokeFacts, request: InvokeRequest, inputText: JsonText): JsonText {
  const { step, trigger: { type, index }, timeoutMs, attempt } = request;
  const head = `{"type":"invoke","id":${id},"step":${JSON.stringify(step)},"trigger":{"type":${JSON.stringify(type)},"index":${index}}`;
  return [`${head},"input":`, ...inputText, `,"traceparent":"${traceparent}","timeoutMs":${timeoutMs},"attempt":${attempt}${messageText(request)}}`];
}

/** What is known of a message; its headers are JSON text already. */
function messageText({ message }: InvokeRequest): string {
  if (message === undefined) return '';
  const { messageId, enqueuedAt, headers } = message;
  return `,"message":{"id":${JSON.stringify(messageId)},"enqueuedAt":${enqueuedAt}${headers === undefined ? '' : `,"headers":${headers}`}}`;
}

/** An http input whose JSON body is the text. @throws TypeError when something else of it cannot be written */
export function httpInputText(input: HttpInput, bodyText: string): JsonText {
  return [`${JSON.stringify({ ...input, body: undefined }).slice(0, -1)},"body":{"kind":"json","value":`, bodyText, '}}'];
}

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
  const { as, bytes = MAX_WHOLE_BYTES } = body;
  if (as === undefined) return call.succeed({ http: { ...answer, stream } });
  const refusal = refusalOf(call, bytes);
  if (refusal !== undefined) {
    stream.destroy();
    return call.fail(refusal);
  }
  readWhole(stream, bytes).then(
    (value) => call.succeed({ http: { ...answer, body: as === 'bytes' ? { kind: as, value } : { kind: 'encoded', as, value } } }),
    (error: Error) => call.fail(new StepFailure('invalid_handler_result', error.message)),
  );
}

/** Decided before the worker is asked for more than the first chunks: what is refused costs no memory here. */
function refusalOf(call: Call, bytes: number): StepFailure | undefined {
  if (bytes > MAX_WHOLE_BYTES) {
    return new StepFailure('invalid_handler_result', `the body has ${bytes} bytes; stream what exceeds ${MAX_WHOLE_BYTES}`);
  }
  return call.admits(bytes) ? undefined : new StepFailure('overloaded', 'too many bytes of answers wait for those who read them');
}

/** At most `bytes` of them: so many were announced. */
async function readWhole(stream: Readable, bytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > bytes) throw new Error(`the body has more than the ${bytes} bytes that it may have; answer with streamed()`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces, size);
}
