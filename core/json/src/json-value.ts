import type { Json } from '@treadle/api';
import { jsonError } from './json-errors.js';

/** Deepest nesting. */
export const MAX_DEPTH = 100;
/** Largest value as JSON text, in bytes of UTF-8. 1 MB. */
const MAX_VALUE_BYTES = 1_000_000;

/**
 * A copy of the value that is JSON through and through. `toJSON` is honoured and members that are `undefined` are left
 * out, as JSON.stringify does; whatever it would change silently is refused.
 * @throws OperationError `InvalidValue`, naming the place
 */
export function toJson(value: unknown): Json {
  const json = copy(value, [], '');
  checkSize(json);
  return json;
}

/** @throws OperationError `InvalidValue` when the value as JSON text is larger than 1 MB */
function checkSize(json: Json): void {
  const bytes = Buffer.byteLength(JSON.stringify(json));
  if (bytes <= MAX_VALUE_BYTES) return;
  throw jsonError('InvalidValue', `the value has ${bytes} bytes as JSON; at most ${MAX_VALUE_BYTES} are stored`);
}

/** Like `{ ...target, [key]: value }`, but `__proto__` is a key like any other. */
export function define(target: Record<string, Json>, key: string, value: Json): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

type Path = (string | number)[];

function copy(value: unknown, path: Path, key: string): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : refuse(path, `${value} is no JSON number`);
  if (typeof value !== 'object') return refuse(path, typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`);
  if (path.length >= MAX_DEPTH) return refuse(path.slice(0, 6), `nested deeper than ${MAX_DEPTH}, or a cycle, below here`);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return copyOfOwnForm(toJSON.call(value, key) as unknown, path);
  return Array.isArray(value) ? copyArray(value, path) : copyObject(value, path);
}

/** What `toJSON` gave is taken as it is: asking it again could go on for ever. */
function copyOfOwnForm(value: unknown, path: Path): Json {
  const again = typeof value === 'object' && value !== null && typeof (value as { toJSON?: unknown }).toJSON === 'function';
  return again ? refuse(path, 'an object whose toJSON gives another one with toJSON') : copy(value, path, '');
}

function copyArray(items: readonly unknown[], path: Path): Json {
  const made: Json[] = [];
  for (let index = 0; index < items.length; index++) {
    path.push(index);
    made.push(copy(items[index], path, String(index)));
    path.pop();
  }
  return made;
}

function copyObject(value: object, path: Path): Json {
  const made: Record<string, Json> = {};
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    path.push(key);
    define(made, key, copy(member, path, key));
    path.pop();
  }
  return made;
}

function refuse(path: Path, problem: string): never {
  const place = path.length === 0 ? '' : ` at ${path.join('.')}`;
  throw jsonError('InvalidValue', `the value is not JSON: ${problem}${place}`);
}
