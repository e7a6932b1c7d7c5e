import { expect } from 'chai';
import fc from 'fast-check';
import { chartOf, quantile, shownOf } from '../../console/app/src/views/metrics/chart-data.js';
import { promName, promQuery } from '../../console/app/src/views/metrics/prom-query.js';
import { tracesAt } from '../../console/app/src/views/metrics/traces-at.js';

describe('charts of metrics', () => {
  const boundaries = [0.1, 0.2, 0.4];
  const found = (points: readonly { time: number; value: number; sum?: number; counts?: readonly number[] }[]) => ({ name: 'm', by: [], boundaries, items: [{ labels: { step: 'A' }, points }], omitted: 0 });

  it('interpolate a quantile inside its bucket, which it never leaves', () => {
    expect(quantile([0, 10, 0, 0], 0.5, boundaries)).to.be.closeTo(0.15, 1e-9);
    expect([quantile([0, 0, 0, 0], 0.5, boundaries), quantile([0, 0, 0, 3], 0.5, boundaries)]).to.deep.equal([null, 0.4]);
    fc.assert(fc.property(fc.array(fc.nat(50), { minLength: 4, maxLength: 4 }), fc.constantFrom(0.5, 0.9, 0.95, 0.99), (counts, part) => {
      const value = quantile(counts, part, boundaries);
      const total = counts.reduce((sum, count) => sum + count, 0);
      if (total === 0) expect(value).to.equal(null);
      if (value === null) return;
      const below = counts.filter((_, at) => (boundaries[at] ?? Infinity) < value).reduce((sum, count) => sum + count, 0);
      const upTo = counts.filter((_, at) => (boundaries[at - 1] ?? 0) <= value).reduce((sum, count) => sum + count, 0);
      expect(below <= total * part + 1e-9 && upTo >= total * part - 1e-9).to.equal(true);
    }));
  });

  it('draw the rate, the mean and a quantile of each interval, of what was not there nothing', () => {
    const points = [{ time: 0, value: 0, sum: 0, counts: [0, 0, 0, 0] }, { time: 2000, value: 4, sum: 0.6, counts: [0, 4, 0, 0] }, { time: 4000, value: 4, sum: 0.6, counts: [0, 4, 0, 0] }];
    const values = (shown: Parameters<typeof chartOf>[1]): unknown => chartOf(found(points), shown).lines[0]?.values.map((value) => (value === null ? null : Number(value.toFixed(4))));
    expect([values('rate'), values('mean'), values('p50'), values('value')]).to.deep.equal([[2, 0], [0.15, null], [0.15, null], [0, 4, 4]]);
    expect([shownOf({ kind: 'counter' }, 'p99'), shownOf({ kind: 'gauge' }, ''), shownOf({ kind: 'histogram' }, 'p50'), shownOf({ kind: 'histogram' }, 'x')]).to.deep.equal(['rate', 'value', 'p50', 'p95']);
  });

  it('have a query for Prometheus, and lead to the traces of a minute', () => {
    const metric = { name: 'http.server.request.duration', kind: 'histogram', unit: 's' } as const;
    expect(promQuery(metric, 'p90', ['http.route'])).to.equal('histogram_quantile(0.9, sum by (le, http_route) (rate(http_server_request_duration_seconds_bucket[5m])))');
    expect(promQuery(metric, 'mean', [])).to.equal('sum (rate(http_server_request_duration_seconds_sum[5m])) / sum (rate(http_server_request_duration_seconds_count[5m]))');
    expect(promQuery(metric, 'p95', ['*'])).to.equal('histogram_quantile(0.95, rate(http_server_request_duration_seconds_bucket[5m]))');
    expect([promQuery({ name: 'a.count', kind: 'counter', unit: '{x}' }, 'rate', ['a.b']), promName({ name: 'cpu.used', kind: 'gauge', unit: '1' }), promName({ name: 'x.bytes', kind: 'gauge', unit: 'By' })])
      .to.deep.equal(['sum by (a_b) (rate(a_count_total[5m]))', 'cpu_used_ratio', 'x_bytes']);
    expect(tracesAt(120, { 'http.route': '/a/:id', 'step.name': 'two words', other: 1 })).to.equal('/traces?q=route%3A%2Fa%2F%3Aid+step%3A%22two+words%22&from=1970-01-01T00%3A01%3A00.000Z&to=1970-01-01T00%3A02%3A00.000Z');
  });
});
