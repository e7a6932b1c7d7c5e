import { type PointerEvent, useState } from 'react';
import css from './bars.module.css';
import { marksBetween } from './time-marks.js';
import { useTimeMarks } from './use-time-marks.js';

/** A bar: parts are stacked, the first at the bottom. */
export interface Bar {
  readonly time: number;
  readonly parts: readonly { readonly kind: 'debug' | 'info' | 'warn' | 'error'; readonly count: number }[];
}

interface Props {
  readonly bars: readonly Bar[];
  readonly widthMs: number;
  readonly label: string;
  /** Called with the range that was dragged over, milliseconds since the epoch. */
  readonly onRange?: (from: number, to: number) => void;
}

const HEIGHT = 100;
const GAP = 0.15;

/** Counts over time, with marks where the application changed; dragging chooses a range. */
export function Bars({ bars, widthMs, label, onRange }: Props) {
  const [drag, setDrag] = useState<readonly [number, number] | undefined>();
  const begin = bars[0]?.time ?? 0;
  const marks = marksBetween(useTimeMarks(), begin, begin + bars.length * widthMs);
  const most = Math.max(1, ...bars.map(({ parts }) => parts.reduce((sum, { count }) => sum + count, 0)));
  const place = (event: PointerEvent<SVGSVGElement>): number => {
    const box = event.currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(bars.length, ((event.clientX - box.left) / box.width) * bars.length));
  };
  const end = (): void => {
    if (drag && Math.abs(drag[1] - drag[0]) > 0.4) onRange?.(Math.round(begin + Math.min(...drag) * widthMs), Math.round(begin + Math.max(...drag) * widthMs));
    setDrag(undefined);
  };
  return (
    <svg
      className={css.bars} viewBox={`0 0 ${Math.max(1, bars.length)} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={[label, ...marks.map(({ text }) => text)].join('; ')}
      onPointerDown={(event) => setDrag([place(event), place(event)])} onPointerMove={(event) => drag && setDrag([drag[0], place(event)])} onPointerUp={end} onPointerLeave={end}
    >
      {bars.map((bar, at) => <Stack key={bar.time} bar={bar} at={at} most={most} />)}
      {marks.map(({ at, text, part }) => <line key={at} className={css.mark} x1={part * bars.length} x2={part * bars.length} y1={0} y2={HEIGHT}><title>{`${text}, ${new Date(at).toISOString()}`}</title></line>)}
      {drag && <rect className={css.brush} x={Math.min(...drag)} width={Math.abs(drag[1] - drag[0])} y={0} height={HEIGHT} />}
    </svg>
  );
}

function Stack({ bar, at, most }: { readonly bar: Bar; readonly at: number; readonly most: number }) {
  let top = HEIGHT;
  return bar.parts.filter(({ count }) => count > 0).map(({ kind, count }) => {
    const height = Math.max(2, (count / most) * (HEIGHT - 4));
    top -= height;
    return <rect key={kind} className={css[kind]} x={at + GAP / 2} width={1 - GAP} y={Math.max(0, top)} height={height} />;
  });
}
