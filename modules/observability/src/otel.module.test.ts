import { Telemetry } from '@treadle/api';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import { moduleSuite } from '@treadle/testing';
import { expect } from 'chai';
import observability, { OtelModule } from './index.js';
import { span, TRACE } from './span.fixture.js';

const yaml = (config: string): string => `engine: { implicit_modules: false }\nmodules: [{ class: modules::observability::OtelModule, config: ${config} }]\n`;

moduleSuite({
  module: OtelModule, plugins: [observability], secrets: ['header-s3cret'],
  env: () => ({ yaml: yaml('{ exporter: both, endpoint: "http://127.0.0.1:1", headers: { x-acme-team: header-s3cret } }') }),
});

describe('OtelModule', () => {
  const engines: TestComposition[] = [];
  const start = async (config: string, env: Record<string, string> = {}): Promise<TestComposition> => {
    const test = await createTestComposition({ builtins: [observability], yaml: yaml(config), env });
    engines.push(test);
    return test;
  };
  const refusal = (config: string, env: Record<string, string> = {}): Promise<string> => start(config, env).then(() => 'it was not refused', (error: Error) => error.message);
  const telemetry = (test: TestComposition): Telemetry => test.engine.port(Telemetry) as Telemetry;
  afterEach(async () => {
    for (const test of engines.splice(0)) await test.stop();
  });

  it('traces everything and counts, without settings', async () => {
    const port = telemetry(await start('{}'));
    expect([port.tracing, port.metrics, port.samples('f'.repeat(32))]).to.deep.equal([true, true, true]);
    port.span(span(1));
    port.counter('c', {}, { description: '', unit: '1' }).add(1);
  });

  it('gives log records numbers that no other run of the engine gives, and the same ones after a reload', async () => {
    const console_ = '{ class: modules::console::ConsoleModule, config: { port: 0, auth: { token: open } } }';
    const both = (config: string): string => `engine: { implicit_modules: false }\nmodules: [${console_}, { class: modules::observability::OtelModule, config: ${config} }]\n`;
    const run = async (): Promise<{ readonly test: TestComposition; get(path: string): Promise<Record<string, unknown>> }> => {
      const test = await createTestComposition({ yaml: both('{}') });
      engines.push(test);
      return { test, get: async (path) => await (await fetch(`${test.url('console')}/api/v1${path}`, { headers: { authorization: 'Bearer open' } })).json() as Record<string, unknown> };
    };
    const [former, next] = [await run(), await run()];
    const idOf = async ({ get }: typeof former): Promise<number> => ((await get('/logs?order=asc&limit=1'))['items'] as [{ id: number }])[0].id;
    const [old, id] = [await idOf(former), await idOf(next)];
    expect(await next.get(`/logs/context?id=${old}`)).to.include({ status: 404, detail: `record ${old} is gone: it is of a former run of this engine, whose records ended with it` });
    const line = async (): Promise<unknown> => (await next.get(`/logs/context?id=${id}&before=0&after=0`))['items'];
    const before = await line();
    const { restarted } = await next.test.reload(both('{ endpoint: "http://127.0.0.1:1" }'));
    expect([restarted, await line()]).to.deep.equal([[], before]);
  });

  it('keeps what it has kept when a reload changes its settings', async () => {
    const console_ = '{ class: modules::console::ConsoleModule, config: { port: 0, auth: { token: open } } }';
    const both = (config: string): string => `engine: { implicit_modules: false }\nmodules: [${console_}, { class: modules::observability::OtelModule, config: ${config} }]\n`;
    const test = await createTestComposition({ yaml: both('{}') });
    engines.push(test);
    for (let n = 1; n <= 5; n += 1) telemetry(test).span(span(n));
    telemetry(test).counter('kept', {}, { description: '', unit: '1' }).add(2);
    const report = await test.reload(both('{ memory_max_spans: 3, service_name: renamed }'));
    expect(report.rolledBack).to.equal(false);
    expect(report).to.deep.include({ restarted: [], reconfigured: { 'modules::observability::OtelModule': ['memory_max_spans', 'service_name'] } });
    telemetry(test).counter('kept', {}, { description: '', unit: '1' }).add(1);
    const get = async (path: string): Promise<string> => (await fetch(`${test.url('console')}/api/v1/modules/modules%3A%3Aobservability%3A%3AOtelModule${path}`, { headers: { authorization: 'Bearer open' } })).text();
    expect(JSON.parse(await get('/telemetry'))).to.have.nested.property('spans.kept', 3);
    expect(JSON.parse(await get(`/traces/${TRACE}`))).to.have.nested.property('rows.length', 3);
    expect(await get('/metrics')).to.contain('kept_total 3\n');
    expect(JSON.parse(await get('/logs?limit=500')).items.filter(({ service }: { service: string }) => service !== 'renamed')).to.not.be.empty;
  });

  it('changes what it records while its users go on with what they hold', async () => {
    const test = await start('{ metrics_enabled: false, sampling_ratio: 0 }');
    const port = telemetry(test);
    const counter = port.counter('held', {}, { description: '', unit: '1' });
    expect([port.tracing, port.metrics, port.samples('f'.repeat(32))]).to.deep.equal([false, false, false]);
    await test.reload(yaml('{}'));
    expect(telemetry(test)).to.equal(port);
    expect([port.tracing, port.metrics, port.samples('f'.repeat(32))]).to.deep.equal([true, true, true]);
    counter.add(1);
    await test.reload(yaml('{ enabled: false }'));
    expect([port.tracing, port.metrics, port.samples('f'.repeat(32))]).to.deep.equal([false, false, false]);
  });

  it('begins and ends sending by a reload, and says of a faulty variable before it touches anything', async () => {
    const test = await start('{}');
    await test.reload(yaml('{ exporter: both, endpoint: "http://127.0.0.1:1" }'));
    telemetry(test).span(span(1));
    const report = await test.reload(yaml('{}'));
    expect(report).to.deep.include({ errors: [], rolledBack: false });
  });

  it('does nothing when it is switched off, by setting or variable', async () => {
    for (const test of [await start('{ enabled: false }'), await start('{}', { OTEL_ENABLED: 'false' })]) {
      const port = telemetry(test);
      expect([port.tracing, port.metrics, port.samples('0'.repeat(32))]).to.deep.equal([false, false, false]);
      port.span(span(1));
      port.counter('c', {}, { description: '', unit: '1' }).add(1);
      port.histogram('h', {}, { description: '', unit: 's' }).record(1);
      port.gauge('g', { description: '', unit: '1', read: () => [] })();
    }
  });

  it('takes its settings from the environment where the file does not write them', async () => {
    expect(telemetry(await start('{}', { OTEL_TRACES_SAMPLER_ARG: '0' })).tracing).to.equal(false);
    expect(telemetry(await start('{ sampling_ratio: 1 }', { OTEL_TRACES_SAMPLER_ARG: '0' })).tracing).to.equal(true);
    expect(telemetry(await start('{}', { OTEL_SDK_DISABLED: 'TRUE' })).tracing).to.equal(false);
    expect(telemetry(await start('{ enabled: true }', { OTEL_SDK_DISABLED: 'true' })).tracing).to.equal(true);
    expect(telemetry(await start('{}', { OTEL_TRACES_EXPORTER: 'none' })).tracing).to.equal(false);
    expect(telemetry(await start('{ exporter: memory }', { OTEL_TRACES_EXPORTER: 'none' })).tracing).to.equal(true);
    expect(telemetry(await start('{}', { OTEL_TRACES_SAMPLER: 'parentbased_always_off' })).tracing).to.equal(false);
    expect(telemetry(await start('{ sampling_ratio: 1 }', { OTEL_TRACES_SAMPLER: 'always_off' })).tracing).to.equal(true);
    expect(telemetry(await start('{}', { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' })).tracing).to.equal(false);
    expect(await refusal('{}', { OTEL_TRACES_SAMPLER: 'jaeger_remote' })).to.contain('OTEL_TRACES_SAMPLER is "jaeger_remote"');
    expect(await refusal('{}', { OTEL_EXPORTER_TYPE: 'zipkin' })).to.contain('got "zipkin"').and.contain('the value comes from OTEL_EXPORTER_TYPE');
  });

  it('sets level and service of the log while it runs', async () => {
    const test = await start('{ level: warn, service_name: shop }');
    const before = test.logs.length;
    await test.reload(yaml('{ level: debug, service_name: store }'));
    expect(test.logs.slice(before).map(({ service }) => service)).to.include('store');
    await test.reload(yaml('{}'));
    expect(test.logs.at(-1)?.service).to.not.equal('store');
  });

  it('says what cannot be sent as a header or is no address', async () => {
    expect(await refusal('{ headers: { "a b": x } }')).to.contain('"a b" cannot be sent as a header');
    expect(await refusal('{ headers: { key-bin: x } }')).to.contain('"key-bin" cannot be sent as a header');
    expect(await refusal('{ endpoint: "localhost:4317" }')).to.contain('endpoint');
    expect(await refusal('{ endpoint: "http://:x" }')).to.contain('it is not a URL');
  });
});
