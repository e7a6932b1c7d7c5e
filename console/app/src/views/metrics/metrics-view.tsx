import { useApi } from '../../api/use-api.js';
import { Answer, Empty } from '../../parts/data-state.js';
import { Columns, ScrollPage, Side, SideLink, SideTitle, View } from '../../parts/view.js';
import { useParam, withSearch } from '../../url/location.js';
import { MetricPanel } from './metric-panel.js';

/** Shown when no metric is chosen. */
const FIRST = ['http.server.request.count', 'http.server.request.duration', 'queue.message.count', 'queue.message.duration', 'treadle.queue.messages', 'nodejs.eventloop.delay.p99', 'process.memory.usage', 'state.operation.duration'];

/** Another metric has other labels. */
const NO_CHOICE = { by: null, show: null };

/** The engine's metrics over time, and what others were recorded. */
export default function MetricsView() {
  const now = useApi('GET /metrics/now');
  const [name] = useParam('m');
  return (
    <View title="Metrics" bar={name !== '' && <span className="mono muted truncate">{name}</span>}>
      <Answer of={now} what="metrics">
        {({ items }) => (items.length === 0 ? <Empty title="No metric was recorded yet" /> : (
          <Columns>
            <Side label="Metrics"><SideLink to={withSearch({ m: null, ...NO_CHOICE })} current={name === ''}>The most important</SideLink><SideTitle>All</SideTitle>{items.map((metric) => <SideLink key={metric.name} to={withSearch({ m: metric.name, ...NO_CHOICE })} current={metric.name === name}><span className="truncate" title={metric.description}>{metric.name}</span></SideLink>)}</Side>
            <ScrollPage label="Charts">{items.filter((metric) => (name === '' ? FIRST.includes(metric.name) : metric.name === name)).map((metric) => <MetricPanel key={metric.name} metric={metric} alone={name !== ''} />)}</ScrollPage>
          </Columns>
        ))}
      </Answer>
    </View>
  );
}
