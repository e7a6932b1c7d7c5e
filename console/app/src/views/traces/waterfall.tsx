import { type CSSProperties, useRef } from 'react';
import { duration } from '../../format/duration.js';
import { classes } from '../../parts/controls.js';
import { ColumnCells, ColumnHeads, columnText } from '../../parts/columns.js';
import { VirtualList } from '../../parts/virtual-list.js';
import { useColumns } from '../../url/use-columns.js';
import { nameOf, tagOf } from './line-words.js';
import { lookOf } from './span-kind.js';
import { gapStripes, TimeAxis } from './time-axis.js';
import type { Gap, TimeScale } from './time-scale.js';
import type { Line } from './timeline.js';
import { useWheelZoom } from './use-wheel-zoom.js';
import css from './waterfall.module.css';

const ROW = 26;
/** From this part of the width on the duration stands left of the bar. */
const RIGHT_SIDE = 0.8;

interface Props {
  readonly lines: readonly Line[];
  readonly whole: TimeScale;
  /** Of the part that is shown. */
  readonly scale: TimeScale;
  readonly selected: string;
  readonly folded: ReadonlySet<string>;
  readonly matches: (line: Line) => boolean;
  readonly onSelect: (spanId: string) => void;
  readonly onFold: (spanId: string) => void;
  readonly onZoom: (text: string | null, how?: { readonly replace?: boolean }) => void;
  readonly onUnfold: (gap: Gap) => void;
}

/** Spans over time; waits and backoffs are rows of their own. */
export function Waterfall({ lines, whole, scale, selected, folded, matches, onSelect, onFold, onZoom, onUnfold }: Props) {
  const [columns, onColumn] = useColumns();
  const [frame, axis] = [useRef<HTMLDivElement>(null), useRef<HTMLSpanElement>(null)];
  useWheelZoom({ frame, axis, whole, shown: scale, onZoom: (text) => onZoom(text, { replace: true }) });
  return (
    <div ref={frame} className={css.frame} style={gapStripes(scale)}>
      <div className={css.head} style={gridOf(columns)}>
        <span style={{ paddingInlineStart: 12 }} aria-hidden="true">Span</span>
        <ColumnHeads names={columns} onDrop={onColumn} />
        <TimeAxis whole={whole} scale={scale} axis={axis} onZoom={onZoom} onUnfold={onUnfold} />
      </div>
      <VirtualList
        items={lines} keyOf={({ key }) => key} rowHeight={ROW} label="Spans" role="tree" current={lines.findIndex(({ span, type }) => type === 'span' && span.spanId === selected)}
        render={(line) => <Row line={line} scale={scale} columns={columns} selected={line.span.spanId === selected && line.type === 'span'} folded={folded.has(line.span.spanId)} dim={!matches(line)} onSelect={onSelect} onFold={onFold} />}
      />
    </div>
  );
}

interface RowProps {
  readonly line: Line;
  readonly scale: TimeScale;
  readonly columns: readonly string[];
  readonly selected: boolean;
  readonly folded: boolean;
  readonly dim: boolean;
  readonly onSelect: (spanId: string) => void;
  readonly onFold: (spanId: string) => void;
}

function Row({ line, scale, columns, selected, folded, dim, onSelect, onFold }: RowProps) {
  const { span, type, depth } = line;
  const time = type === 'wait' ? span.wait ?? span : span;
  const looks = classes(css.line, dim && css.dim, type === 'wait' ? css.wait : span.error && css.failed);
  const tag = type === 'span' ? tagOf(line) : '';
  const valueOf = (name: string): unknown => (type === 'span' ? span.attributes[name] : undefined);
  const mayFold = type === 'span' && span.children > 0;
  return (
    <div
      role="treeitem" aria-level={depth + 1} aria-selected={selected} {...mayFold && { 'aria-expanded': !folded }} className={looks} style={gridOf(columns)}
      aria-label={`${[nameOf(line), ...tag === '' ? [] : [tag], ...columns.map((name) => columnText(valueOf(name))).filter(Boolean), duration(time.durationMs)].join(' ')}${span.error && type === 'span' ? `, ${span.error.type}` : ''}`} onClick={() => onSelect(span.spanId)}
    >
      <span className={css.name} style={{ '--depth': depth } as CSSProperties}>
        <span className={css.fold} aria-hidden="true" onClick={(event) => {
          if (!mayFold) return;
          event.stopPropagation();
          onFold(span.spanId);
        }}>{type === 'wait' ? '⋯' : mayFold ? (folded ? '▸' : '▾') : ''}</span>
        {span.error && type === 'span' && <span aria-hidden="true" style={{ color: 'var(--bad)' }}>■</span>}
        <span className={css.text} title={nameOf(line)}>{nameOf(line)}</span>
        {tag !== '' && <>{' '}<span className={css.tag}>{tag}</span></>}
      </span>{' '}
      <ColumnCells names={columns} of={valueOf} />
      <Track line={line} scale={scale} />
    </div>
  );
}

function Track({ line: { span, type }, scale }: { readonly line: Line; readonly scale: TimeScale }) {
  const time = type === 'wait' ? span.wait ?? span : span;
  const [left, end] = [Math.max(0, scale.part(time.startTime)), Math.min(1, scale.part(time.startTime + time.durationMs))];
  if (left > 1 || end < 0) return <span className={css.track} aria-hidden="true"><span className={classes(css.outside, end < 0 && css.before)}>{end < 0 ? '◂' : '▸'}</span></span>;
  const place: CSSProperties = { left: `${left * 100}%`, width: `${(end - left) * 100}%` };
  return (
    <span className={css.track} aria-hidden="true">
      <span className={classes(css.bar, type === 'span' && css[lookOf(span)])} style={place} />
      {span.critical && <span className={css.critical} style={place} />}
      <span className={classes(css.took, end > RIGHT_SIDE && css.left)} style={{ left: `${(end > RIGHT_SIDE ? left : end) * 100}%` }}>{duration(time.durationMs)}</span>
    </span>
  );
}

/** Columns of fields stand between the name and the time. */
function gridOf(columns: readonly string[]): CSSProperties {
  return { '--columns': columns.length === 0 ? '' : `repeat(${columns.length}, min-content)` } as CSSProperties;
}
