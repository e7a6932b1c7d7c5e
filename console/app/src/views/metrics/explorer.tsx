import type { Metric } from '../../api/types.generated.js';
import { Button } from '../../parts/controls.js';
import { useParam } from '../../url/location.js';
import { OF_HISTOGRAM, type Shown } from './chart-data.js';
import css from './explorer.module.css';

const TITLES: Readonly<Partial<Record<Shown, string>>> = { mean: 'mean', rate: 'a second' };

/** How the series of a metric are added up, and what of a histogram is drawn. */
export function Explorer({ metric, by, shown }: { readonly metric: Metric; readonly by: string; readonly shown: Shown }) {
  const [, setBy] = useParam('by', '*');
  const [, setShown] = useParam('show', 'p95');
  const labels = [...new Set(metric.series.flatMap((series) => Object.keys(series.labels)))].sort();
  const chosen = by.split(',');
  const toggle = (label: string): void => {
    const next = chosen.includes(label) ? chosen.filter((one) => one !== label) : [...chosen.filter((one) => labels.includes(one)), label];
    setBy(next.length === 0 ? 'all' : next.join(','));
  };
  return (
    <>
      {labels.length > 0 && (
        <div className={css.choices} role="group" aria-label="One line for each">
          <span className="muted">one line for each</span>
          <Button on={by === '*'} onClick={() => setBy('*')}>series</Button>
          {labels.map((label) => <Button key={label} on={chosen.includes(label)} onClick={() => toggle(label)}><span className="mono">{label}</span></Button>)}
          <Button on={by === 'all'} onClick={() => setBy('all')}>all together</Button>
        </div>
      )}
      {metric.kind === 'histogram' && (
        <div className={css.choices} role="group" aria-label="What is drawn">
          <span className="muted">drawn</span>
          {OF_HISTOGRAM.map((one) => <Button key={one} on={shown === one} onClick={() => setShown(one)}>{TITLES[one] ?? one}</Button>)}
        </div>
      )}
    </>
  );
}
