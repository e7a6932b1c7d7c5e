import { call } from '../../api/client.js';
import type { JsonValue } from '../../api/types.generated.js';
import { handlerOf } from '../traces/replay-panel.js';
import { descendants } from '../traces/timeline.js';

const MOST_SPANS = 5_000;

/** Payload of the message of a topic that was handled last, as far as its trace and its input are kept. @throws ApiError when they are not */
export async function lastMessage(topic: string): Promise<JsonValue | undefined> {
  const { items: [message] } = await call('GET /traces/messages', { topic, limit: 1 });
  if (!message) return undefined;
  const { rows } = await call('GET /traces/{id}', { id: message.traceId, limit: MOST_SPANS });
  const handler = handlerOf(descendants(rows, message.spanId));
  return handler && (await call('GET /steps/inputs/{span}', { span: handler.spanId })).input;
}
