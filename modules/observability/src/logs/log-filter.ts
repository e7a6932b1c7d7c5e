import { type LogLevel, type LogRecord, matchesWithin, SEVERITY, textMatch } from '@treadle/api';
import { fieldValue } from './log-target.js';
import type { LogRing } from './log-ring.js';

/** Which records are meant; every condition must hold. */
export interface LogFilter {
  /** This level or a higher one. */
  readonly level?: LogLevel | undefined;
  /** Empty: the engine's own lines. */
  readonly step?: string | undefined;
  /** Whole, or its beginning. */
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
  /** In the message or a field, whatever the case. */
  readonly text?: string | undefined;
  /** Milliseconds since the epoch; `to` is not included. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Of the query language. */
  readonly asked?: LogTest | undefined;
  /** Values by dotted path, compared as text. */
  readonly fields?: Readonly<Record<string, string | number | boolean | null>> | undefined;
}

/** A test for one record. */
export type LogTest = (record: LogRecord) => boolean;

/** The conditions of a filter but those of time. */
export function logTest({ level, step, traceId, spanId, text, fields, asked }: LogFilter): LogTest {
  const tests: LogTest[] = [];
  if (level !== undefined) tests.push((record) => SEVERITY[record.level] >= SEVERITY[level]);
  if (step !== undefined) tests.push((record) => record.stepName === step);
  const beginning = traceId?.toLowerCase();
  if (beginning !== undefined) tests.push((record) => record.traceId.startsWith(beginning));
  if (spanId !== undefined) tests.push((record) => record.spanId === spanId);
  for (const [path, value] of Object.entries(fields ?? {})) tests.push((record) => fieldText(record.fields, path) === String(value));
  if (asked) tests.push(asked);
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

function fieldText(fields: unknown, path: string): string | undefined {
  const value = fieldValue(fields, path);
  return value === undefined ? undefined : textOf(value);
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function withText(text: string): LogTest {
  const matches = textMatch(text);
  return ({ message, fields }) => matches(message) || (fields !== undefined && matchesWithin(fields, matches));
}
