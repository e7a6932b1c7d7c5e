import { useMemo } from 'react';
import type { TraceSummary } from '../../api/types.generated.js';
import { type Bar, Bars } from '../../parts/bars.js';
import { patchSearch } from '../../url/location.js';
import css from './trace-list.module.css';

const BUCKETS = 90;

/** When the traces of the list began, failed ones red; dragging narrows the list to a range. */
export function TraceTimes({ items }: { readonly items: readonly TraceSummary[] }) {
  const { bars, widthMs } = useMemo(() => bucketsOf(items), [items]);
  return (
    <div className={css.hist}>
      <Bars bars={bars} widthMs={widthMs} label={`When ${items.length} traces began; drag to choose a range`} onRange={(from, to) => patchSearch({ from: new Date(from).toISOString(), to: new Date(to).toISOString() })} />
    </div>
  );
}

function bucketsOf(items: readonly TraceSummary[]): { readonly bars: readonly Bar[]; readonly widthMs: number } {
  const times = items.map(({ startTime }) => startTime);
  const first = Math.min(...times);
  const widthMs = Math.max(1, (Math.max(...times) - first) / BUCKETS);
  const counts = Array.from({ length: BUCKETS + 1 }, () => ({ info: 0, error: 0 }));
  for (const { startTime, errors } of items) {
    const bucket = counts[Math.floor((startTime - first) / widthMs)];
    if (bucket) bucket[errors > 0 ? 'error' : 'info'] += 1;
  }
  return { widthMs, bars: counts.map(({ info, error }, at) => ({ time: first + at * widthMs, parts: [{ kind: 'info', count: info }, { kind: 'error', count: error }] })) };
}
