import type { Json, UpdateOperation } from '@treadle/api';
import { toJson } from './json-value.js';
import { jsonError } from './json-errors.js';

/** Most operations of one update. */
const MAX_OPERATIONS = 1000;
const MAX_PATH = 100;
const KEYS: ReadonlySet<string> = new Set<keyof UpdateOperation>(['type', 'path', 'value', 'by']);

/** An operation whose form has been checked; `path` is split. */
export type CheckedOperation = { readonly path: readonly string[] } & (
  | { readonly type: 'set' | 'append'; readonly value: Json }
  | { readonly type: 'merge'; readonly value: Readonly<Record<string, Json>> }
  | { readonly type: 'increment'; readonly by: number }
  | { readonly type: 'remove' });

/**
 * Checks the form of every operation, whatever is stored.
 * @throws OperationError `InvalidUpdate`, naming the index of the operation
 */
export function checkOperations(operations: unknown): readonly CheckedOperation[] {
  if (!Array.isArray(operations)) throw jsonError('InvalidUpdate', 'an update takes a list of operations');
  if (operations.length > MAX_OPERATIONS) {
    throw jsonError('InvalidUpdate', `an update takes at most ${MAX_OPERATIONS} operations, got ${operations.length}`);
  }
  return operations.map((operation: unknown, index) => {
    try {
      return checkOperation(operation);
    } catch (error) {
      throw operationError(index, error);
    }
  });
}

/** The error of one operation of an update: names its index. */
export function operationError(index: number, error: unknown): Error {
  return jsonError('InvalidUpdate', `operation ${index}: ${(error as Error).message}`, error);
}

function checkOperation(operation: unknown): CheckedOperation {
  if (typeof operation !== 'object' || operation === null) throw new Error('an operation is an object with a type');
  checkKeys(operation);
  const { type, path, value, by } = operation as Partial<Record<keyof UpdateOperation, unknown>>;
  const place = { path: checkPath(path) };
  switch (type) {
    case 'set': case 'append': return { ...place, type, value: toJson(value) };
    case 'merge': return { ...place, type, value: checkMembers(value) };
    case 'increment': return { ...place, type, by: checkAmount(by) };
    case 'decrement': return { ...place, type: 'increment', by: -checkAmount(by) };
    case 'remove': return { ...place, type };
    default: throw new Error(`type must be set, merge, increment, decrement, append or remove, got ${JSON.stringify(type)}`);
  }
}

/** One that is misspelt must not pass for one that is left out. */
function checkKeys(operation: object): void {
  const unknown = Object.keys(operation).find((key) => !KEYS.has(key));
  if (unknown !== undefined) throw new Error(`an operation has no ${JSON.stringify(unknown)}; it takes type, path, value and by`);
}

function checkPath(path: unknown): readonly string[] {
  if (path === undefined || path === null) return [];
  const parts: unknown = typeof path === 'string' ? path.split('.') : path;
  if (!Array.isArray(parts)) throw new Error('path must be text with dots or a list of keys');
  if (parts.length > MAX_PATH) throw new Error(`path has ${parts.length} parts; at most ${MAX_PATH} are allowed`);
  if (typeof path === 'string' && parts.includes('')) {
    throw new Error(`path ${JSON.stringify(path)} has an empty part; write a list of keys when a key is empty`);
  }
  return parts.map(checkPart);
}

function checkPart(part: unknown): string {
  if (typeof part === 'string') return part;
  if (Number.isSafeInteger(part) && (part as number) >= 0) return String(part);
  throw new Error('a part of path must be text or a whole number from 0');
}

function checkMembers(value: unknown): Readonly<Record<string, Json>> {
  const json = toJson(value);
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Readonly<Record<string, Json>>;
  throw new Error('merge needs an object as value');
}

function checkAmount(by: unknown): number {
  if (by === undefined || by === null) return 1;
  if (typeof by === 'number' && Number.isFinite(by)) return by;
  throw new Error(`by must be a finite number, got ${typeof by === 'number' ? String(by) : typeof by}`);
}
