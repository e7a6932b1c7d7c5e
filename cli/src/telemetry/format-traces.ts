import { moreLine, plain, time } from '../admin/show.js';
import { paint, type TerminalStream } from '../terminal/paint.js';
import { count, formatTable } from '../terminal/table.js';
import { milliseconds } from './milliseconds.js';

/** A trace in a list, as the admin API gives it. */
export interface ListedTrace {
  readonly traceId: string;
  readonly name: string;
  readonly startTime: number;
  readonly durationMs: number;
  readonly replyMs: number;
  readonly spans: number;
  readonly steps: readonly string[];
  readonly errors: number;
  readonly retries: number;
  readonly partial: boolean;
}

/** What a search gives. */
export interface TraceListing {
  readonly items: readonly ListedTrace[];
  readonly total: number;
  readonly cursor?: string;
  /** What limits the list, e.g. sampling. */
  readonly note?: string;
}

/** The traces of one page; times are UTC. */
export function formatTraces({ items, total, cursor, note }: TraceListing, stream: TerminalStream): string {
  const foot = [...moreLine(cursor), ...note === undefined ? [] : [`note: ${note}`]];
  if (items.length === 0) return ['No trace matches.', ...foot].join('\n');
  const rows = items.map((trace) => [
    trace.traceId, time(new Date(trace.startTime).toISOString()), `${plain(trace.name)}${trace.partial ? ' (incomplete)' : ''}`, statusOf(trace),
    milliseconds(trace.replyMs), milliseconds(trace.durationMs), String(trace.spans), trace.steps.map(plain).join(', ') || '-',
  ]);
  const table = formatTable([['TRACE', 'STARTED', 'NAME', 'STATUS', 'REPLY', 'SETTLED', 'SPANS', 'STEPS'], ...rows]);
  const lines = table.split('\n').map((line, at) => ((items[at - 1]?.errors ?? 0) > 0 ? paint('red', line, stream) : line));
  return [...lines, total > items.length ? `${items.length} of ${count(total, 'trace')}.` : `${count(total, 'trace')}.`, ...foot].join('\n');
}

function statusOf({ errors, retries }: ListedTrace): string {
  const told = [...errors > 0 ? [count(errors, 'error')] : [], ...retries > 0 ? [`${retries} ${retries === 1 ? 'retry' : 'retries'}`] : []];
  return told.length === 0 ? 'ok' : told.join(', ');
}
