import { Telemetry, type LogRecord } from '@treadle/api';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import { expect } from 'chai';
import observability from '../index.js';
import { MetricRegistry } from '../metrics/metric-registry.js';
import { id, span, TRACE } from '../span.fixture.js';
import { otlpMetrics } from './otlp-metrics.js';
import { OtlpReceiver, type Received } from './otlp-receiver.fixture.js';

const RECORD: LogRecord = {
  timestamp: '2026-01-01T00:00:00.250Z', level: 'warn', message: 'slow', traceId: TRACE, spanId: id(1), service: 'shop', stepName: 'Order', fields: { ms: 12, url: 'http://u:s3cret@x.test', deep: { a: [1, 'b'] } },
};

interface KeyValue { readonly key: string; readonly value: Readonly<Record<string, unknown>> }
const attributesOf = (list: readonly KeyValue[]): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value).find((member) => typeof member !== 'object') ?? value]));

describe('OTLP export', function () {
  this.timeout(180_000);
  let receiver: OtlpReceiver;
  let test: TestComposition | undefined;
  beforeEach(() => { receiver = new OtlpReceiver(); });
  afterEach(async () => {
    await test?.stop();
    test = undefined;
    await receiver.close();
  });

  const start = async (settings: string): Promise<Telemetry> => {
    test = await createTestComposition({
      builtins: [observability], yaml: `engine: { implicit_modules: false }\nmodules: [{ class: modules::observability::OtelModule, config: { ${settings} } }]\n`,
    });
    return test.engine.port(Telemetry) as Telemetry;
  };
  const ALL = 'exporter: both, metrics_exporter: otlp, logs_exporter: otlp, service_name: shop, service_version: 1.2.3, service_namespace: prod, headers: { X-Acme-Team: team-key }';

  const sendAll = (telemetry: Telemetry): void => {
    telemetry.span(span(1, { name: 'POST /orders', kind: 'server', startTime: 1_700_000_000_000.25, durationMs: 1.5, attributes: { 'http.route': '/orders', n: 2, ok: true, list: ['a'] } }));
    telemetry.span(span(2, { parent: 1, kind: 'consumer', stepName: 'Order', error: { type: 'TypeError', message: 'password=s3cret', stack: 'at x' }, links: [`00-${TRACE}-${id(9)}-01`], events: [{ name: 'e', time: 5 }] }));
    telemetry.counter('queue.message.count', { topic: 'orders' }, { description: 'Messages', unit: '{message}' }).add(3);
    const latency = telemetry.histogram('http.server.request.duration', { 'http.route': '/orders' }, { description: 'Latency', unit: 's' });
    for (const seconds of [0.002, 0.3]) latency.record(seconds);
    telemetry.gauge('http.server.active_requests', { description: 'Now', unit: '{request}', read: () => [{ value: 4, labels: {} }] });
    telemetry.log(RECORD);
  };

  const expectAll = (): void => {
    for (const { headers } of receiver.received) expect(headers).to.include({ 'x-acme-team': 'team-key' });
    const [traces] = receiver.of('trace') as [Received];
    const { resource, scopeSpans: [{ scope, spans }] } = traces.body.resourceSpans[0];
    expect(attributesOf(resource.attributes)).to.include({ 'service.name': 'shop', 'service.version': '1.2.3', 'service.namespace': 'prod', 'telemetry.sdk.language': 'nodejs' });
    expect(scope.name).to.equal('treadle');
    const [first, second] = spans;
    expect([first.traceId.toString('hex'), first.spanId.toString('hex'), first.name, first.kind]).to.deep.equal([TRACE, id(1), 'POST /orders', 'SPAN_KIND_SERVER']);
    expect(first.startTimeUnixNano).to.be.closeTo(1_700_000_000_000_250_000, 500);
    expect(first.endTimeUnixNano - first.startTimeUnixNano).to.be.closeTo(1_500_000, 500);
    expect([second.parentSpanId.toString('hex'), second.status.code, second.links[0].spanId.toString('hex')]).to.deep.equal([id(1), 'STATUS_CODE_ERROR', id(9)]);
    expect(second.events.map(({ name }: { readonly name: string }) => name)).to.deep.equal(['e', 'exception']);
    expect(attributesOf(second.attributes)).to.deep.equal({ 'step.name': 'Order', 'error.type': 'TypeError' });
  };

  const expectMetricsAndLogs = (): void => {
    const metrics = receiver.of('metrics').at(-1)?.body.resourceMetrics[0].scopeMetrics[0].metrics as readonly { readonly name: string }[];
    const metric = (name: string): never => metrics.find((one) => one.name === name) as never;
    const { sum } = metric('queue.message.count') as { readonly sum: { readonly isMonotonic: boolean; readonly aggregationTemporality: string; readonly dataPoints: readonly [{ readonly asDouble: number; readonly attributes: KeyValue[] }] } };
    expect([sum.isMonotonic, sum.aggregationTemporality, sum.dataPoints[0].asDouble, attributesOf(sum.dataPoints[0].attributes)])
      .to.deep.equal([true, 'AGGREGATION_TEMPORALITY_CUMULATIVE', 3, { topic: 'orders' }]);
    const { histogram: { dataPoints: [point] } } = metric('http.server.request.duration') as { readonly histogram: { readonly dataPoints: readonly [{ readonly count: number; readonly sum: number; readonly bucketCounts: readonly number[]; readonly explicitBounds: readonly number[] }] } };
    expect([point.count, point.sum, point.bucketCounts.length - point.explicitBounds.length, point.bucketCounts.reduce((all, one) => all + one, 0)]).to.deep.equal([2, 0.302, 1, 2]);
    expect(metric('http.server.active_requests') as object).to.have.nested.property('gauge.dataPoints[0].asDouble', 4);
    const records = receiver.of('logs').flatMap(({ body }) => body.resourceLogs[0].scopeLogs[0].logRecords as { readonly body: { readonly stringValue: string }; readonly [key: string]: unknown }[]);
    const record = records.find(({ body }) => body.stringValue === 'slow') as Record<string, unknown>;
    expect([record['severityNumber'], record['severityText'], (record['traceId'] as Buffer).toString('hex'), record['timeUnixNano']]).to.deep.equal([13, 'WARN', TRACE, 1_767_225_600_250_000_000]);
    expect(attributesOf(record['attributes'] as KeyValue[])).to.include({ 'step.name': 'Order', url: 'http://[redacted]@x.test' });
    expect(JSON.stringify(receiver.received.map(({ body }) => body as unknown))).to.not.contain('s3cret');
  };

  for (const protocol of ['grpc', 'http'] as const) {
    it(`reaches a collector over ${protocol} with resource and header: traces, metrics and logs`, async () => {
      const url = await (protocol === 'grpc' ? receiver.listenGrpc() : receiver.listenHttp());
      sendAll(await start(`${ALL}, endpoint: "${url}", endpoint_protocol: ${protocol}`));
      await test?.stop();
      expect([receiver.of('trace'), receiver.of('metrics'), receiver.of('logs')].map(({ length }) => length > 0)).to.deep.equal([true, true, true]);
      expectAll();
      expectMetricsAndLogs();
    });
  }

  it('goes on by itself, in batches, while the engine runs', async () => {
    const telemetry = await start(`exporter: otlp, endpoint: "${await receiver.listenGrpc()}", export_interval_ms: 100`);
    for (let number = 0; number < 2000; number += 1) telemetry.span(span(number));
    const sent = (): number => receiver.of('trace').reduce((count, { body }) => count + (body.resourceSpans[0].scopeSpans[0].spans.length as number), 0);
    while (sent() < 2000) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(receiver.of('trace').every(({ body }) => body.resourceSpans[0].scopeSpans[0].spans.length <= 512)).to.equal(true);
  });

  it('tells metrics of one start over reloads: another one would mean that they were counted anew', async () => {
    const metrics = `metrics_exporter: otlp, endpoint: "${await receiver.listenHttp()}", endpoint_protocol: http, metrics_export_interval_ms: 100`;
    const counter = (await start(metrics)).counter('c', {}, { description: 'C', unit: '1' });
    interface Point { readonly asDouble: number; readonly startTimeUnixNano: number; readonly timeUnixNano: number }
    const points = (): readonly Point[] => receiver.of('metrics').flatMap(({ body }) => (body.resourceMetrics[0].scopeMetrics[0].metrics as readonly { readonly name: string; readonly sum: { readonly dataPoints: readonly Point[] } }[])
      .flatMap(({ name, sum }) => (name === 'c' ? sum.dataPoints : [])));
    for (const version of ['1', '2', '3']) {
      await test?.reload(`engine: { implicit_modules: false }\nmodules: [{ class: modules::observability::OtelModule, config: { ${metrics}, service_version: "${version}" } }]\n`);
      counter.add(1);
      while (points().at(-1)?.asDouble !== Number(version)) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(new Set(points().map(({ startTimeUnixNano }) => startTimeUnixNano)).size).to.equal(1);
    for (const { startTimeUnixNano, timeUnixNano } of points()) expect(timeUnixNano).to.be.at.least(startTimeUnixNano);
  });

  it('ends no period before its start when the clock is set back', () => {
    const registry = new MetricRegistry();
    registry.counter('c', {}, { description: 'C', unit: '1' }).add(1);
    const [point] = otlpMetrics(registry.read(), {} as Parameters<typeof otlpMetrics>[1], 2_000, 1_000).scopeMetrics[0]?.metrics[0]?.dataPoints ?? [];
    expect([point?.startTime, point?.endTime]).to.deep.equal([[2, 0], [2, 0]]);
  });

  it('costs one warning, with a count, when the collector refuses or is not there', async () => {
    receiver.broken = true;
    for (const endpoint of [await receiver.listenGrpc(), 'http://127.0.0.1:1']) {
      const telemetry = await start(`exporter: otlp, endpoint: "${endpoint}", export_interval_ms: 100, export_timeout_ms: 200`);
      const warnings = (): readonly LogRecord[] => (test?.logs ?? []).filter(({ message }) => message === 'telemetry was not sent');
      for (let number = 0; number < 20_000; number += 1) telemetry.span(span(number));
      while (warnings().length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      expect(warnings()[0]?.fields).to.include({ signal: 'traces', endpoint });
      await test?.stop();
      expect(warnings()).to.have.length(1);
      expect(test?.logs.filter(({ level }) => level === 'error')).to.deep.equal([]);
    }
  });

  it('goes to no other address than the one that is written, wherever a collector sends it', async () => {
    const endpoint = await receiver.redirectTo(await receiver.listenHttp());
    const telemetry = await start(`${ALL}, endpoint: "${endpoint}", endpoint_protocol: http, export_interval_ms: 100`);
    sendAll(telemetry);
    while (!test?.logs.some(({ message }) => message === 'telemetry was not sent')) await new Promise((resolve) => setTimeout(resolve, 20));
    await test.stop();
    expect(receiver.received).to.deep.equal([]);
  });
});
