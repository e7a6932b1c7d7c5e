import type { Metric } from '../../api/types.generated.js';
import { useApi } from '../../api/use-api.js';
import { Answer, Empty } from '../../parts/data-state.js';
import { NotThere } from '../../parts/not-there.js';
import { TimeRange } from '../../parts/time-range.js';
import { Columns, ScrollPage, Side, SideLink, SideTitle, View } from '../../parts/view.js';
import { useParam, withSearch } from '../../url/location.js';
import { MetricPanel } from './metric-panel.js';
import { usePins } from './use-pins.js';

/** Shown when no metric is chosen. */
const FIRST = ['http.server.request.count', 'http.server.request.duration', 'queue.message.count', 'queue.message.duration', 'treadle.queue.messages', 'nodejs.eventloop.delay.p99', 'process.memory.usage', 'state.operation.duration'];

/** How often metrics are asked for: a point of a line stands for longer. */
const EVERY_MS = 10_000;

/** Another metric has other labels. */
const NO_CHOICE = { by: null, show: null };

/** The engine's metrics over time, and what others were recorded. */
export default function MetricsView() {
  const now = useApi('GET /metrics/now', {}, { every: () => EVERY_MS });
  const [name] = useParam('m');
  return (
    <View title="Metrics" bar={<><TimeRange />{name !== '' && <span className="mono muted truncate">{name}</span>}</>}>
      <Answer of={now} what="metrics">
        {({ items }) => (items.length === 0 ? <Empty title="No metric was recorded yet" /> : (
          <Columns>
            <Side label="Metrics"><SideLink to={withSearch({ m: null, ...NO_CHOICE })} current={name === ''}>The most important</SideLink><SideTitle>All</SideTitle>{items.map((metric) => <SideLink key={metric.name} to={withSearch({ m: metric.name, ...NO_CHOICE })} current={metric.name === name}><span className="truncate" title={metric.description}>{metric.name}</span></SideLink>)}</Side>
            <ScrollPage label="Charts">{name === '' ? <Important items={items} /> : <One metric={items.find((metric) => metric.name === name)} name={name} />}</ScrollPage>
          </Columns>
        ))}
      </Answer>
    </View>
  );
}

function One({ metric, name }: { readonly metric: Metric | undefined; readonly name: string }) {
  return metric ? <MetricPanel key={metric.name} metric={metric} alone /> : <NotThere what="metric" name={name} to="/metrics" list="All metrics">One is there from its first value on.</NotThere>;
}

/** What was pinned, then what is looked at most. A pinned metric that this engine does not have is left out. */
function Important({ items }: { readonly items: readonly Metric[] }) {
  const [pins] = usePins();
  const pinned = pins.flatMap((pin) => items.filter(({ name }) => name === pin.metric).map((metric) => ({ metric, pin })));
  return (
    <>
      {pinned.map(({ metric, pin }) => <MetricPanel key={Object.values(pin).join(' ')} metric={metric} alone={false} pin={pin} />)}
      {items.filter(({ name }) => FIRST.includes(name) && !pins.some(({ metric }) => metric === name)).map((metric) => <MetricPanel key={metric.name} metric={metric} alone={false} />)}
    </>
  );
}
