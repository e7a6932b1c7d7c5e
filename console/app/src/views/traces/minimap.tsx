import { useMemo } from 'react';
import type { SpanRow } from '../../api/types.generated.js';
import { duration } from '../../format/duration.js';
import { plural } from '../../format/numbers.js';
import { useBrush } from './brush.js';
import { HEIGHT, minimapPaths, WIDTH } from './minimap-paths.js';
import css from './minimap.module.css';
import type { TimeScale } from './time-scale.js';
import { stretchText } from './zoom.js';

interface Props {
  readonly rows: readonly SpanRow[];
  readonly whole: TimeScale;
  /** Part of it that the waterfall shows. */
  readonly shown: TimeScale;
  readonly onZoom: (text: string | null) => void;
}

/** The whole trace at a glance, with a mark where a span failed; dragging chooses what the waterfall shows, a click shows all. */
export function Minimap({ rows, whole, shown, onZoom }: Props) {
  const { spans, errors } = useMemo(() => minimapPaths(rows, whole), [rows, whole]);
  const failed = useMemo(() => rows.filter(({ error }) => error).length, [rows]);
  const { span: brush, handlers } = useBrush<SVGSVGElement>((stretch) => onZoom(stretch ? stretchText(whole, stretch) : null));
  const [from, to] = [whole.part(shown.from) * WIDTH, whole.part(shown.from + shown.lengthMs) * WIDTH];
  return (
    <svg
      className={css.map} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img"
      aria-label={`The whole trace: ${plural(rows.length, 'span')} in ${duration(whole.lengthMs)}, ${failed} failed; drag to zoom`} {...handlers}
    >
      {whole.gaps.map((gap) => <rect key={gap.from} className={css.gap} x={gap.left * WIDTH} width={gap.width * WIDTH} y={0} height={HEIGHT} />)}
      <path className={css.spans} d={spans} /><path className={css.errors} d={errors} />
      <rect className={css.outside} x={0} y={0} width={Math.max(0, from)} height={HEIGHT} /><rect className={css.outside} x={to} y={0} width={Math.max(0, WIDTH - to)} height={HEIGHT} />
      {brush && <rect className={css.brush} x={brush[0] * WIDTH} width={(brush[1] - brush[0]) * WIDTH} y={0} height={HEIGHT} />}
    </svg>
  );
}
