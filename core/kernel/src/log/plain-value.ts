import { types } from 'node:util';
import { isSecretField, REDACTED, redactText } from '@treadle/api';

/** Most characters of one record's fields. */
export const MAX_FIELD_CHARACTERS = 8_192;
/** Deepest nesting that is shown. */
const MAX_FIELD_DEPTH = 6;

const MAX_KEY_LENGTH = 200;
const MAX_PROTOTYPES = 8;
/** Even an empty value takes some room; this bounds arrays of a million nulls. */
const LEAST_COST = 4;
const TRUNCATED = '[truncated]';

/**
 * Copies of values that are safe to print: JSON types only, bounded in size and depth, secrets redacted. Runs no code
 * of the value: getters, proxies and `toJSON` stay untouched. One copier per record, so that the bound is the record's.
 */
export class PlainCopier {
  private room = MAX_FIELD_CHARACTERS;
  private readonly ancestors: object[] = [];

  /** A plain copy of the fields; something else than an object becomes `{ value }`. */
  fields(fields: unknown): Record<string, unknown> {
    const plain = this.copy(fields, 0);
    if (typeof plain === 'object' && plain !== null && !Array.isArray(plain)) return plain as Record<string, unknown>;
    return { value: plain };
  }

  text(text: string): string {
    // Cut before redaction looks at it, with some margin, so that a huge text costs little.
    const clean = redactText(text.length > this.room * 2 ? text.slice(0, this.room * 2) : text);
    const room = Math.max(0, this.room);
    this.room -= Math.max(LEAST_COST, clean.length);
    return clean.length <= room ? clean : `${clean.slice(0, room)}… ${TRUNCATED}`;
  }

  private copy(value: unknown, depth: number): unknown {
    switch (typeof value) {
      case 'string': return this.text(value);
      case 'object': return value === null ? this.small(null) : this.object(value, depth);
      case 'number': return this.small(Number.isFinite(value) ? value : String(value));
      case 'bigint': return this.text(value.toString());
      case 'function': return this.small(types.isProxy(value) ? '[Proxy]' : '[Function]');
      case 'symbol': return this.text(String(value));
      default: return this.small(value);
    }
  }

  private small<T>(value: T): T {
    this.room -= LEAST_COST;
    return value;
  }

  private object(value: object, depth: number): unknown {
    if (types.isProxy(value)) return this.small('[Proxy]');
    if (this.ancestors.includes(value)) return this.small('[Circular]');
    const described = describe(value);
    if (described !== undefined) return this.text(described);
    if (depth >= MAX_FIELD_DEPTH) return this.small(Array.isArray(value) ? '[Array]' : '[Object]');
    this.ancestors.push(value);
    const copy = Array.isArray(value) ? this.list(value, depth) : this.map(value, depth);
    this.ancestors.pop();
    return copy;
  }

  private list(list: readonly unknown[], depth: number): unknown[] {
    const copy: unknown[] = [];
    for (let index = 0; index < list.length; index += 1) {
      if (this.room <= 0) return [...copy, TRUNCATED];
      copy.push(this.copy(ownValue(list, String(index)), depth + 1));
    }
    return copy;
  }

  private map(value: object, depth: number): Record<string, unknown> {
    const copy = Object.create(null) as Record<string, unknown>;
    const isError = types.isNativeError(value);
    const keys = isError ? errorKeys(value) : Object.keys(value);
    for (const key of keys) {
      if (this.room <= 0) {
        copy['…'] = TRUNCATED;
        break;
      }
      const shown = key.length > MAX_KEY_LENGTH ? `${key.slice(0, MAX_KEY_LENGTH)}…` : key;
      const entry = isError ? inheritedValue(value, key) : ownValue(value, key);
      this.room -= shown.length;
      copy[shown] = isSecretField(key, entry) ? this.small(REDACTED) : this.copy(entry, depth + 1);
    }
    return copy;
  }
}

/** One line for objects whose enumerable keys say nothing. */
function describe(value: object): string | undefined {
  if (types.isDate(value)) {
    const time = Date.prototype.getTime.call(value);
    return Number.isNaN(time) ? 'Invalid Date' : new Date(time).toISOString();
  }
  if (types.isRegExp(value)) return '[RegExp]';
  if (types.isPromise(value)) return '[Promise]';
  if (types.isMap(value)) return '[Map]';
  if (types.isSet(value)) return '[Set]';
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (types.isAnyArrayBuffer(value)) return `[${value.byteLength} bytes]`;
  return undefined;
}

function errorKeys(error: Error): string[] {
  const keys = ['name', 'message', 'code', 'stack', 'cause', ...Object.keys(error)];
  return [...new Set(keys)].filter((key) => inheritedValue(error, key) !== undefined);
}

function ownValue(object: object, key: string): unknown {
  const property = Object.getOwnPropertyDescriptor(object, key);
  if (!property) return undefined;
  return 'value' in property ? property.value : '[Getter]';
}

/** Reads a data property through the prototypes. V8 may still run code of an error to make its stack: that may throw. */
function inheritedValue(object: object, key: string): unknown {
  try {
    return findValue(object, key);
  } catch {
    return '[unreadable]';
  }
}

function findValue(object: object, key: string): unknown {
  let holder: object | null = object;
  for (let step = 0; holder && step < MAX_PROTOTYPES && !types.isProxy(holder); step += 1) {
    const property = Object.getOwnPropertyDescriptor(holder, key);
    // V8 keeps `stack` as an accessor of its own in newer versions; it runs no user code unless it was replaced.
    if (property) return 'value' in property ? property.value : key === 'stack' ? undefined : '[Getter]';
    holder = Object.getPrototypeOf(holder) as object | null;
  }
  return undefined;
}
