import { type Json, WrittenJson } from '@treadle/api';
import { MAX_BATCH_PARTS, MAX_VALUE_KEYS, MAX_VALUE_PARTS } from '@treadle/protocol';
import { jsonError } from './json-errors.js';

/** Deepest nesting. */
const MAX_DEPTH = 100;
/** Largest value as JSON text, in bytes of UTF-8. 1 MB. */
const MAX_VALUE_BYTES = 1_000_000;
/** Most bytes of UTF-8 for a character of a text. */
const BYTES_A_CHARACTER = 3;
/** A key takes five characters at least, as in `"k":1`, and a part two. */
const HARMLESS_LENGTH = 5 * MAX_VALUE_KEYS;

/**
 * Writes a value down as JSON, once; `value` of the result is a copy. `toJSON` is honoured and members that are `undefined` are left out, as
 * JSON.stringify does; whatever it would change silently is refused. `what`: subject of the errors.
 * @throws OperationError `InvalidValue`, naming the place; also for a value larger than 1 MB, and as `checkParts` does
 */
export function writeJson(value: unknown, what = 'the value'): WrittenJson {
  const json = isPlain(value) ? value : copy(value, new Way(what), '');
  const text = JSON.stringify(json);
  checkSize(text, what);
  checkParts(json, text, what);
  return new WrittenJson(text);
}

/** A copy of the value that is JSON through and through. @throws OperationError `InvalidValue`, as `writeJson` does */
export function toJson(value: unknown, what?: string): Json {
  return writeJson(value, what).value;
}

function checkSize(text: string, what: string): void {
  if (text.length * BYTES_A_CHARACTER <= MAX_VALUE_BYTES) return;
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_VALUE_BYTES) return;
  throw jsonError('InvalidValue', `${what} has ${bytes} bytes as JSON; at most ${MAX_VALUE_BYTES} are stored`);
}

/**
 * The event loop handles each part of a value several times, and that is what takes long about a large one: 1 MB of text can be half a million
 * parts, or 90,000 keys that nothing has been called so far, which would stop everything else for a quarter of a second. `text`: the value as
 * JSON; `what`: subject of the error.
 * @throws OperationError `InvalidValue` for more than 100,000 members and elements, or 20,000 different keys
 */
export function checkParts(value: unknown, text: string, what: string): void {
  if (text.length <= HARMLESS_LENGTH) return;
  const keys = new Set<string>();
  if (countParts(value, keys) > MAX_VALUE_PARTS) throw tooMany(what, `${MAX_VALUE_PARTS} members and elements`);
  if (keys.size > MAX_VALUE_KEYS) throw tooMany(what, `${MAX_VALUE_KEYS} different keys`);
}

/**
 * The same for the messages of a batch, which are read and written in one turn of the loop. `length`: characters of all of them as JSON.
 * @throws OperationError `InvalidValue` for more than 200,000 members and elements, or 20,000 different keys, together
 */
export function checkBatchParts(values: readonly unknown[], length: number): void {
  if (length <= HARMLESS_LENGTH) return;
  const keys = new Set<string>();
  let count = 0;
  for (const value of values) count += countParts(value, keys);
  if (count > MAX_BATCH_PARTS) throw tooManyInBatch(`${MAX_BATCH_PARTS} members and elements`);
  if (keys.size > MAX_VALUE_KEYS) throw tooManyInBatch(`${MAX_VALUE_KEYS} different keys`);
}

function countParts(value: unknown, keys: Set<string>): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) count += 1 + countParts(item, keys);
    return count;
  }
  for (const key in value) {
    if (keys.size <= MAX_VALUE_KEYS) keys.add(key);
    count += 1 + countParts((value as Readonly<Record<string, unknown>>)[key], keys);
  }
  return count;
}

const tooMany = (what: string, limit: string): Error => jsonError('InvalidValue', `${what} has more than ${limit}; store it in several parts, or as text`);

const tooManyInBatch = (limit: string): Error => jsonError('InvalidValue', `the batch has more than ${limit}; enqueue them in several batches`);

/** True for what JSON.stringify writes as it is, but for members that are `undefined`. */
export function isPlain(value: unknown, depth = 0): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean': return true;
    case 'number': return Number.isFinite(value);
    case 'object': break;
    default: return false;
  }
  if (value === null) return true;
  if (depth >= MAX_DEPTH || typeof (value as { toJSON?: unknown }).toJSON === 'function') return false;
  if (Array.isArray(value)) return isPlainArray(value, depth);
  return !isCollection(value) && isPlainObject(value, depth);
}

/** JSON.stringify makes an empty object of these. */
const isCollection = (value: object): boolean => value instanceof Map || value instanceof Set;

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

/** Like `{ ...target, [key]: value }`, but `__proto__` is a key like any other. */
export function define(target: Record<string, Json>, key: string, value: Json): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Where in a value something is, and what the value is called in errors. */
class Way {
  readonly parts: (string | number)[] = [];

  constructor(private readonly what: string) {}

  refuse(problem: string, parts: readonly (string | number)[] = this.parts): never {
    const place = parts.length === 0 ? '' : ` at ${parts.join('.')}`;
    throw jsonError('InvalidValue', `${this.what} is not JSON: ${problem}${place}`);
  }
}

function copy(value: unknown, way: Way, key: string): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : way.refuse(`${value} is no JSON number`);
  if (typeof value !== 'object') return way.refuse(typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`);
  if (way.parts.length >= MAX_DEPTH) return way.refuse(`nested deeper than ${MAX_DEPTH}, or a cycle, below here`, way.parts.slice(0, 6));
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return copyOfOwnForm(toJSON.call(value, key) as unknown, way);
  if (isCollection(value)) return way.refuse(`a ${value.constructor.name}`);
  return Array.isArray(value) ? copyArray(value, way) : copyObject(value, way);
}

/** What `toJSON` gave is taken as it is: asking it again could go on for ever. */
function copyOfOwnForm(value: unknown, way: Way): Json {
  const again = typeof value === 'object' && value !== null && typeof (value as { toJSON?: unknown }).toJSON === 'function';
  return again ? way.refuse('an object whose toJSON gives another one with toJSON') : copy(value, way, '');
}

function copyArray(items: readonly unknown[], way: Way): Json {
  const made: Json[] = [];
  for (let index = 0; index < items.length; index++) {
    way.parts.push(index);
    made.push(copy(items[index], way, String(index)));
    way.parts.pop();
  }
  return made;
}

function copyObject(value: object, way: Way): Json {
  const made: Record<string, Json> = {};
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    way.parts.push(key);
    define(made, key, copy(member, way, key));
    way.parts.pop();
  }
  return made;
}
