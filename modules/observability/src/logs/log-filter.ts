import type { LogLevel, LogRecord } from '@treadle/api';
import { matchesWithin, textMatch } from '../spans/text-match.js';
import { type LogRing, SEVERITY } from './log-ring.js';

/** Which records are meant; every condition must hold. */
export interface LogFilter {
  /** This level or a higher one. */
  readonly level?: LogLevel | undefined;
  /** Empty: the engine's own lines. */
  readonly step?: string | undefined;
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
  /** In the message or a field, whatever the case. */
  readonly text?: string | undefined;
  /** Milliseconds since the epoch; `to` is not included. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Values by dotted path, compared as text. */
  readonly fields?: Readonly<Record<string, string | number | boolean | null>> | undefined;
}

/** A test for one record. */
export type LogTest = (record: LogRecord) => boolean;

/** The conditions of a filter but those of time. */
export function logTest({ level, step, traceId, spanId, text, fields }: LogFilter): LogTest {
  const tests: LogTest[] = [];
  if (level !== undefined) tests.push((record) => SEVERITY[record.level] >= SEVERITY[level]);
  if (step !== undefined) tests.push((record) => record.stepName === step);
  if (traceId !== undefined) tests.push((record) => record.traceId === traceId);
  if (spanId !== undefined) tests.push((record) => record.spanId === spanId);
  for (const [path, value] of Object.entries(fields ?? {})) tests.push((record) => fieldText(record.fields, path) === String(value));
  if (text !== undefined && text !== '') tests.push(withText(text));
  return (record) => tests.every((test) => test(record));
}

/** A test for a record that is kept, by its number: all conditions of a filter. */
export function ringTest(ring: LogRing, filter: LogFilter): (id: number) => boolean {
  const { from = -Infinity, to = Infinity } = filter;
  const test = logTest(filter);
  return (id) => {
    const time = ring.time(id);
    return time >= from && time < to && test(ring.record(id));
  };
}

/** Numbers of the records that pass, the oldest first. */
export function* matching(ring: LogRing, filter: LogFilter): Generator<number> {
  const passes = ringTest(ring, filter);
  for (let id = ring.oldest; id < ring.end; id += 1) if (passes(id)) yield id;
}

/** Text of the value at a dotted path; a field whose name has the dots counts first. */
function fieldText(fields: unknown, path: string): string | undefined {
  if (typeof fields !== 'object' || fields === null) return undefined;
  if (Object.hasOwn(fields, path)) return textOf((fields as Record<string, unknown>)[path]);
  const dot = path.indexOf('.');
  if (dot < 0) return undefined;
  const head = path.slice(0, dot);
  return Object.hasOwn(fields, head) ? fieldText((fields as Record<string, unknown>)[head], path.slice(dot + 1)) : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function withText(text: string): LogTest {
  const matches = textMatch(text);
  return ({ message, fields }) => matches(message) || (fields !== undefined && matchesWithin(fields, matches));
}
