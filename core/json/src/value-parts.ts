import { MAX_BATCH_PARTS, MAX_VALUE_KEYS, MAX_VALUE_PARTS } from '@treadle/protocol';
import { jsonError } from './json-errors.js';

/** A key takes five characters at least, as in `"k":1`, and a part two. */
const HARMLESS_LENGTH = 5 * MAX_VALUE_KEYS;

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
