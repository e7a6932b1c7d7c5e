import { expect } from 'chai';
import { MetricHistory } from './metric-history.js';
import { MAX_SERIES, MetricRegistry } from './metric-registry.js';
import { prometheusText } from './prometheus.js';
import { readPrometheus } from './read-prometheus.fixture.js';

const OPTIONS = { description: 'What it is\\for', unit: '{thing}' };
const SECONDS = { description: 'How long', unit: 's' };

describe('the metrics', () => {
  it('have one series for equal labels', () => {
    const registry = new MetricRegistry();
    const first = registry.counter('c', { a: 1, b: 'x' }, OPTIONS);
    expect(registry.counter('c', { b: 'x', a: 1 }, OPTIONS)).to.equal(first);
    expect(registry.counter('c', { b: 'x', a: '1' }, OPTIONS)).to.not.equal(first);
  });

  it('stay bounded with a hundred thousand values of a label: the rest is one series', () => {
    const registry = new MetricRegistry();
    for (let at = 0; at < 100_000; at += 1) registry.counter('c', { path: `/x/${at}` }, OPTIONS).add(1);
    const [metric] = registry.read();
    expect(metric?.series).to.have.length(MAX_SERIES + 1);
    expect(metric?.series.at(-1)).to.deep.include({ labels: { overflow: true }, value: 98_000 });
    for (let at = 0; at < 5000; at += 1) registry.histogram(`h${at}`, {}, SECONDS).record(1);
    expect(registry.read()).to.have.length(1001);
  });

  it('never fall or take nonsense', () => {
    const registry = new MetricRegistry();
    const counter = registry.counter('c', {}, OPTIONS);
    for (const value of [2, -1, Number.NaN, Infinity, 0.5]) counter.add(value);
    const histogram = registry.histogram('h', {}, SECONDS);
    for (const value of [0, 0.0001, 0.00011, 1, 99, -1, Number.NaN, Infinity]) histogram.record(value);
    expect(counter.value).to.equal(2.5);
    expect([histogram.count, histogram.sum, [...histogram.counts].map((count, at) => (count > 0 ? `${at}:${count}` : '')).join('')])
      .to.deep.equal([5, 100.00021, '0:21:114:119:1']);
  });

  it('read gauges when they are looked at; one that fails hides no other', () => {
    const registry = new MetricRegistry();
    let value = 1;
    const remove = registry.gauge('g', { ...OPTIONS, read: () => [{ value, labels: { who: 'a' } }, { value: Number.NaN, labels: {} }] });
    registry.gauge('g', { ...OPTIONS, read: () => { throw new Error('gone'); } });
    value = 5;
    expect(registry.read()).to.deep.equal([{ kind: 'gauge', name: 'g', ...OPTIONS, series: [{ value: 5, labels: { who: 'a' } }] }]);
    remove();
    expect(registry.read()[0]?.series).to.deep.equal([]);
  });

  it('show no secrets in labels', () => {
    const registry = new MetricRegistry();
    registry.counter('c', { apiKey: 'k-1', url: 'http://u:p@x.test' }, OPTIONS).add(1);
    expect(prometheusText(registry.read())).to.contain('{apiKey="[redacted]",url="http://[redacted]@x.test"} 1');
  });

  it('tell in Prometheus whose they are', () => {
    const text = prometheusText(new MetricRegistry().read(), { 'service.name': 'shop', 'service.instance.id': 'a-1' });
    expect(text).to.equal('# HELP target_info The engine that these metrics are of\n# TYPE target_info gauge\n'
      + 'target_info{service_name="shop",service_instance_id="a-1"} 1\n');
  });

  it('are Prometheus text with units and escapes', () => {
    const registry = new MetricRegistry();
    registry.counter('queue.message.count', { topic: 'a"b\\c\nd' }, OPTIONS).add(3);
    registry.histogram('http.server.request.duration', { 'http.route': '/' }, SECONDS).record(0.2);
    registry.gauge('http.server.active_requests', { ...OPTIONS, read: () => [{ value: 2, labels: {} }] });
    const text = prometheusText(registry.read());
    expect(text).to.contain('# HELP queue_message_count_total What it is\\\\for\n# TYPE queue_message_count_total counter\nqueue_message_count_total{topic="a\\"b\\\\c\\nd"} 3\n');
    expect(text).to.contain('http_server_request_duration_seconds_bucket{http_route="/",le="0.1"} 0\n');
    expect(text).to.contain('http_server_request_duration_seconds_bucket{http_route="/",le="0.25"} 1\n');
    expect(text).to.contain('http_server_request_duration_seconds_sum{http_route="/"} 0.2\nhttp_server_request_duration_seconds_count{http_route="/"} 1\n');
    expect(text).to.contain('# TYPE http_server_active_requests gauge\nhttp_server_active_requests 2\n');
  });

  it('are text that Prometheus reads, whatever labels and names a handler makes', () => {
    const registry = new MetricRegistry();
    registry.counter('c', { '2xx': 'a', 'user.id': 1, user_id: 2, '': 'e', 'zoë': true, le: 'x', ok: '"' }, OPTIONS).add(1);
    registry.counter('c', { 'user-id': 9 }, OPTIONS).add(1);
    registry.histogram('h', { le: 'own', 'l.e': 'b' }, SECONDS).record(0.2);
    registry.counter('app.hits', { a: 1 }, OPTIONS).add(1);
    registry.counter('app_hits', { b: 1 }, OPTIONS).add(2);
    registry.counter('app-hits', { a: 1 }, OPTIONS).add(4);
    registry.gauge('app/hits_total', { ...OPTIONS, read: () => [{ value: 1, labels: {} }] });
    registry.counter('target.info', {}, OPTIONS).add(1);
    registry.counter('2.5', {}, OPTIONS).add(1);
    registry.counter('d', { __name__: 'n' }, OPTIONS).add(1);
    registry.gauge('', { ...OPTIONS, read: () => [{ value: 1, labels: {} }] });
    registry.gauge('target-info', { ...OPTIONS, read: () => [{ value: 1, labels: {} }] });
    registry.gauge('h.count', { ...OPTIONS, unit: 's', read: () => [{ value: 1, labels: {} }] });
    registry.gauge('h.seconds.count', { ...OPTIONS, unit: '', read: () => [{ value: 1, labels: {} }] });
    const samples = readPrometheus(prometheusText(registry.read(), { '1st': 'x', 'service.name': 'shop', service_name: 'other', '': 'none' }));
    expect(samples.get('c_total')?.slice(0, 1)).to.deep.equal(['{_2xx="a",user_id="1;2",zo_="true",le="x",ok="\\""} 1']);
    expect(samples.get('target_info')).to.deep.equal(['{_1st="x",service_name="shop;other"} 1']);
    expect(samples.get('app_hits_total')).to.deep.equal(['{a="1"} 5', '{b="1"} 2']);
    expect(samples.get('h_seconds_bucket')?.at(-1)).to.equal('{exported_le="own",l_e="b",le="+Inf"} 1');
    expect(samples.get('h_seconds_count')).to.deep.equal(['{exported_le="own",l_e="b"} 1']);
    expect(samples.get('d_total')).to.deep.equal(['{_name__="n"} 1']);
    expect(samples.get('_2_5_total')).to.deep.equal([' 1']);
  });

  it('have a history of what changed, bounded in age and count', () => {
    const registry = new MetricRegistry();
    const history = new MetricHistory({ maxCount: 5, retentionMs: 1000 });
    const counter = registry.counter('c', { a: 1 }, OPTIONS);
    const histogram = registry.histogram('h', {}, SECONDS);
    const points = (): readonly (readonly number[])[] => history.series('c', { a: 1 }, -Infinity, Infinity).map(({ time, value }) => [time, value]);
    for (const time of [0, 10, 20]) {
      if (time !== 10) counter.add(1);
      history.sample(registry.read(), time);
    }
    expect(points()).to.deep.equal([[0, 1], [20, 2]]);
    histogram.record(2);
    history.sample(registry.read(), 30);
    const [, point] = history.series('h', {}, 0, 100);
    expect([point?.value, point?.sum, point?.counts?.indexOf(1)]).to.deep.equal([1, 2, 15]);
    for (let time = 40; time < 140; time += 10) {
      counter.add(1);
      history.sample(registry.read(), time);
    }
    expect([history.count, history.evicted]).to.deep.equal([5, 9]);
    history.sample(registry.read(), 5000);
    expect([history.count, history.evicted]).to.deep.equal([0, 9]);
  });
});
