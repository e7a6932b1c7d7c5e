import { type PointerEvent, useMemo, useState } from 'react';
import type { SpanRow } from '../../api/types.generated.js';
import { duration } from '../../format/duration.js';
import { plural } from '../../format/numbers.js';
import { HEIGHT, minimapPaths, WIDTH } from './minimap-paths.js';
import css from './minimap.module.css';
import { type Extent, zoomText } from './timeline.js';

interface Props {
  readonly rows: readonly SpanRow[];
  readonly whole: Extent;
  /** Part of it that the waterfall shows. */
  readonly shown: Extent;
  readonly onZoom: (text: string | null) => void;
}

/** Shorter drags are clicks; part of the width. */
const SHORTEST = 0.005;

/** The whole trace at a glance, with a mark where a span failed; dragging chooses what the waterfall shows, a click shows all. */
export function Minimap({ rows, whole, shown, onZoom }: Props) {
  const [drag, setDrag] = useState<readonly [number, number] | undefined>();
  const { spans, errors } = useMemo(() => minimapPaths(rows, whole), [rows, whole]);
  const failed = useMemo(() => rows.filter(({ error }) => error).length, [rows]);
  const place = (event: PointerEvent<SVGSVGElement>): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(1, (event.clientX - left) / width));
  };
  const end = (): void => {
    const [from, to] = drag ? [Math.min(...drag), Math.max(...drag)] : [0, 0];
    if (drag) onZoom(to - from < SHORTEST ? null : zoomText(whole, from * whole.lengthMs, to * whole.lengthMs));
    setDrag(undefined);
  };
  const [from, to] = [(shown.offsetMs / whole.lengthMs) * WIDTH, ((shown.offsetMs + shown.lengthMs) / whole.lengthMs) * WIDTH];
  return (
    <svg
      className={css.map} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img"
      aria-label={`The whole trace: ${plural(rows.length, 'span')} in ${duration(whole.lengthMs)}, ${failed} failed; drag to zoom`}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag([place(event), place(event)]);
      }} onPointerMove={(event) => drag && setDrag([drag[0], place(event)])} onPointerUp={end} onPointerCancel={() => setDrag(undefined)}
    >
      <path className={css.spans} d={spans} /><path className={css.errors} d={errors} />
      <rect className={css.outside} x={0} y={0} width={from} height={HEIGHT} /><rect className={css.outside} x={to} y={0} width={WIDTH - to} height={HEIGHT} />
      {drag && <rect className={css.brush} x={Math.min(...drag) * WIDTH} width={Math.abs(drag[1] - drag[0]) * WIDTH} y={0} height={HEIGHT} />}
    </svg>
  );
}
