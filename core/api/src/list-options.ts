import type { StateListOptions } from './blocks/state.js';

/** Longest name of what is stored, and longest prefix of one, in bytes of UTF-8. */
export const MAX_NAME_BYTES = 512;
/** Most items of a page. */
export const MAX_LIMIT = 1000;
const DEFAULT_LIMIT = 100;
const MAX_CURSOR_LENGTH = 4096;
/** Half of a surrogate pair: has no UTF-8, so two of them could not be told apart in a store. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** List options with the limit filled in. */
export type CheckedListOptions = StateListOptions & { readonly limit: number };

/** What is wrong with a name, or undefined. Any text of 1 to 512 bytes is one. */
export function nameFault(what: string, value: unknown): string | undefined {
  if (typeof value !== 'string') return `${what} must be text, got ${typeName(value)}`;
  if (value === '') return `${what} must not be empty`;
  const bytes = Buffer.byteLength(value);
  if (bytes > MAX_NAME_BYTES) return `${what} has ${bytes} bytes; at most ${MAX_NAME_BYTES} are allowed`;
  return LONE_SURROGATE.test(value) ? `${what} holds half of a surrogate pair, which is no text` : undefined;
}

/**
 * Reads the options of a listing as they come from any language; null and an empty prefix count as left out.
 * @throws what `invalid` makes of the fault
 */
export function checkListOptions(options: unknown, invalid: (fault: string) => Error): CheckedListOptions {
  const { prefix, limit = null, cursor } = (options ?? {}) as Record<string, unknown>;
  const fault = prefixFault(prefix) ?? cursorFault(cursor) ?? limitFault(limit);
  if (fault !== undefined) throw invalid(fault);
  return {
    ...typeof prefix === 'string' && prefix !== '' && { prefix }, ...typeof cursor === 'string' && { cursor },
    limit: limit === null ? DEFAULT_LIMIT : limit as number,
  };
}

/** A value as the text of a fault has it: no more than its type unless it is short. */
export function shownValue(value: unknown): string {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : typeName(value);
}

function prefixFault(prefix: unknown): string | undefined {
  return prefix === undefined || prefix === null || prefix === '' ? undefined : nameFault('prefix', prefix);
}

function cursorFault(cursor: unknown): string | undefined {
  if (cursor === undefined || cursor === null) return undefined;
  if (typeof cursor === 'string' && cursor.length > 0 && cursor.length <= MAX_CURSOR_LENGTH) return undefined;
  return `cursor must be one that a former page gave, got ${shownValue(cursor)}`;
}

function limitFault(limit: unknown): string | undefined {
  if (limit === null || (Number.isInteger(limit) && (limit as number) >= 1 && (limit as number) <= MAX_LIMIT)) return undefined;
  return `limit must be a whole number from 1 to ${MAX_LIMIT}, got ${shownValue(limit)}`;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value;
}
