import type { LogLevel } from '@treadle/api';
import { type LogFilter, matching } from './log-filter.js';
import type { LogRing } from './log-ring.js';

/** Records that differ in numbers and ids only. */
export interface LogPattern {
  /** Their message with `<id>` and `<n>` for what differs. */
  readonly pattern: string;
  readonly level: LogLevel;
  readonly count: number;
  /** ISO 8601. */
  readonly first: string;
  readonly last: string;
  /** Id of the latest. */
  readonly sample: number;
}

const MAX_PATTERNS = 2_000;
const IDS = /\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{16,64})\b/gi;
const NUMBERS = /\d+(?:[.,:]\d+)*/g;

/** The text without what differs from one record to the next. */
export function patternOf(message: string): string {
  return message.replaceAll(IDS, '<id>').replaceAll(NUMBERS, '<n>');
}

/** The most frequent patterns among the records that pass. */
export function logPatterns(ring: LogRing, filter: LogFilter, limit: number): readonly LogPattern[] {
  const found = new Map<string, { -readonly [K in keyof LogPattern]: LogPattern[K] }>();
  for (const id of matching(ring, filter)) {
    const { level, message, timestamp } = ring.record(id);
    const pattern = patternOf(message);
    const key = `${level} ${pattern}`;
    const known = found.get(key);
    if (known) Object.assign(known, { count: known.count + 1, last: timestamp, sample: id });
    else if (found.size < MAX_PATTERNS) found.set(key, { pattern, level, count: 1, first: timestamp, last: timestamp, sample: id });
  }
  return [...found.values()].sort((a, b) => b.count - a.count || b.sample - a.sample).slice(0, limit);
}
