import { plain } from '../admin/show.js';
import { paint, type TerminalStream } from '../terminal/paint.js';
import { count, formatTable } from '../terminal/table.js';
import { milliseconds } from './milliseconds.js';

/** A span of a trace, as the admin API gives it. */
export interface ShownSpan {
  readonly spanId: string;
  readonly name: string;
  readonly kind: string;
  readonly startTime: number;
  readonly durationMs: number;
  readonly stepName: string;
  readonly depth: number;
  readonly critical: boolean;
  readonly attempt?: number;
  readonly wait?: { readonly kind: 'queue' | 'backoff'; readonly startTime: number; readonly durationMs: number };
  readonly error?: { readonly type: string; readonly message: string };
  readonly unattached?: string;
}

/** A whole trace. */
export interface ShownTrace {
  readonly traceId: string;
  readonly rows: readonly ShownSpan[];
  readonly omitted: number;
  readonly path?: {
    readonly startTime: number;
    readonly durationMs: number;
    readonly byKind: Readonly<Record<string, number>>;
    readonly segments: readonly { readonly kind: string; readonly name: string; readonly durationMs: number }[];
  };
}

interface Line {
  readonly tree: string;
  readonly at: number;
  readonly durationMs: number;
  readonly span: ShownSpan;
  readonly isWait: boolean;
}

/** Deeper spans stand no further to the right. */
const MAX_INDENT = 12;
const BAR = 30;

/** The tree with durations, waits and bars; `*` marks what is on the critical path, which follows below. */
export function formatTrace(trace: ShownTrace, stream: TerminalStream): string {
  const { rows, omitted, path } = trace;
  const start = rows.reduce((least, { startTime }) => Math.min(least, startTime), Infinity);
  const end = rows.reduce((most, { startTime, durationMs }) => Math.max(most, startTime + durationMs), -Infinity);
  const lines = rows.flatMap((span, at) => linesOf(span, guides(rows, at)));
  const table = formatTable(lines.map((line) => [line.tree, `+${milliseconds(Math.max(0, line.at - start))}`, milliseconds(line.durationMs), bar(line, start, end)])).split('\n');
  const shown = table.map((text, at) => painted(text, lines[at], stream));
  const errors = rows.filter(({ error }) => error !== undefined);
  return [
    `trace ${trace.traceId}`, `${count(rows.length + omitted, 'span')}, ${milliseconds(end - start)}${errors.length > 0 ? `, ${count(errors.length, 'error')}` : ''}`, '',
    ...shown, ...omitted > 0 ? [`… and ${count(omitted, 'span')} more`] : [], ...errors.length === 0 ? [] : ['', ...errors.map(errorLine)], ...path ? ['', ...pathLines(path)] : [],
  ].join('\n');
}

function linesOf(span: ShownSpan, guide: { readonly branch: string; readonly stem: string }): readonly Line[] {
  const { name, stepName, wait, attempt, critical, unattached, error } = span;
  const told = [
    plain(name), ...stepName !== '' && stepName !== name ? [`[${plain(stepName)}]`] : [], ...attempt !== undefined && attempt > 1 ? [`attempt ${attempt}`] : [],
    ...error ? ['ERROR'] : [], ...unattached === undefined ? [] : [`(${unattached})`],
  ].join(' ');
  const own = { tree: `${critical ? '*' : ' '} ${guide.branch}${told}`, at: span.startTime, durationMs: span.durationMs, span, isWait: false };
  if (!wait) return [own];
  const waiting = wait.kind === 'queue' ? 'waits in the queue' : 'waits for its next attempt';
  return [{ tree: `${critical ? '*' : ' '} ${guide.stem}┆ ${waiting}`, at: wait.startTime, durationMs: wait.durationMs, span, isWait: true }, own];
}

/** How the tree is drawn before a span: its ancestors that have more children to come, and its own branch. */
function guides(rows: readonly ShownSpan[], at: number): { readonly branch: string; readonly stem: string } {
  const depth = rows[at]?.depth ?? 0;
  if (depth === 0) return { branch: '', stem: '' };
  if (depth > MAX_INDENT) return { branch: `${'  '.repeat(MAX_INDENT)}${depth}: `, stem: '  '.repeat(MAX_INDENT) };
  let stem = '';
  for (let level = 1; level < depth; level += 1) stem += hasMore(rows, at, level) ? '│ ' : '  ';
  return { branch: `${stem}${hasMore(rows, at, depth) ? '├─' : '└─'} `, stem };
}

function hasMore(rows: readonly ShownSpan[], at: number, depth: number): boolean {
  for (let next = at + 1; next < rows.length; next += 1) {
    const found = rows[next]?.depth ?? 0;
    if (found <= depth) return found === depth;
  }
  return false;
}

function bar({ at, durationMs, isWait }: Line, start: number, end: number): string {
  const all = Math.max(end - start, Number.MIN_VALUE);
  const from = Math.max(0, Math.min(BAR - 1, Math.floor(((at - start) / all) * BAR)));
  const length = Math.max(1, Math.min(BAR - from, Math.round((durationMs / all) * BAR)));
  return `${' '.repeat(from)}${(isWait ? '·' : '█').repeat(length)}`;
}

function painted(text: string, line: Line | undefined, stream: TerminalStream): string {
  if (line?.isWait) return paint('dim', text, stream);
  return line?.span.error ? paint('red', text, stream) : text;
}

function errorLine({ name, error }: ShownSpan): string {
  return `error in ${plain(name)}: ${plain(error?.type ?? '')}: ${plain((error?.message ?? '').split('\n')[0] ?? '')}`;
}

function pathLines({ durationMs, byKind, segments }: NonNullable<ShownTrace['path']>): readonly string[] {
  const kinds = Object.entries(byKind).sort(([, a], [, b]) => b - a)
    .map(([kind, ms]) => `${kind} ${milliseconds(ms)} (${Math.round((ms / Math.max(durationMs, Number.MIN_VALUE)) * 100)} %)`);
  const rows = segments.map(({ kind, name, durationMs: ms }) => [`  ${kind}`, plain(name), milliseconds(ms)]);
  return [`critical path, ${milliseconds(durationMs)}: ${kinds.join(', ')}`, ...formatTable(rows).split('\n')];
}
