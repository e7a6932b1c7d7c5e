import { useMemo } from 'react';
import type { SpanRow } from '../../api/types.generated.js';
import { duration } from '../../format/duration.js';
import { plural } from '../../format/numbers.js';
import { classes } from '../../parts/controls.js';
import { Link } from '../../url/link.js';
import { paths } from '../../url/paths.js';
import { nameOf } from './line-words.js';
import css from './small-waterfall.module.css';
import { lookOf } from './span-kind.js';
import { extentOf, type Line, linesOf } from './timeline.js';
import colours from './waterfall.module.css';

/** Lines that are shown; the trace itself has all. */
const MOST = 12;
const NONE: ReadonlySet<string> = new Set();
/** What has children or went wrong, and what leads to other Steps. */
const isTold = ({ kind, name, error }: SpanRow): boolean => error !== undefined || kind === 'server' || kind === 'producer' || kind === 'consumer' || name.startsWith('handler ');

/** The course of a trace in a few lines, each a link to its span; it grows as spans come. */
export function SmallWaterfall({ traceId, rows }: { readonly traceId: string; readonly rows: readonly SpanRow[] }) {
  const { from, lengthMs } = useMemo(() => extentOf(rows), [rows]);
  const lines = useMemo(() => linesOf(rows, NONE, isTold), [rows]);
  const part = (ms: number): string => `${(ms / lengthMs) * 100}%`;
  return (
    <>
      <ul className={css.lines} aria-label="Waterfall of the latest run">
        {lines.slice(0, MOST).map((line) => <li key={line.key}><One line={line} traceId={traceId} left={part(timeOf(line).startTime - from)} width={part(timeOf(line).durationMs)} /></li>)}
      </ul>
      {lines.length > MOST && <p className="muted">and {plural(lines.length - MOST, 'line')} more</p>}
    </>
  );
}

function One({ line, traceId, left, width }: { readonly line: Line; readonly traceId: string; readonly left: string; readonly width: string }) {
  const { span, type } = line;
  const failed = type === 'span' && span.error !== undefined;
  return (
    <Link to={paths.trace(traceId, span.spanId)} className={css.line}>
      <span className={classes('truncate', failed && css.bad)}>{nameOf(line)}</span>{' '}
      <span className={css.track}><span className={classes(css.bar, type === 'wait' ? css.wait : failed ? css.failed : colours[lookOf(span)])} style={{ insetInlineStart: left, width }} /></span>{' '}
      <span className="num muted">{duration(timeOf(line).durationMs)}</span>
    </Link>
  );
}

const timeOf = ({ type, span }: Line): { readonly startTime: number; readonly durationMs: number } => (type === 'wait' ? span.wait ?? span : span);
