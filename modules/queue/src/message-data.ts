import { MAX_DEPTH, toJson } from '@treadle/json';
import { queueError } from './queue-errors.js';

/** Longest text whose UTF-8 fits for certain is a third of the limit. */
const BYTES_A_CHARACTER = 3;

/**
 * The JSON text of a message's data. What JSON would silently change is refused; `toJSON` is honoured and members that
 * are `undefined` are left out.
 * @throws OperationError `InvalidValue`
 */
export function dataText(data: unknown, topic: string, maxBytes: number): string {
  // Walking is a fraction of the cost of a copy; nearly all data needs none.
  const text = isPlain(data, 0) ? JSON.stringify(data) : JSON.stringify(toJson(data));
  if (text.length * BYTES_A_CHARACTER > maxBytes) checkBytes(text, topic, maxBytes);
  return text;
}

function checkBytes(text: string, topic: string, maxBytes: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return;
  throw queueError('InvalidValue', `the data for topic "${topic}" has ${bytes} bytes as JSON; at most ${maxBytes} are taken`);
}

function isPlain(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean': return true;
    case 'number': return Number.isFinite(value);
    case 'object': break;
    default: return false;
  }
  if (value === null) return true;
  if (depth > MAX_DEPTH || typeof (value as { toJSON?: unknown }).toJSON === 'function') return false;
  return Array.isArray(value) ? isPlainArray(value, depth) : isPlainObject(value, depth);
}

/** By index: `every` would pass over holes. */
function isPlainArray(items: readonly unknown[], depth: number): boolean {
  for (let index = 0; index < items.length; index++) {
    if (!isPlain(items[index], depth + 1)) return false;
  }
  return true;
}

function isPlainObject(value: object, depth: number): boolean {
  for (const key in value) {
    const member: unknown = (value as Readonly<Record<string, unknown>>)[key];
    if (member !== undefined && !isPlain(member, depth + 1)) return false;
  }
  return true;
}
