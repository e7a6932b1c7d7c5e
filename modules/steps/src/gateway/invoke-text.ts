import type { InvokeRequest } from '@treadle/api';
import type { HttpInput, JsonText } from '@treadle/protocol';

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
