import type { LogRecord, LogSink } from '@treadle/api';
import { safeRecord } from './safe-record.js';

const OWN_KEYS: ReadonlySet<string> = new Set([
  'timestamp', 'level', 'message', 'traceId', 'spanId', 'service', 'stepName',
]);
/** What JSON leaves as it is but a terminal or a line reader acts on: DEL, C1 controls, line separators. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029]/g;

/**
 * Writes each record as one JSON object: the seven fields, then the caller's; a caller's field of the same name is
 * prefixed `field.`. `write` gets the line with its line feed.
 */
export function jsonSink(write: (line: string) => void): LogSink {
  return { write: (record) => write(`${jsonLine(record)}\n`) };
}

/** The record as one line of JSON, without the line feed. */
export function jsonLine(record: LogRecord): string {
  const { timestamp, level, message, traceId, spanId, service, stepName, fields } = safeRecord(record);
  // No prototype: a caller's `__proto__` stays a field.
  const line = Object.create(null) as Record<string, unknown>;
  Object.assign(line, { timestamp, level, message, traceId, spanId, service, stepName });
  for (const [key, value] of Object.entries(fields ?? {})) line[OWN_KEYS.has(key) ? `field.${key}` : key] = value;
  return JSON.stringify(line).replace(UNSAFE, escapeUnit);
}

function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
