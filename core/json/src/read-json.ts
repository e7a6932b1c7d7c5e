import { isUtf8 } from 'node:buffer';

/** Deepest nesting of a JSON body. */
const MAX_DEPTH = 100;
/** Most keys of one object. */
const MAX_KEYS = 10_000;

/** JSON of anybody that was taken. */
export interface ReadJson {
  readonly value: unknown;
  readonly text: string;
}

/** Why it was not: a sentence for the client, in which nothing of the body is quoted. */
export interface JsonFault {
  readonly fault: string;
}

/** Parses the bytes of a JSON body, or says why it is refused. */
export function readJson(bytes: Buffer): ReadJson | JsonFault {
  const text = bytes.toString('utf8');
  // Decoding replaces bad bytes; only a text with the replacement character can have had any.
  if (text.includes('\ufffd') && !isUtf8(bytes)) return { fault: 'The body is not valid UTF-8' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser quotes the body in its message; clients get the fact alone.
    return { fault: 'The body is not valid JSON' };
  }
  const fault = jsonFault(value);
  return fault === undefined ? { value, text } : { fault: `Refused: ${fault}` };
}

/**
 * Why parsed JSON is refused, or undefined. `JSON.parse` makes `__proto__` an own key, harmless until somebody copies
 * it; deep values overflow the stack of whatever walks or prints them later.
 */
function jsonFault(value: unknown): string | undefined {
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
