import type { LogRecord } from '@treadle/api';
import { plain } from '../admin/show.js';
import { paint, type TerminalStream } from '../terminal/paint.js';

/** A record as the admin API gives it; `dropped` stands where a fast log was thinned out. */
export type ShownLog = (LogRecord & { readonly id: number }) | { readonly dropped: number };

/** What a search gives. */
export interface LogListing {
  readonly items: readonly (LogRecord & { readonly id: number })[];
  readonly total: number;
  /** What limits the list, e.g. that only some records are kept. */
  readonly note?: string;
}

const STYLES = { debug: 'dim', info: 'cyan', warn: 'yellow', error: 'red' } as const;
const NO_TRACE = /^0*$/;
const TRACE_LENGTH = 8;

/** One line: time of day in UTC, level, Step, message, fields, beginning of the trace id; a stack below it. */
export function formatLog(log: ShownLog, stream: TerminalStream): string {
  if ('dropped' in log) return paint('dim', `… ${log.dropped} records left out: they came faster than they are shown`, stream);
  const { timestamp, level, stepName, message, fields = {}, traceId } = log;
  const { stack, rest } = withoutStack(fields);
  const parts = [
    paint('dim', timestamp.slice(11, 23), stream), paint(STYLES[level], level.toUpperCase().padEnd(5), stream),
    ...stepName === '' ? [] : [`[${plain(stepName)}]`], plain(message),
    ...Object.entries(rest).map(([key, value]) => paint('dim', `${plain(key)}=${fieldText(value)}`, stream)),
    ...NO_TRACE.test(traceId) ? [] : [paint('dim', `trace=${traceId.slice(0, TRACE_LENGTH)}`, stream)],
  ];
  return [parts.join(' '), ...stack.map((line) => paint('dim', `    ${plain(line.trimEnd())}`, stream))].join('\n');
}

/** A whole listing, the oldest first, with what limits it. */
export function formatLogs({ items, total, note }: LogListing, stream: TerminalStream): string {
  const left = total > items.length ? [`${total - items.length} earlier ones match as well: --limit shows more`] : [];
  const lines = [...left, ...items.map((log) => formatLog(log, stream))];
  return [...lines.length === 0 ? ['Nothing matches.'] : lines, ...note === undefined ? [] : [`note: ${note}`]].join('\n');
}

function fieldText(value: unknown): string {
  return plain(typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value) ?? 'undefined');
}

function withoutStack(fields: Readonly<Record<string, unknown>>): { readonly stack: readonly string[]; readonly rest: Readonly<Record<string, unknown>> } {
  const { stack, ...rest } = fields;
  return typeof stack === 'string' ? { stack: stack.split('\n'), rest } : { stack: [], rest: fields };
}
