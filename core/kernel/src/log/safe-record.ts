import type { LogLevel, LogRecord, LogSink } from '@treadle/api';
import { MAX_FIELD_CHARACTERS, PlainCopier } from './plain-value.js';
import { redactText } from './redact.js';

const SEVERITY: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };
const safe = new WeakSet<LogRecord>();

/** True when a record of this level is written at the threshold. */
export function passes(level: LogLevel, threshold: LogLevel): boolean {
  return SEVERITY[level] >= SEVERITY[threshold];
}

/**
 * A copy of the record that can go anywhere: secrets redacted, fields plain JSON of at most 8 KB and 6 levels.
 * A record that went through here before comes back as it is.
 */
export function safeRecord(record: LogRecord): LogRecord {
  if (safe.has(record)) return record;
  const { fields, message, ...rest } = record;
  const copy: LogRecord = {
    ...rest,
    message: boundedMessage(message),
    ...(fields === undefined ? {} : { fields: new PlainCopier().fields(fields) }),
  };
  safe.add(copy);
  return copy;
}

function boundedMessage(message: unknown): string {
  // Handlers written in JavaScript pass anything.
  const text = typeof message === 'string' ? message : new PlainCopier().text(describeMessage(message));
  if (text.length <= MAX_FIELD_CHARACTERS) return redactText(text);
  return `${redactText(text.slice(0, MAX_FIELD_CHARACTERS))}… [truncated]`;
}

function describeMessage(message: unknown): string {
  return JSON.stringify(new PlainCopier().fields({ message })['message']) ?? 'undefined';
}

/** Passes records of a level on, made safe; what the engine hands to modules and to the StepHub. */
export class SafeSink implements LogSink {
  constructor(private readonly inner: LogSink, private readonly level: LogLevel) {}

  write(record: LogRecord): void {
    if (passes(record.level, this.level)) this.inner.write(safeRecord(record));
  }
}
