import type { logs, resources } from '@opentelemetry/sdk-node';
import type { LogLevel, LogRecord } from '@treadle/api';
import { hrTime } from './hr-time.js';
import { SCOPE } from './otlp-span.js';

type Log = logs.ReadableLogRecord;

const SEVERITIES: Readonly<Record<LogLevel, NonNullable<Log['severityNumber']>>> = { debug: 5, info: 9, warn: 13, error: 17 };
const SAMPLED = 1;
const NO_TRACE = /^0+$/;

/** The record as exporters of OpenTelemetry take it. It has gone through redaction before. */
export function otlpLog(record: LogRecord, resource: resources.Resource): Log {
  const { traceId, spanId, level, message, stepName, fields } = record;
  const time = hrTime(Date.parse(record.timestamp));
  return {
    hrTime: time, hrTimeObserved: time, severityText: level.toUpperCase(), severityNumber: SEVERITIES[level], body: message,
    ...NO_TRACE.test(traceId) ? {} : { spanContext: { traceId, spanId, traceFlags: SAMPLED } },
    attributes: { ...fields, ...stepName === '' ? {} : { 'step.name': stepName } } as Log['attributes'],
    droppedAttributesCount: 0, resource, instrumentationScope: SCOPE,
  };
}
