import type { LogHistogram } from '../../api/types.generated.js';
import { count } from '../../format/numbers.js';
import { Bars } from '../../parts/bars.js';
import { patchSearch } from '../../url/location.js';
import { Level } from './level.js';
import css from './logs.module.css';

const KINDS = ['debug', 'info', 'warn', 'error'] as const;

/** All lines that it counts. */
export function linesOf({ buckets }: LogHistogram): number {
  return buckets.reduce((sum, bucket) => KINDS.reduce((all, kind) => all + bucket[kind], sum), 0);
}

/** Lines over time by level; dragging chooses a range. */
export function Histogram({ of: { buckets, widthMs } }: { readonly of: LogHistogram }) {
  const sum = (kind: (typeof KINDS)[number]): number => buckets.reduce((total, bucket) => total + bucket[kind], 0);
  const words = KINDS.map((kind) => `${sum(kind)} ${kind}`).join(', ');
  return (
    <div className={css.hist}>
      <Bars
        bars={buckets.map((bucket) => ({ time: bucket.time, parts: KINDS.map((kind) => ({ kind, count: bucket[kind] })) }))} widthMs={widthMs} label={`Lines over time: ${words}; drag to choose a range`}
        onRange={(from, to) => patchSearch({ from: new Date(from).toISOString(), to: new Date(to).toISOString() })}
      />
      <ul className={css.sums}>{[...KINDS].reverse().filter((kind) => sum(kind) > 0).map((kind) => <li key={kind} className="row"><Level level={kind} /><span className="grow num">{count(sum(kind))}</span></li>)}</ul>
    </div>
  );
}
