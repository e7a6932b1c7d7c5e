import type { Json, WrittenJson } from '@treadle/api';
import { define, writeJson } from './json-value.js';
import { operationError, type CheckedOperation } from './update-operation.js';

/** `undefined`: nothing is there. */
type Maybe = Json | undefined;
type Members = Readonly<Record<string, Json>>;

/**
 * What the operations make of a value, applied in order; the value itself is left alone. `undefined` stands for a
 * missing value, before and after.
 * @throws OperationError `InvalidUpdate` with the index of the operation that does not fit, `InvalidValue`
 * when the result is too deep or too large
 */
export function applyUpdate(value: Maybe, operations: readonly CheckedOperation[]): WrittenJson | undefined {
  let result = value;
  for (const [index, operation] of operations.entries()) {
    try {
      result = change(result, operation, 0);
    } catch (error) {
      throw operationError(index, error);
    }
  }
  return result === undefined ? undefined : writeJson(result);
}

/** Changes what lies at the rest of the path, copying only the objects on the way. */
function change(target: Maybe, operation: CheckedOperation, depth: number): Maybe {
  const part = operation.path[depth];
  if (part === undefined) return changeHere(target, operation);
  const isMissing = target === undefined;
  if (isMissing && operation.type === 'remove') return undefined;
  const parent: Json = isMissing ? {} : target;
  if (Array.isArray(parent)) return changeItem(parent as readonly Json[], operation, depth);
  if (typeof parent !== 'object' || parent === null) {
    throw new Error(`${placeOf(operation, depth)} is ${nameOf(parent)}, which has no "${part}"`);
  }
  return changeMember(parent as Members, operation, depth);
}

function changeMember(parent: Members, operation: CheckedOperation, depth: number): Json {
  const part = operation.path[depth] as string;
  const before = Object.hasOwn(parent, part) ? parent[part] : undefined;
  const after = change(before, operation, depth + 1);
  const made: Record<string, Json> = { ...parent };
  if (after !== undefined) define(made, part, after);
  else delete made[part];
  return made;
}

function changeItem(parent: readonly Json[], operation: CheckedOperation, depth: number): Json {
  const part = operation.path[depth] as string;
  const index = /^(0|[1-9]\d{0,9})$/.test(part) ? Number(part) : undefined;
  if (index === undefined) throw new Error(`${placeOf(operation, depth)} is a list, which has no "${part}"`);
  if (operation.type === 'remove' && index >= parent.length) return parent;
  if (index > parent.length) {
    throw new Error(`${placeOf(operation, depth)} has ${parent.length} items; item ${index} would leave a gap`);
  }
  const after = change(parent[index], operation, depth + 1);
  return [...parent.slice(0, index), ...(after === undefined ? [] : [after]), ...parent.slice(index + 1)];
}

function changeHere(target: Maybe, operation: CheckedOperation): Maybe {
  switch (operation.type) {
    case 'set': return operation.value;
    case 'remove': return undefined;
    case 'merge': return merge(target, operation);
    case 'append': return append(target, operation);
    case 'increment': return increment(target, operation);
  }
}

function merge(target: Maybe, operation: CheckedOperation & { readonly type: 'merge' }): Json {
  if (target !== undefined && (typeof target !== 'object' || target === null || Array.isArray(target))) {
    throw new Error(`${placeOf(operation)} is ${nameOf(target)}; merge needs an object there`);
  }
  return { ...target as Members | undefined, ...operation.value };
}

function append(target: Maybe, operation: CheckedOperation & { readonly type: 'set' | 'append' }): Json {
  if (target === undefined) return [operation.value];
  if (Array.isArray(target)) return [...target as readonly Json[], operation.value];
  throw new Error(`${placeOf(operation)} is ${nameOf(target)}; append needs a list there`);
}

function increment(target: Maybe, operation: CheckedOperation & { readonly type: 'increment' }): Json {
  if (target !== undefined && typeof target !== 'number') {
    throw new Error(`${placeOf(operation)} is ${nameOf(target)}; increment and decrement need a number there`);
  }
  const sum = (target ?? 0) + operation.by;
  if (Number.isFinite(sum)) return sum;
  throw new Error(`${placeOf(operation)} would become ${sum}`);
}

/** Where an operation stands: its path as far as it was followed. */
function placeOf(operation: CheckedOperation, depth = operation.path.length): string {
  const parts = operation.path.slice(0, depth);
  return parts.length === 0 ? 'the value' : JSON.stringify(parts.join('.'));
}

function nameOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
