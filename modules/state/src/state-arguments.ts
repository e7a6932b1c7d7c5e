import type { StateListOptions } from '@treadle/api';
import { stateError } from './state-errors.js';

/** Longest group, key and prefix in bytes of UTF-8. @source reliability decisions, D-11 */
export const MAX_NAME_BYTES = 512;
/** Most items of a page. */
export const MAX_LIMIT = 1000;
const DEFAULT_LIMIT = 100;
/** Longest time to live: what a date can hold, less the present. */
const MAX_TTL_MS = 100 * 365 * 86_400_000;
const MAX_CURSOR_LENGTH = 4096;
/** Half of a surrogate pair: has no UTF-8, so two of them could not be told apart in a store. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** List options with the limit filled in. */
export type CheckedListOptions = StateListOptions & { readonly limit: number };

/** Any text of 1 to 512 bytes is a group or key. @throws OperationError `StateInvalidArgument` */
export function checkName(what: 'group' | 'key', value: unknown): string {
  if (typeof value !== 'string') throw invalid(`${what} must be text, got ${typeName(value)}`);
  if (value === '') throw invalid(`${what} must not be empty`);
  checkText(what, value);
  return value;
}

/** @throws OperationError `StateInvalidArgument` */
export function checkListOptions(options: unknown): CheckedListOptions {
  const { prefix, limit, cursor } = (options ?? {}) as Record<string, unknown>;
  return { ...checkPrefix(prefix), ...checkCursor(cursor), limit: checkLimit(limit) };
}

/** Milliseconds, a whole number from 1; undefined when there is none. @throws OperationError `StateInvalidArgument` */
export function checkTtl(ttlMs: unknown): number | undefined {
  if (ttlMs === undefined || ttlMs === null) return undefined;
  if (Number.isSafeInteger(ttlMs) && (ttlMs as number) >= 1 && (ttlMs as number) <= MAX_TTL_MS) return ttlMs as number;
  throw invalid(`ttlMs must be a whole number of milliseconds from 1 to ${MAX_TTL_MS}, got ${shown(ttlMs)}`);
}

/** Revision of `compareAndSet`; 0: there must be no entry. @throws OperationError `StateInvalidArgument` */
export function checkRevision(revision: unknown): number {
  if (Number.isSafeInteger(revision) && (revision as number) >= 0) return revision as number;
  throw invalid(`revision must be a whole number from 0, got ${shown(revision)}`);
}

function checkPrefix(prefix: unknown): { prefix?: string } {
  if (prefix === undefined || prefix === null || prefix === '') return {};
  if (typeof prefix !== 'string') throw invalid(`prefix must be text, got ${typeName(prefix)}`);
  checkText('prefix', prefix);
  return { prefix };
}

function checkCursor(cursor: unknown): { cursor?: string } {
  if (cursor === undefined || cursor === null) return {};
  if (typeof cursor === 'string' && cursor.length > 0 && cursor.length <= MAX_CURSOR_LENGTH) return { cursor };
  throw invalid(`cursor must be one that a former page gave, got ${shown(cursor)}`);
}

function checkLimit(limit: unknown): number {
  if (limit === undefined || limit === null) return DEFAULT_LIMIT;
  if (Number.isInteger(limit) && (limit as number) >= 1 && (limit as number) <= MAX_LIMIT) return limit as number;
  throw invalid(`limit must be a whole number from 1 to ${MAX_LIMIT}, got ${shown(limit)}`);
}

function checkText(what: string, text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_NAME_BYTES) throw invalid(`${what} has ${bytes} bytes; at most ${MAX_NAME_BYTES} are allowed`);
  if (LONE_SURROGATE.test(text)) throw invalid(`${what} holds half of a surrogate pair, which is no text`);
}

const invalid = (message: string): Error => stateError('StateInvalidArgument', message);

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value;
}

function shown(value: unknown): string {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : typeName(value);
}
