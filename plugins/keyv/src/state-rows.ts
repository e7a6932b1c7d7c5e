import type { Json, PendingChange, StateEntry } from '@treadle/api';

/** First letters of the rows of the state adapter; another adapter on the same file has others. */
export const AREA = { value: 'sv', change: 'sc', due: 'sd', floor: 'sf' } as const;

/** How long the revision of a deleted key is remembered by itself. */
export const TOMBSTONE_MS = 86_400_000;

/** What is stored for a key. */
export interface ValueRow {
  /** Revision. */
  readonly r: number;
  /** Value; absent once deleted. */
  readonly v?: Json;
  /** When it expires; milliseconds since the epoch. */
  readonly x?: number;
  /** Deleted: when the row may be removed. */
  readonly t?: number;
}

/** The entry of a row, unless it is deleted or has expired. */
export function liveEntry(row: ValueRow | undefined, now: number): StateEntry | undefined {
  if (!row || row.v === undefined || (row.x !== undefined && row.x <= now)) return undefined;
  return { value: row.v, revision: row.r };
}

/** Key of the row that says when a value's row is to be looked at; they lie in the order of their times. */
export function dueKey(valueKey: string, row: ValueRow | undefined): string | undefined {
  const at = row?.t ?? row?.x;
  return at === undefined ? undefined : `${AREA.due}${padded(at)}.${valueKey}`;
}

/** End of the rows that are due. */
export function dueUntil(now: number): string {
  return `${AREA.due}${padded(now)}/`;
}

/** Key of the value that a row of the due list is about. */
export function valueKeyOf(due: string): string {
  return due.slice(due.indexOf('.') + 1);
}

/** JSON knows no undefined: members that are absent in the row. */
export function changeOf({ oldValue, newValue, ...change }: PendingChange): PendingChange {
  return { ...change, oldValue, newValue };
}

/** A whole number as text that sorts like the number. */
export function padded(count: number): string {
  return String(Math.floor(count)).padStart(16, '0');
}
