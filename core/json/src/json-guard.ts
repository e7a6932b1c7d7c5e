/** Deepest nesting of a JSON body. */
export const MAX_DEPTH = 100;
/** Most keys of one object. */
const MAX_KEYS = 10_000;

/**
 * Why parsed JSON is refused, or undefined. `JSON.parse` makes `__proto__` an own key, harmless until somebody copies
 * it; deep values overflow the stack of whatever walks or prints them later.
 */
export function jsonFault(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? faultOf(value, 1) : undefined;
}

function faultOf(value: object, depth: number): string | undefined {
  if (depth > MAX_DEPTH) return `the body is nested deeper than ${MAX_DEPTH}`;
  return Array.isArray(value) ? faultOfItems(value, depth) : faultOfKeys(value as Record<string, unknown>, depth);
}

function faultOfItems(items: readonly unknown[], depth: number): string | undefined {
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (typeof item !== 'object' || item === null) continue;
    const fault = faultOf(item, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOfKeys(value: Record<string, unknown>, depth: number): string | undefined {
  let keys = 0;
  for (const key in value) {
    if (++keys > MAX_KEYS) return `an object of the body has more than ${MAX_KEYS} keys`;
    if (key === '__proto__') return 'the body has a key "__proto__"';
    const item = value[key];
    if (typeof item !== 'object' || item === null) continue;
    if (key === 'constructor' && Object.hasOwn(item, 'prototype')) return 'the body has a key "constructor.prototype"';
    const fault = faultOf(item, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
