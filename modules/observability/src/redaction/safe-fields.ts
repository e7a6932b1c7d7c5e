import { isSecretField, type LogFields, type LogRecord, REDACTED } from '@treadle/api';
import { safeText } from './safe-span.js';

const MAX_DEPTH = 8;

/** The record without secrets. Comes back as it is when it has none, which is nearly always. */
export function safeLog(record: LogRecord): LogRecord {
  const message = safeText(record.message);
  const fields = record.fields === undefined ? undefined : safeFields(record.fields);
  if (message === record.message && fields === record.fields) return record;
  return { ...record, message, ...fields === undefined ? {} : { fields } };
}

function safeFields(fields: LogFields): LogFields {
  return safeValue(fields, 0) as LogFields;
}

function safeValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return safeText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return Array.isArray(value) ? '[Array]' : '[Object]';
  return Array.isArray(value) ? safeList(value, depth) : safeMap(value as Readonly<Record<string, unknown>>, depth);
}

function safeList(list: readonly unknown[], depth: number): readonly unknown[] {
  const copy = list.map((item) => safeValue(item, depth + 1));
  return copy.every((item, index) => item === list[index]) ? list : copy;
}

function safeMap(map: Readonly<Record<string, unknown>>, depth: number): object {
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(map)) {
    const value = map[key];
    const safe = isSecretField(key, value) ? REDACTED : safeValue(value, depth + 1);
    if (safe === value) continue;
    copy ??= Object.assign(Object.create(null) as Record<string, unknown>, map);
    copy[key] = safe;
  }
  return copy ?? map;
}
