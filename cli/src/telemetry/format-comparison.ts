import { plain, time } from '../admin/show.js';
import { paint, type TerminalStream } from '../terminal/paint.js';
import { count, formatTable } from '../terminal/table.js';
import type { ListedTrace } from './format-traces.js';
import { milliseconds } from './milliseconds.js';

interface ComparedSpan {
  readonly durationMs: number;
  readonly error?: { readonly type: string; readonly message: string };
  readonly status?: number;
}

/** A span of one or both traces, as the admin API gives it. */
export interface ShownPair {
  readonly depth: number;
  readonly name: string;
  readonly stepName: string;
  readonly occurrence: number;
  readonly a?: ComparedSpan;
  readonly b?: ComparedSpan;
  readonly deltaMs?: number;
}

/** Two traces side by side. */
export interface ShownComparison {
  readonly a: ListedTrace;
  readonly b: ListedTrace;
  readonly matched: number;
  readonly onlyInA: number;
  readonly onlyInB: number;
  readonly divergence?: { readonly reason: string; readonly row: ShownPair };
  readonly rows: readonly ShownPair[];
  readonly omitted: number;
}

/** Deeper spans stand no further to the right. */
const MAX_INDENT = 12;
/** Differences that are not worth a sign, in milliseconds. */
const EQUAL_MS = 0.005;

/** Both traces in a line each, their spans as one tree with both durations, and what differed first. */
export function formatComparison({ a, b, matched, onlyInA, onlyInB, rows, omitted, divergence }: ShownComparison, stream: TerminalStream): string {
  const table = formatTable([['', 'SPAN', 'A', 'B', 'DIFFERENCE'], ...rows.map(cellsOf)]).split('\n');
  return [
    traceLine('a', a), traceLine('b', b), `${count(matched, 'span')} in both, ${onlyInA} only in a, ${onlyInB} only in b`, '',
    ...table.map((line, at) => painted(line, rows[at - 1], stream)), ...omitted > 0 ? [`… and ${count(omitted, 'span')} more`] : [], '',
    divergence ? `first difference: ${differenceOf(divergence.reason, divergence.row)}` : 'no difference but in durations',
  ].join('\n');
}

function traceLine(side: string, { traceId, name, startTime, durationMs, spans, errors }: ListedTrace): string {
  const failed = errors > 0 ? `, ${count(errors, 'error')}` : '';
  return `${side}  ${traceId}  ${time(new Date(startTime).toISOString())}  ${plain(name)}, ${milliseconds(durationMs)}, ${count(spans, 'span')}${failed}`;
}

function cellsOf(row: ShownPair): readonly string[] {
  const { depth, a, b, deltaMs } = row;
  const duration = (span: ComparedSpan | undefined): string => (span ? `${milliseconds(span.durationMs)}${span.error ? ' ERROR' : ''}` : '-');
  return [markOf(row), `${'  '.repeat(Math.min(depth, MAX_INDENT))}${nameOf(row)}`, duration(a), duration(b), deltaMs === undefined ? `only in ${a ? 'a' : 'b'}` : signed(deltaMs)];
}

function markOf({ a, b }: ShownPair): string {
  if (!b) return '-';
  if (!a) return '+';
  return a.status === b.status && a.error?.type === b.error?.type && a.error?.message === b.error?.message ? ' ' : '!';
}

function nameOf({ name, stepName, occurrence }: ShownPair): string {
  return [plain(name), ...stepName !== '' && stepName !== name ? [`[${plain(stepName)}]`] : [], ...occurrence > 1 ? [`#${occurrence}`] : []].join(' ');
}

function signed(ms: number): string {
  return Math.abs(ms) < EQUAL_MS ? '=' : `${ms < 0 ? '-' : '+'}${milliseconds(Math.abs(ms))}`;
}

function differenceOf(reason: string, row: ShownPair): string {
  const told = (span: ComparedSpan | undefined): string => {
    if (reason === 'status') return String(span?.status ?? 'none');
    return span?.error ? plain(`${span.error.type}: ${span.error.message.split('\n')[0] ?? ''}`) : 'none';
  };
  return row.a && row.b ? `${reason} of ${nameOf(row)}: ${told(row.a)} in a, ${told(row.b)} in b` : `${nameOf(row)} is ${reason}`;
}

function painted(line: string, row: ShownPair | undefined, stream: TerminalStream): string {
  if (!row) return line;
  const mark = markOf(row);
  if (mark === ' ') return line;
  return paint(mark === '+' ? 'green' : 'red', line, stream);
}
