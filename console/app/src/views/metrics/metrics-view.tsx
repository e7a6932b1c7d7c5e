import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import type { Metric, MetricSeries } from '../../api/types.generated.js';
import { type ApiError, call } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import { Button, Panel } from '../../parts/controls.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Answer, Empty, Loading } from '../../parts/data-state.js';
import table from '../../parts/table.module.css';
import { Columns, ScrollPage, Side, SideLink, SideTitle, View } from '../../parts/view.js';
import { useParam, withSearch } from '../../url/location.js';
import { chartOf, promName, shownValue } from './chart-data.js';
import { lazily } from '../../parts/lazily.js';

const Chart = lazily(() => import('./chart.js'));
/** Shown when no metric is chosen. */
const FIRST = ['http.server.request.count', 'http.server.request.duration', 'queue.message.count', 'queue.message.duration', 'treadle.queue.messages', 'nodejs.eventloop.delay.p99', 'process.memory.usage', 'state.operation.duration'];

/** The engine's metrics over time, and what others were recorded. */
export default function MetricsView() {
  const now = useApi('GET /metrics/now');
  const [name] = useParam('m');
  return (
    <View title="Metrics" bar={name !== '' && <span className="mono muted truncate">{name}</span>}>
      <Answer of={now} what="metrics">
        {({ items, boundaries }) => (items.length === 0 ? <Empty title="No metric was recorded yet" /> : (
          <Columns>
            <Side label="Metrics"><SideLink to={withSearch({ m: null })} current={name === ''}>The most important</SideLink><SideTitle>All</SideTitle>{items.map((metric) => <SideLink key={metric.name} to={withSearch({ m: metric.name })} current={metric.name === name}><span className="truncate" title={metric.description}>{metric.name}</span></SideLink>)}</Side>
            <ScrollPage label="Charts">{items.filter((metric) => (name === '' ? FIRST.includes(metric.name) : metric.name === name)).map((metric) => <MetricPanel key={metric.name} metric={metric} boundaries={boundaries} />)}</ScrollPage>
          </Columns>
        ))}
      </Answer>
    </View>
  );
}

const MOST_LINES = 8;

function MetricPanel({ metric, boundaries }: { readonly metric: Metric; readonly boundaries: readonly number[] }) {
  const [asTable, setAsTable] = useParam('as');
  const labels = metric.series.map((series) => series.labels).slice(0, MOST_LINES);
  const series = useQuery<readonly MetricSeries[], ApiError>({
    queryKey: ['GET /metrics/series', { name: metric.name }, labels], queryFn: ({ signal }) => Promise.all(labels.map((one) => call('GET /metrics/series', { name: metric.name, ...Object.keys(one).length > 0 && { labels: JSON.stringify(one) } }, { signal }))),
  });
  return (
    <Panel title={<span className="row wrap"><span className="grow">{metric.description || metric.name}</span><Button on={asTable === 'table'} onClick={() => setAsTable(asTable === 'table' ? null : 'table')}>As table</Button><CopyButton text={promName(metric)} label="Copy PromQL name" /></span>}>
      <p className="muted mono">{metric.name}, {metric.kind === 'counter' ? 'a second' : metric.kind === 'histogram' ? 'p95 of each interval, from buckets' : metric.unit}</p>
      {metric.series.length > MOST_LINES && <p className="muted">The first {MOST_LINES} of {metric.series.length} series are drawn.</p>}
      {asTable === 'table' ? <Now metric={metric} /> : <Answer of={series} what="the series">{(all) => <Drawn all={all} metric={metric} boundaries={boundaries} />}</Answer>}
    </Panel>
  );
}

function Drawn({ all, metric, boundaries }: { readonly all: readonly MetricSeries[]; readonly metric: Metric; readonly boundaries: readonly number[] }) {
  const data = chartOf(all, metric, boundaries);
  if (data.times.length < 2) return <><p className="muted">There are not yet two points for a line; this is as it is now:</p><Now metric={metric} /></>;
  return <Suspense fallback={<Loading what="the chart" />}><Chart data={data} unit={metric.unit} label={metric.description} /></Suspense>;
}

function Now({ metric }: { readonly metric: Metric }) {
  const rows = metric.kind === 'histogram' ? metric.series.map(({ labels, count, sum }) => ({ labels, value: `${count} in all, ${shownValue(count === 0 ? 0 : sum / count, metric.unit)} on average` })) : metric.series.map(({ labels, value }) => ({ labels, value: shownValue(value, metric.unit) }));
  return (
    <div style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label={`Values of ${metric.name}`}>
      <table className={table.table}><thead><tr><th>Labels</th><th className={table.num}>Now</th></tr></thead><tbody>{rows.map(({ labels, value }) => <tr key={JSON.stringify(labels)}><td className="mono">{Object.entries(labels).map(([key, text]) => `${key}=${String(text)}`).join(' ') || '–'}</td><td className={table.num}>{value}</td></tr>)}</tbody></table>
    </div>
  );
}
