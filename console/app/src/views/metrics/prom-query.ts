import type { Metric } from '../../api/types.generated.js';
import type { Shown } from './chart-data.js';

const UNITS: Readonly<Record<string, string>> = { s: 'seconds', ms: 'milliseconds', By: 'bytes', '%': 'percent' };
const QUANTILE: Readonly<Record<string, string>> = { p50: '0.5', p90: '0.9', p95: '0.95', p99: '0.99' };
const INTERVAL = '5m';

/** As the metric is called in Prometheus: the unit is added, counters end with `_total`. */
export function promName({ name, kind, unit }: Pick<Metric, 'name' | 'kind' | 'unit'>): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_:]/g, '_');
  const suffix = unit === '1' && kind === 'gauge' ? 'ratio' : UNITS[unit];
  const withUnit = suffix === undefined || plain.endsWith(`_${suffix}`) ? plain : `${plain}_${suffix}`;
  return kind === 'counter' && !withUnit.endsWith('_total') ? `${withUnit}_total` : withUnit;
}

/** PromQL for what a chart shows. */
export function promQuery(metric: Pick<Metric, 'name' | 'kind' | 'unit'>, shown: Shown, by: readonly string[]): string {
  const name = promName(metric);
  const labels = by.filter((label) => label !== '*').map((label) => label.replaceAll(/[^A-Za-z0-9_]/g, '_'));
  const sum = (what: string, ...more: readonly string[]): string => {
    const all = [...more, ...labels];
    return by.includes('*') ? what : `sum${all.length > 0 ? ` by (${all.join(', ')})` : ''} (${what})`;
  };
  const each = (part: string): string => `rate(${name}${part}[${INTERVAL}])`;
  if (metric.kind === 'gauge') return sum(name);
  if (metric.kind === 'counter') return sum(each(''));
  if (shown === 'rate') return sum(each('_count'));
  if (shown === 'mean') return `${sum(each('_sum'))} / ${sum(each('_count'))}`;
  return `histogram_quantile(${QUANTILE[shown] ?? '0.95'}, ${sum(each('_bucket'), 'le')})`;
}
