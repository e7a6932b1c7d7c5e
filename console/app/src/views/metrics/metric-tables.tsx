import type { Labels, Metric } from '../../api/types.generated.js';
import table from '../../parts/table.module.css';
import { Time } from '../../parts/time.js';
import { Link } from '../../url/link.js';
import { type ChartData, shownValue } from './chart-data.js';
import { tracesAt } from './traces-at.js';

const MOST_POINTS = 100;

/** Every series as it is now. */
export function Now({ metric }: { readonly metric: Metric }) {
  const rows = metric.kind === 'histogram' ? metric.series.map(({ labels, count, sum }) => ({ labels, value: `${count} in all, ${shownValue(count === 0 ? 0 : sum / count, metric.unit)} on average` })) : metric.series.map(({ labels, value }) => ({ labels, value: shownValue(value, metric.unit) }));
  return (
    <div style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label={`Values of ${metric.name}`}>
      <table className={table.table}><thead><tr><th>Labels</th><th className={table.num}>Now</th></tr></thead><tbody>{rows.map(({ labels, value }) => <tr key={JSON.stringify(labels)}><td className="mono">{labelText(labels)}</td><td className={table.num}>{value}</td></tr>)}</tbody></table>
    </div>
  );
}

/** What the chart draws, the latest first; each time leads to the traces of its minute. */
export function OverTime({ data: { times, lines }, unit, name }: { readonly data: ChartData; readonly unit: string; readonly name: string }) {
  const rows = times.map((time, at) => ({ time, at })).slice(-MOST_POINTS).reverse();
  if (rows.length === 0) return null;
  return (
    <div style={{ overflow: 'auto', maxHeight: '24rem' }} tabIndex={0} role="region" aria-label={`${name} over time`}>
      <table className={table.table}>
        <thead><tr><th>Until</th>{lines.map((line) => <th key={JSON.stringify(line.labels)} className={table.num}>{line.name}</th>)}</tr></thead>
        <tbody>{rows.map(({ time, at }) => (
          <tr key={time}><td><Link to={tracesAt(time, {})} title="Traces of the minute before"><Time at={time * 1000} /></Link></td>{lines.map((line) => <td key={JSON.stringify(line.labels)} className={table.num}>{line.values[at] === null || line.values[at] === undefined ? '–' : shownValue(line.values[at], unit)}</td>)}</tr>
        ))}</tbody>
      </table>
    </div>
  );
}

function labelText(labels: Labels): string {
  return Object.entries(labels).map(([key, text]) => `${key}=${String(text)}`).join(' ') || '–';
}
