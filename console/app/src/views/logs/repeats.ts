import type { LogRecord } from '../../api/types.generated.js';
import type { TailRow } from './tail-row.js';

/** Lines one after the other that say the same. */
export interface RepeatedLine {
  /** All of them, in the order of the list; at least two. */
  readonly lines: readonly [LogRecord, LogRecord, ...LogRecord[]];
}

/** A row of the list. */
export type ShownRow = TailRow | RepeatedLine;

/**
 * Lines that repeat their neighbour become one row: level, Step, message and fields are the same, so that nothing is hidden but when each came and of
 * which trace it is. A run with a line that `isApart` stays as it is.
 */
export function foldRepeats(rows: readonly TailRow[], isApart: (line: LogRecord) => boolean): readonly ShownRow[] {
  const shown: ShownRow[] = [];
  for (let at = 0; at < rows.length;) {
    const end = endOfRun(rows, at);
    if (end === at + 1) shown.push(rows[at] as TailRow);
    else {
      const lines = rows.slice(at, end) as unknown as RepeatedLine['lines'];
      if (lines.some(isApart)) shown.push(...lines);
      else shown.push({ lines });
    }
    at = end;
  }
  return shown;
}

/** The lines that a row stands for; none for a mark. */
export function linesOf(row: ShownRow): readonly LogRecord[] {
  return 'lines' in row ? row.lines : 'missing' in row ? [] : [row];
}

/** Which row stands for the line or mark of this id; -1 where none does. */
export function rowOf(rows: readonly ShownRow[], id: string): number {
  return rows.findIndex((row) => ('lines' in row ? row.lines.some((line) => String(line.id) === id) : String(row.id) === id));
}

/** Stays the same while further lines join a run at its newer end. */
export function keyOf(row: ShownRow): string | number {
  return 'lines' in row ? `run ${Math.min(row.lines[0].id, row.lines.at(-1)?.id ?? 0)}` : row.id;
}

/** Behind the last row that says what the one at `at` does. */
function endOfRun(rows: readonly TailRow[], at: number): number {
  const first = rows[at] as TailRow;
  let end = at + 1;
  while (end < rows.length && isAlike(first, rows[end] as TailRow)) end += 1;
  return end;
}

function isAlike(a: TailRow, b: TailRow): boolean {
  if ('missing' in a || 'missing' in b) return false;
  return a.message === b.message && a.level === b.level && a.stepName === b.stepName && a.service === b.service && haveSameFields(a.fields, b.fields);
}

/** Without a text of either: as many as 20,000 lines are compared each time that some come. */
function haveSameFields(a: LogRecord['fields'] = {}, b: LogRecord['fields'] = {}): boolean {
  let count = 0;
  for (const name in a) {
    if (!Object.hasOwn(b, name) || !isSame(a[name], b[name])) return false;
    count += 1;
  }
  for (const _ in b) count -= 1;
  return count === 0;
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b));
}
