import type { LogRecord } from '../api/types.generated.js';

/** What changed the running application: errors may have begun with it. */
export interface TimeMark {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly of: 'start' | 'Steps' | 'configuration';
  /** e.g. `Steps changed: 1 added, 2 changed` */
  readonly text: string;
}

const [CATALOG, CONFIGURATION] = ['catalog changed', 'configuration reloaded'];
/** Finds their records in the log by what is no payload: everybody may ask it. */
export const MARKS = { q: `source:engine (message:"${CATALOG}" OR message:"${CONFIGURATION}")` };
const COUNTS = ['added', 'changed', 'swapped', 'removed'];

/** Those of a start and of log records, which come the latest first. */
export function marksOf(startedAt: string | undefined, records: readonly Pick<LogRecord, 'timestamp' | 'message' | 'fields'>[]): readonly TimeMark[] {
  const start = startedAt === undefined ? [] : [{ at: Date.parse(startedAt), of: 'start' as const, text: 'The engine started' }];
  return [...start, ...records.flatMap(markOf)].sort((a, b) => a.at - b.at);
}

/** Those on a stretch of time, each with its place: 0 at the beginning, 1 at the end. */
export function marksBetween(marks: readonly TimeMark[], from: number, to: number): readonly (TimeMark & { readonly part: number })[] {
  return marks.filter(({ at }) => at >= from && at <= to && to > from).map((mark) => ({ ...mark, part: (mark.at - from) / (to - from) }));
}

function markOf({ timestamp, message, fields }: Pick<LogRecord, 'timestamp' | 'message' | 'fields'>): readonly TimeMark[] {
  const at = Date.parse(timestamp);
  if (message === CONFIGURATION) return [{ at, of: 'configuration', text: 'The configuration was loaded anew' }];
  if (message !== CATALOG) return [];
  const counts = COUNTS.flatMap((name) => (Number(fields?.[name] ?? 0) > 0 ? [`${String(fields?.[name])} ${name}`] : []));
  return [{ at, of: 'Steps', text: `Steps changed: ${counts.join(', ')}` }];
}
