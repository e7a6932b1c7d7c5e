import { type Clock, isTopicName, type QueueMessage, TOPIC_RULE, wallTime } from '@treadle/api';
import { checkParts, isPlain, toJson } from '@treadle/json';
import { queueError } from '../queue-errors.js';

/** Most messages of one batch. */
export const MAX_BATCH = 10_000;
/** Longest key and group in bytes of UTF-8. */
const MAX_KEY_BYTES = 512;
/** Longest headers as JSON text. */
const MAX_HEADERS_BYTES = 65_536;
/** Longest delay: what a date can hold, less the present. */
const MAX_DELAY_MS = 100 * 365 * 86_400_000;
/** Half of a surrogate pair: has no UTF-8, so two of them could not be told apart in a store. */
const LONE_SURROGATE = /\p{Surrogate}/u;
/** Longest text whose UTF-8 fits for certain is a third of the limit. */
const BYTES_A_CHARACTER = 3;

const MEMBERS: ReadonlySet<string> = new Set<keyof QueueMessage>(['topic', 'data', 'delayMs', 'at', 'dedupeKey', 'messageGroupId', 'headers']);

/** @throws OperationError `QueueInvalidArgument` */
export function checkMessages(messages: unknown): readonly QueueMessage[] {
  if (!Array.isArray(messages)) throw invalid('enqueue takes a message or a list of messages');
  if (messages.length > MAX_BATCH) throw invalid(`a batch has at most ${MAX_BATCH} messages, got ${messages.length}`);
  for (const message of messages as readonly unknown[]) {
    if (typeof message !== 'object' || message === null) throw invalid('a message is an object { topic, data }');
  }
  return messages as readonly QueueMessage[];
}

/** A misspelt option would deliver the message at once, or twice. @throws OperationError `QueueInvalidArgument` */
export function checkMembers(message: QueueMessage): void {
  for (const name of Object.keys(message)) {
    if (!MEMBERS.has(name)) throw invalid(`a message has no "${name.slice(0, 250)}"; it has ${[...MEMBERS].join(', ')}`);
  }
}

/** @throws OperationError `QueueInvalidArgument` */
export function checkTopic(topic: unknown): string {
  if (isTopicName(topic)) return topic;
  throw invalid(`${typeof topic === 'string' ? `"${topic.slice(0, 250)}"` : typeName(topic)} cannot be a topic: use ${TOPIC_RULE}`);
}

/** Time of the clock before which nothing is delivered; undefined for at once. @throws OperationError `QueueInvalidArgument` */
export function dueTime({ delayMs, at }: QueueMessage, now: number, clock: Clock): number | undefined {
  if (delayMs === undefined || delayMs === null) return at === undefined || at === null ? undefined : instant(at, now, wallTime(clock));
  if (at !== undefined && at !== null) throw invalid('a message has delayMs or at, not both');
  if (typeof delayMs !== 'number' || !(delayMs >= 0 && delayMs <= MAX_DELAY_MS)) {
    throw invalid(`delayMs must be milliseconds from 0 to ${MAX_DELAY_MS}, got ${shown(delayMs)}`);
  }
  return delayMs === 0 ? undefined : now + Math.ceil(delayMs);
}

/** @throws OperationError `QueueInvalidArgument` */
export function checkKey(name: 'dedupeKey' | 'messageGroupId' | 'groupId', key: unknown): string | undefined {
  if (key === undefined || key === null) return undefined;
  if (typeof key !== 'string' || key === '') throw invalid(`${name} must be text that is not empty, got ${shown(key)}`);
  const bytes = Buffer.byteLength(key);
  if (bytes > MAX_KEY_BYTES) throw invalid(`${name} has ${bytes} bytes; at most ${MAX_KEY_BYTES} are allowed`);
  if (LONE_SURROGATE.test(key)) throw invalid(`${name} holds half of a surrogate pair, which is no text`);
  return key;
}

/** JSON text; undefined when there are none. @throws OperationError `QueueInvalidArgument` */
export function headersText(headers: unknown): string | undefined {
  if (headers === undefined || headers === null) return undefined;
  if (typeof headers !== 'object' || Array.isArray(headers)) throw invalid(`headers must be an object of texts, got ${typeName(headers)}`);
  const entries = Object.entries(headers);
  if (entries.length === 0) return undefined;
  for (const [name, value] of entries) {
    if (typeof value !== 'string') throw invalid(`header "${name.slice(0, 250)}" must be text, got ${typeName(value)}`);
  }
  const text = JSON.stringify(headers);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_HEADERS_BYTES) throw invalid(`the headers have ${bytes} bytes as JSON; at most ${MAX_HEADERS_BYTES} are taken`);
  return text;
}

/** `at` is what people's clocks show, which after a jump is not the time of the clock. */
function instant(at: unknown, now: number, wall: number): number | undefined {
  const ms = typeof at === 'string' ? isoTime(at) : at;
  if (typeof ms !== 'number' || !Number.isFinite(ms) || ms < 0 || ms > wall + MAX_DELAY_MS) {
    throw invalid(`at must be an ISO 8601 time or milliseconds since 1970, at most 100 years ahead, got ${shown(at)}`);
  }
  return ms <= wall ? undefined : now + Math.ceil(ms - wall);
}

/** NaN for what is none. `Date.parse` alone takes 30 February for 2 March, and words. */
function isoTime(text: string): number {
  const [, day] = /^(\d{4}-\d\d-\d\d)(?:$|[T ])/i.exec(text) ?? [];
  const midnight = new Date(`${day ?? ''}T00:00Z`);
  return midnight.toJSON()?.startsWith(day ?? '') ? Date.parse(text) : NaN;
}

const invalid = (message: string): Error => queueError('QueueInvalidArgument', message);

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 100));
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : typeName(value);
}

/**
 * The JSON text of a message's data. What JSON would silently change is refused; `toJSON` is honoured and members that
 * are `undefined` are left out.
 * @throws OperationError `InvalidValue`
 */
export function dataText(data: unknown, topic: string, maxBytes: number): string {
  // Walking is a fraction of the cost of a copy; nearly all data needs none.
  const json = isPlain(data) ? data : toJson(data);
  const text = JSON.stringify(json);
  if (text.length * BYTES_A_CHARACTER > maxBytes) checkBytes(text, topic, maxBytes);
  checkParts(json, text, `the data for topic "${topic}"`);
  return text;
}

function checkBytes(text: string, topic: string, maxBytes: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return;
  throw queueError('InvalidValue', `the data for topic "${topic}" has ${bytes} bytes as JSON; at most ${maxBytes} are taken`);
}
