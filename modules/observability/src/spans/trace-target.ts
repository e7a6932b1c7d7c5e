import { type AttributeValue, matchesWithin, type QueryTarget, textMatch } from '@treadle/api';
import { safeAttribute, safeAttributes, safeError, safeEvents, safeText } from '../redaction/safe-span.js';
import type { SpanRing } from './span-ring.js';
import type { TraceSummary } from './trace-summary.js';

/** A trace as queries see it. */
export interface AskedTrace {
  readonly ring: SpanRing;
  readonly rows: readonly number[];
  readonly summary: TraceSummary;
}

const OF_SUMMARY: Readonly<Record<string, (summary: TraceSummary) => unknown>> = {
  trace: ({ traceId }) => traceId, name: ({ name }) => name, route: ({ route }) => route, trigger: ({ trigger }) => trigger, status: ({ errors }) => (errors > 0 ? 'error' : 'ok'),
  duration: ({ durationMs }) => durationMs, reply: ({ replyMs }) => replyMs, spans: ({ spans }) => spans, errors: ({ errors }) => errors, retries: ({ retries }) => retries,
  step: ({ steps }) => steps,
};
/** Attributes under shorter names. */
const ALIASES: Readonly<Record<string, string>> = { topic: 'messaging.destination.name', 'http.status': 'http.response.status_code' };
/** How members of errors are asked for. */
const ERROR = 'error';

/** What queries ask traces: the sums of the whole, and the attributes of any span. What is redacted is not found. */
export const TRACE_TARGET: QueryTarget<AskedTrace> = {
  known: {
    trace: 'text', name: 'text', route: 'text', trigger: 'text', status: ['ok', 'error'], duration: 'duration', reply: 'duration', spans: 'number', errors: 'number',
    retries: 'number', step: 'text', kind: ['internal', 'server', 'client', 'producer', 'consumer'], topic: 'text', error: 'text', span: 'text',
  },
  values: ({ ring, rows, summary }, field) => {
    const own = Object.hasOwn(OF_SUMMARY, field) ? OF_SUMMARY[field] : undefined;
    if (own) return [own(summary)].flat().filter((value) => value !== undefined);
    if (field === 'kind') return rows.map((row) => ring.kind(row));
    if (field === 'span') return rows.map((row) => ring.spanId(row));
    if (field === ERROR) return rows.filter((row) => ring.failed(row)).map((row) => errorText(ring, row));
    const name = Object.hasOwn(ALIASES, field) ? ALIASES[field] as string : field;
    return rows.filter((row) => Object.hasOwn(ring.attributesOf(row), name)).map((row) => safeAttribute(name, ring.attributesOf(row)[name] as AttributeValue)).flat();
  },
  mentions: (text) => {
    const matches = textMatch(text);
    return ({ ring, rows, summary }) => matches(summary.name) || rows.some((row) => {
      if (matches(ring.stepName(row)) || matches(safeText(ring.name(row)))) return true;
      const { attributes, error, events } = ring.span(row);
      return matchesWithin([attributes, error, events], matches) && matchesWithin([safeAttributes(attributes), safeError(error), safeEvents(events)], matches);
    });
  },
};

function errorText(ring: SpanRing, row: number): string {
  const { type = '', message = '' } = ring.span(row).error ?? {};
  return `${type}: ${safeText(message)}`;
}
