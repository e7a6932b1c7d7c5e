import { type LogRecord, matchesWithin, type QueryTarget, textMatch } from '@treadle/api';

const OWN: Readonly<Record<string, (record: LogRecord) => unknown>> = {
  level: ({ level }) => level, step: ({ stepName }) => stepName, trace: ({ traceId }) => traceId, span: ({ spanId }) => spanId, message: ({ message }) => message,
  service: ({ service }) => service, source: ({ stepName }) => (stepName === '' ? 'engine' : 'step'),
};

/** What queries ask log records: their own members, and fields by their dotted paths. */
export const LOG_TARGET: QueryTarget<LogRecord> = {
  known: {
    level: ['debug', 'info', 'warn', 'error'], step: 'text', trace: 'text', span: 'text', message: 'text', service: 'text', source: ['engine', 'step'],
  },
  values: (record, field) => {
    const own = Object.hasOwn(OWN, field) ? OWN[field] : undefined;
    if (own) return [own(record)];
    const value = fieldValue(record.fields, field);
    return value === undefined ? [] : [value].flat();
  },
  mentions: (text) => {
    const matches = textMatch(text);
    return ({ message, fields, stepName }) => matches(message) || matches(stepName) || (fields !== undefined && matchesWithin(fields, matches));
  },
};

/** The value at a dotted path; a field whose name has the dots counts first. */
export function fieldValue(fields: unknown, path: string): unknown {
  if (typeof fields !== 'object' || fields === null) return undefined;
  if (Object.hasOwn(fields, path)) return (fields as Record<string, unknown>)[path];
  const dot = path.indexOf('.');
  if (dot < 0) return undefined;
  const head = path.slice(0, dot);
  return Object.hasOwn(fields, head) ? fieldValue((fields as Record<string, unknown>)[head], path.slice(dot + 1)) : undefined;
}
