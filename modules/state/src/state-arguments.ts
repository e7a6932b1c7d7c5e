import { type CheckedListOptions, checkListOptions as checkOptions, nameFault, shownValue } from '@treadle/api';
import { stateError } from './state-errors.js';

/** Longest time to live: what a date can hold, less the present. */
const MAX_TTL_MS = 100 * 365 * 86_400_000;

/** Any text of 1 to 512 bytes is a group or key. @throws OperationError `StateInvalidArgument` */
export function checkName(what: 'group' | 'key', value: unknown): string {
  const fault = nameFault(what, value);
  if (fault !== undefined) throw invalid(fault);
  return value as string;
}

/** @throws OperationError `StateInvalidArgument` */
export function checkListOptions(options: unknown): CheckedListOptions {
  return checkOptions(options, invalid);
}

/** Milliseconds, a whole number from 1; undefined when there is none. @throws OperationError `StateInvalidArgument` */
export function checkTtl(ttlMs: unknown): number | undefined {
  if (ttlMs === undefined || ttlMs === null) return undefined;
  if (Number.isSafeInteger(ttlMs) && (ttlMs as number) >= 1 && (ttlMs as number) <= MAX_TTL_MS) return ttlMs as number;
  throw invalid(`ttlMs must be a whole number of milliseconds from 1 to ${MAX_TTL_MS}, got ${shownValue(ttlMs)}`);
}

/** Revision of `compareAndSet`; 0: there must be no entry. @throws OperationError `StateInvalidArgument` */
export function checkRevision(revision: unknown): number {
  if (Number.isSafeInteger(revision) && (revision as number) >= 0) return revision as number;
  throw invalid(`revision must be a whole number from 0, got ${shownValue(revision)}`);
}

const invalid = (message: string): Error => stateError('StateInvalidArgument', message);
