import type { logs, resources, tracing } from '@opentelemetry/sdk-node';
import type { SpanKind, SpanRecord } from '@treadle/api';
import { safeSpan } from '../redaction/safe-span.js';
import { hrTime } from './hr-time.js';

type Span = tracing.ReadableSpan;
type SpanContext = ReturnType<Span['spanContext']>;
type Scope = logs.ReadableLogRecord['instrumentationScope'];

/** The library that OpenTelemetry is told of. Its identity is what exporters group by. */
export const SCOPE: Scope = Object.freeze({ name: 'treadle', version: '0.1.0' });

const KINDS: Readonly<Record<SpanKind, Span['kind']>> = { internal: 0, server: 1, client: 2, producer: 3, consumer: 4 };
const SAMPLED = 1;
const OK_UNSET = 0;
const ERROR = 2;

/** The span as exporters of OpenTelemetry take it, without secrets. */
export function otlpSpan(record: SpanRecord, resource: resources.Resource): Span {
  const span = safeSpan(record);
  const context = contextOf(span.traceId, span.spanId);
  const { parentSpanId, error, startTime, durationMs } = span;
  return {
    name: span.name, kind: KINDS[span.kind], spanContext: () => context,
    ...parentSpanId === undefined ? {} : { parentSpanContext: contextOf(span.traceId, parentSpanId) },
    startTime: hrTime(startTime), endTime: hrTime(startTime + durationMs), duration: hrTime(durationMs), ended: true,
    status: error === undefined ? { code: OK_UNSET } : { code: ERROR, message: error.message },
    attributes: attributesOf(span), links: (span.links ?? []).flatMap(linkOf), events: eventsOf(span),
    resource, instrumentationScope: SCOPE, droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0,
  };
}

function contextOf(traceId: string, spanId: string): SpanContext {
  return { traceId, spanId, traceFlags: SAMPLED };
}

function attributesOf({ attributes, stepName, error }: SpanRecord): Span['attributes'] {
  return {
    ...attributes as Span['attributes'],
    ...stepName === '' || 'step.name' in attributes ? {} : { 'step.name': stepName },
    ...error === undefined ? {} : { 'error.type': error.type },
  };
}

function linkOf(traceparent: string): Span['links'] {
  const [, traceId, spanId] = traceparent.split('-');
  return traceId === undefined || spanId === undefined ? [] : [{ context: contextOf(traceId, spanId) }];
}

function eventsOf({ events = [], error, startTime, durationMs }: SpanRecord): Span['events'] {
  const own = events.map(({ name, time, attributes }) => ({ name, time: hrTime(time), attributes: { ...attributes } as Span['attributes'] }));
  if (!error) return own;
  const attributes = { 'exception.type': error.type, 'exception.message': error.message, ...error.stack === undefined ? {} : { 'exception.stacktrace': error.stack } };
  return [...own, { name: 'exception', time: hrTime(startTime + durationMs), attributes }];
}
