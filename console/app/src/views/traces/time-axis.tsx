import { type CSSProperties, type Ref, useMemo } from 'react';
import { duration } from '../../format/duration.js';
import { useBrush } from './brush.js';
import css from './time-axis.module.css';
import { type Gap, scaleTicks, type TimeScale } from './time-scale.js';
import { zoomText } from './timeline.js';

interface Props {
  readonly whole: TimeScale;
  readonly scale: TimeScale;
  readonly axis: Ref<HTMLSpanElement>;
  readonly onZoom: (text: string | null) => void;
  readonly onUnfold: (gap: Gap) => void;
}

/** The time above the spans. Dragging over it zooms; idle time that is drawn short is a button that unfolds it. */
export function TimeAxis({ whole, scale, axis, onZoom, onUnfold }: Props) {
  const ticks = useMemo(() => scaleTicks(scale), [scale]);
  const since = (part: number): number => scale.timeAt(part) - whole.from;
  const { span: brush, handlers } = useBrush<HTMLSpanElement>((stretch) => stretch && onZoom(zoomText(whole, since(stretch[0]), since(stretch[1]))));
  return (
    <span className={css.axis} ref={axis}>
      <span className={css.ground} aria-hidden="true" {...handlers}>
        {ticks.map(({ part, text }) => <span key={part} className={css.tick} style={{ left: `${part * 100}%` }}>{text}</span>)}
        {brush && <span className={css.brush} style={{ left: `${brush[0] * 100}%`, width: `${(brush[1] - brush[0]) * 100}%` }} />}
      </span>
      {scale.gaps.map((gap) => {
        const text = `${duration(gap.lengthMs)} idle`;
        return <button key={gap.from} type="button" className={css.gap} style={{ left: `${gap.left * 100}%`, width: `${gap.width * 100}%` }} title={`${text}, folded; a click unfolds it`} aria-label={`Unfold ${text}`} onClick={() => onUnfold(gap)}>⋯</button>;
      })}
    </span>
  );
}

/** Stripes where idle time is folded, for what lies below the axis. */
export function gapStripes({ gaps }: TimeScale): CSSProperties {
  const stops = gaps.map(({ left, width }) => `transparent ${left * 100}%, var(--fold) ${left * 100}%, var(--fold) ${(left + width) * 100}%, transparent ${(left + width) * 100}%`);
  return { '--gaps': stops.length === 0 ? 'none' : `linear-gradient(90deg, ${stops.join(', ')})` } as CSSProperties;
}
