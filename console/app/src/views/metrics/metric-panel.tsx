import { useMemo } from 'react';
import type { Metric, MetricLines } from '../../api/types.generated.js';
import { useApi } from '../../api/use-api.js';
import { count } from '../../format/numbers.js';
import { Button, Panel } from '../../parts/controls.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Answer } from '../../parts/data-state.js';
import { lazily } from '../../parts/lazily.js';
import { navigate, useParam } from '../../url/location.js';
import { chartOf, type Shown, shownOf } from './chart-data.js';
import { Explorer } from './explorer.js';
import { Now, OverTime } from './metric-tables.js';
import { type Pin, samePin } from './pins.js';
import { promName, promQuery } from './prom-query.js';
import { tracesAt } from './traces-at.js';
import { usePins } from './use-pins.js';

const Chart = lazily(() => import('./chart.js'), 'the chart');
const MOST_LINES = 8;
/** How often lines are asked for, and drawn if they have another point. */
const LINES_MS = 15_000;

/** A metric over time. `alone`: it is explored, and the address says how its series are added up and what of it is drawn; else `pin` does, where it is pinned. */
export function MetricPanel({ metric, alone, pin }: { readonly metric: Metric; readonly alone: boolean; readonly pin?: Pin }) {
  const [asTable, setAsTable] = useParam('as');
  const [group] = useParam('by', '*');
  const [wanted] = useParam('show');
  const [from] = useParam('from');
  const [to] = useParam('to');
  const [pins, toggle] = usePins();
  const { by, show } = alone ? { by: group, show: wanted } : pin ?? { by: '*', show: '' };
  const shown = shownOf(metric, show);
  const own: Pin = { metric: metric.name, by, show: shown };
  const lines = useApi('GET /metrics/lines', { name: metric.name, by: by === 'all' ? '' : by, limit: MOST_LINES, from, to }, { keep: true, every: () => LINES_MS });
  return (
    <Panel title={<span className="row wrap"><span className="grow" style={{ minWidth: 'min(100%, 14rem)' }}>{metric.description || metric.name}</span><Button on={pins.some((one) => samePin(one, own))} onClick={() => toggle(own)}>Pin</Button><Button on={asTable === 'table'} onClick={() => setAsTable(asTable === 'table' ? null : 'table')}>As table</Button><CopyButton text={promName(metric)} label="Copy PromQL name" />{alone && <CopyButton text={promQuery(metric, shown, by === 'all' ? [] : by.split(','))} label="Copy PromQL" />}</span>}>
      <p className="muted"><span className="mono">{metric.name}</span>, {WORDS[shown] ?? metric.unit}</p>
      {alone && <Explorer metric={metric} by={by} shown={shown} />}
      <Answer of={lines} what="the series">{(found) => <Lines ranged={from !== '' || to !== ''} found={found} metric={metric} shown={shown} asTable={asTable === 'table'} />}</Answer>
    </Panel>
  );
}

const FROM_BUCKETS = 'from buckets: exact to the bucket that it lies in';
const WORDS: Readonly<Partial<Record<Shown, string>>> = {
  rate: 'a second', mean: 'mean of each interval', p50: `median of each interval, ${FROM_BUCKETS}`, p90: `p90 of each interval, ${FROM_BUCKETS}`, p95: `p95 of each interval, ${FROM_BUCKETS}`, p99: `p99 of each interval, ${FROM_BUCKETS}`,
};

interface LinesProps {
  /** It is of a stretch of time that was chosen. */
  readonly ranged: boolean;
  readonly found: MetricLines;
  readonly metric: Metric;
  readonly shown: Shown;
  readonly asTable: boolean;
}

function Lines({ ranged, found, metric, shown, asTable }: LinesProps) {
  const data = useMemo(() => chartOf(found, shown), [found, shown]);
  const unit = shown === 'rate' ? '{count}' : metric.unit;
  const open = (time: number, line: number): void => navigate(tracesAt(time, data.lines[line]?.labels ?? {}));
  return (
    <>
      {found.omitted > 0 && <p className="muted">The {found.items.length} highest of {count(found.items.length + found.omitted)} lines are shown.</p>}
      {asTable ? <><Now metric={metric} /><OverTime data={data} unit={unit} name={metric.name} /></>
        : data.times.length < 2 ? <><p className="muted">{ranged ? 'In this time are not two points for a line' : 'There are not yet two points for a line'}; this is as it is now:</p><Now metric={metric} /></>
          : <><Chart data={data} unit={unit} label={metric.description} onPoint={open} /><p className="muted">A click on a point opens the traces of that minute.</p></>}
    </>
  );
}
