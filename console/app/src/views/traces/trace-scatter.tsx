import { type PointerEvent, useMemo, useState } from 'react';
import type { TraceSummary } from '../../api/types.generated.js';
import { duration } from '../../format/duration.js';
import { marksBetween } from '../../parts/time-marks.js';
import { useTimeMarks } from '../../parts/use-time-marks.js';
import { patchSearch } from '../../url/location.js';
import { brushed, HEIGHT, scaleOf, scatterPaths, WIDTH } from './scatter-points.js';
import css from './trace-scatter.module.css';

interface Corner {
  readonly x: number;
  readonly y: number;
}

/** Shorter drags are clicks; part of the width or the height. */
const SHORTEST = 0.01;

/** When the traces of the list began and how long they took, failed ones red and taller; dragging over some narrows the list to them. */
export function TraceScatter({ items, q }: { readonly items: readonly TraceSummary[]; readonly q: string }) {
  const [drag, setDrag] = useState<readonly [Corner, Corner] | undefined>();
  const scale = useMemo(() => scaleOf(items), [items]);
  const { ok, failed } = useMemo(() => scatterPaths(items, scale), [items, scale]);
  const marks = marksBetween(useTimeMarks(), scale.from, scale.to);
  const place = (event: PointerEvent<SVGSVGElement>): Corner => {
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
    const part = (value: number): number => Math.max(0, Math.min(1, value));
    return { x: part((event.clientX - left) / width), y: part((event.clientY - top) / height) };
  };
  const brush = drag && { left: Math.min(drag[0].x, drag[1].x), right: Math.max(drag[0].x, drag[1].x), top: Math.min(drag[0].y, drag[1].y), bottom: Math.max(drag[0].y, drag[1].y) };
  const end = (): void => {
    if (brush && Math.max(brush.right - brush.left, brush.bottom - brush.top) > SHORTEST) patchSearch(brushed(brush, scale, q));
    setDrag(undefined);
  };
  return (
    <div className={css.scatter}>
      <div className={css.axis} aria-hidden="true"><span>{duration(scale.longestMs)}</span><span>{duration(scale.shortestMs)}</span></div>
      <svg
        className={css.plot} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img"
        aria-label={`${items.length} traces by their beginning and duration, from ${duration(scale.shortestMs)} to ${duration(scale.longestMs)}; ${marks.map(({ text }) => `${text}; `).join('')}drag over some to narrow the list`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag([place(event), place(event)]);
        }} onPointerMove={(event) => drag && setDrag([drag[0], place(event)])} onPointerUp={end} onPointerCancel={() => setDrag(undefined)}
      >
        {marks.map(({ at, text, part }) => <line key={at} className={css.mark} x1={part * WIDTH} x2={part * WIDTH} y1={0} y2={HEIGHT}><title>{text}</title></line>)}
        <path className={css.ok} d={ok} /><path className={css.failed} d={failed} />
        {brush && <rect className={css.brush} x={brush.left * WIDTH} y={brush.top * HEIGHT} width={(brush.right - brush.left) * WIDTH} height={(brush.bottom - brush.top) * HEIGHT} />}
      </svg>
    </div>
  );
}
