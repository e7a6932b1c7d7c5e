import type { LogRecord, SpanRow } from '../../api/types.generated.js';
import { duration } from '../../format/duration.js';
import { isWrite } from '../state/written.js';

/** One line of a story. */
export interface Happening {
  readonly key: string;
  readonly at: number;
  readonly mark: string;
  readonly step: string;
  readonly text: string;
  readonly spanId: string;
  readonly bad: boolean;
  /** It wrote a key. */
  readonly write?: SpanRow;
}

/** Begins, waits, state, streams, messages, errors and logs of a trace in the order of time. */
export function happenings(rows: readonly SpanRow[], logs: readonly LogRecord[]): readonly Happening[] {
  const lines = logs.map((log): Happening => ({
    key: `log ${log.id}`, at: Date.parse(log.timestamp), mark: '≡', step: log.stepName, text: `${log.level}: ${log.message}${fieldText(log)}`, spanId: log.spanId, bad: log.level === 'error',
  }));
  return [...rows.flatMap(ofSpan), ...lines].sort((a, b) => a.at - b.at);
}

function ofSpan(span: SpanRow): readonly Happening[] {
  const { spanId, startTime, durationMs, stepName, error, attributes, kind } = span;
  const base = { spanId, step: stepName, bad: false };
  const text = (name: string): string => String(attributes[name] ?? '');
  const made = (suffix: string, at: number, mark: string, words: string): Happening => ({ ...base, key: `${spanId} ${suffix}`, at, mark, text: words });
  const failed = error ? [{ ...made('error', startTime + durationMs, '■', `${error.type}: ${error.message}`), bad: true }] : [];
  if (kind === 'server') return [{ ...made('begin', startTime, '→', span.name), step: '' }, { ...made('end', startTime + durationMs, '←', `answered ${text('http.response.status_code')} after ${duration(durationMs)}`), step: '' }, ...failed];
  if (kind === 'consumer') return [made('begin', startTime, '▷', `takes ${text('messaging.destination.name')}${(span.attempt ?? 1) > 1 ? `, attempt ${span.attempt ?? ''}` : ''}${span.wait ? ` after ${duration(span.wait.durationMs)} of ${span.wait.kind === 'backoff' ? 'backoff' : 'waiting'}` : ''}`), ...failed];
  if (kind === 'producer') return [made('begin', startTime, '↗', `enqueues ${text('messaging.destination.name')}`), ...failed];
  if (attributes['state.key'] !== undefined) return [{ ...made('begin', startTime, '▤', `${span.name} ${text('state.group')}/${text('state.key')}${attributes['state.rev.after'] === undefined ? '' : ` revision ${text('state.rev.after')}`}`), ...isWrite(span) && { write: span } }, ...failed];
  if (attributes['stream.name'] !== undefined) return [made('begin', startTime, '⇄', `${span.name} ${text('stream.name')}/${text('stream.group')}/${text('stream.id')}`), ...failed];
  return span.name.startsWith('handler ') ? [] : [made('begin', startTime, '·', span.name), ...failed];
}

function fieldText({ fields }: LogRecord): string {
  const shown = Object.entries(fields ?? {}).filter(([name]) => name !== 'stack').map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return shown.length === 0 ? '' : ` (${shown.join(', ')})`;
}
