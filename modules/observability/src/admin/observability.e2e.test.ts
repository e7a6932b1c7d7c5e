import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LogRecord, Telemetry } from '@treadle/api';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import { expect } from 'chai';
import { REQUEST, TRACE } from '../span.fixture.js';

const BASE = '/api/v1/modules/modules%3A%3Aobservability%3A%3AOtelModule';
const YAML = `
engine: { implicit_modules: false }
modules:
  - { class: modules::console::ConsoleModule, config: { port: 0 } }
  - { class: modules::observability::OtelModule, config: { service_name: shop } }
`;

describe('telemetry over the admin API', function () {
  this.timeout(180_000);
  let test: TestComposition;
  before(async () => {
    test = await createTestComposition({ yaml: YAML });
    const telemetry = test.engine.port(Telemetry) as Telemetry;
    for (const span of REQUEST) telemetry.span(span);
    telemetry.counter('queue.message.count', { topic: 'orders' }, { description: 'Messages', unit: '{message}' }).add(2);
  });
  after(() => test.stop());

  const token = (): string => readFileSync(join(test.dataDir, 'admin.token'), 'utf8').trim();
  const get = (path: string): Promise<Response> => fetch(`${test.url('console')}${BASE}${path}`, { headers: { authorization: `Bearer ${token()}` } });
  const json = async (path: string): Promise<Record<string, never>> => (await get(path)).json() as Promise<Record<string, never>>;

  it('has traces, with search, tree and path', async () => {
    expect(await json('/traces?text=audit&status=error')).to.have.nested.property('items[0].traceId', TRACE);
    expect(await json(`/traces/${TRACE}`)).to.have.nested.property('rows.length', 8);
    expect((await get(`/traces/${'b'.repeat(32)}`)).status).to.equal(404);
    expect((await get('/traces?limit=x')).status).to.equal(400);
  });

  it('compares traces, at a path that is no id', async () => {
    expect(await json(`/traces/compare?a=${TRACE}&b=${TRACE}`)).to.include({ matched: 8, onlyInA: 0, onlyInB: 0 });
    expect((await get(`/traces/compare?a=${TRACE}&b=${'b'.repeat(32)}`)).status).to.equal(404);
  });

  it('has what the engine and its modules log, as the configured service', async () => {
    const { items } = await json('/logs?step=') as unknown as { readonly items: readonly LogRecord[] };
    expect(items).to.not.be.empty;
    for (const { service, stepName, traceId } of items) expect([service, stepName, traceId]).to.deep.equal(['shop', '', '0'.repeat(32)]);
    expect(test.logs.some(({ service }) => service === 'shop')).to.equal(true);
  });

  it('exports the log as a file of JSON lines, packed for who accepts that', async () => {
    const { total } = await json('/logs?step=') as unknown as { readonly total: number };
    const response = await get('/logs/export?step=');
    expect([...response.headers].map(([name, value]) => `${name}: ${value}`)).to.include.members([
      'content-type: application/x-ndjson', 'content-disposition: attachment; filename="logs.ndjson"', 'content-encoding: gzip',
    ]);
    const records = (await response.text()).trimEnd().split('\n').map((line) => JSON.parse(line) as LogRecord);
    expect(records.length).to.equal(total).and.to.be.greaterThan(0);
    for (const { service, stepName } of records) expect([service, stepName]).to.deep.equal(['shop', '']);
    expect((await get('/logs/export?limit=1')).status).to.equal(400);
  });

  it('has metrics, those of the process among them', async () => {
    const text = await (await get('/metrics')).text();
    expect(text).to.contain('queue_message_count_total{topic="orders"} 2\n');
    expect(text).to.match(/^process_memory_usage_bytes \d+$/m).and.match(/^nodejs_eventloop_delay_p99_seconds [\d.e-]+$/m).and.match(/^target_info\{.*service_instance_id="[-0-9a-f]{36}"/m);
  });

  it('is found by short paths, and by collectors of metrics without a token', async () => {
    const short = async (path: string): Promise<Response> => fetch(`${test.url('console')}${path}`, { headers: { authorization: `Bearer ${token()}` } });
    expect(await (await short(`/api/v1/traces/compare?a=${TRACE}&b=${TRACE}`)).json()).to.include({ matched: 8 });
    expect((await short('/api/v1/logs/export?level=error&text=nowhere')).headers.get('content-type')).to.equal('application/x-ndjson');
    expect(await (await fetch(`${test.url('console')}/metrics`)).text()).to.contain('queue_message_count_total');
  });

  it('follows the log as server-sent events', async () => {
    const response = await get('/logs/follow?tail=0&text=unauthori');
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    expect(response.headers.get('content-type')).to.contain('text/event-stream');
    expect(new TextDecoder().decode((await reader.read()).value)).to.equal(': open\n\n');
    await reader.cancel();
  });
});
