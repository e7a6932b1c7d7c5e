import type { ClientMessage, LiveTopic } from '../contract/index.js';

const MAX_ID = 64;

/** A message of a client; a text when it is none: what is wrong with it. */
export function clientMessage(text: string): ClientMessage | string {
  const message = parsed(text);
  if (typeof message !== 'object' || message === null) return 'a message must be a JSON object';
  const { type, id, topic, query, hidden } = message as Readonly<Record<string, unknown>>;
  if (type === 'visibility') return typeof hidden === 'boolean' ? { type, hidden } : '"hidden" must be true or false';
  if (type !== 'subscribe' && type !== 'unsubscribe') return '"type" must be subscribe, unsubscribe or visibility';
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID) return `"id" must be a text of 1 to ${MAX_ID} characters`;
  if (type === 'unsubscribe') return { type, id };
  if (typeof topic !== 'string') return '"topic" must be a text';
  if (query !== undefined && !isQuery(query)) return '"query" must be an object of texts';
  return { type, id, topic: topic as LiveTopic, ...query !== undefined && { query } };
}

function isQuery(query: unknown): query is Readonly<Record<string, string>> {
  return typeof query === 'object' && query !== null && Object.values(query).every((value) => typeof value === 'string');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
