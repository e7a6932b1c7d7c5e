import { connect } from 'node:net';
import { once } from 'node:events';
import { StepFailure, type SpanRecord } from '@treadle/api';
import { RecordingTelemetry } from '@treadle/testing';
import { expect } from 'chai';
import { runModule, type RunningModule, type RunOptions } from '../module-run.fixture.js';

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('telemetry of requests', () => {
  let telemetry: RecordingTelemetry;
  let run: RunningModule;
  const start = async (config: RunOptions['config'] = {}): Promise<void> => {
    telemetry = new RecordingTelemetry();
    run = await runModule({ telemetry, config });
  };
  afterEach(() => run.stop());
  const get = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(`${run.url}${path}`, init);
    await response.arrayBuffer();
    return response;
  };
  const last = (): SpanRecord => telemetry.spans.at(-1) as SpanRecord;

  it('is a server span with the route, the status and the caller as parent', async () => {
    await start();
    const step = run.hub.add({ method: 'GET', path: '/users/:id' }, () => ({ status: 200 }));
    const response = await get('/users/7?token=secret', { headers: { traceparent: PARENT } });
    const [request] = run.hub.requests;
    expect(last()).to.deep.include({
      traceId: '0af7651916cd43dd8448eb211c80319c', parentSpanId: 'b7ad6b7169203331', spanId: request?.spanId, name: 'GET /users/:id', kind: 'server',
      stepName: '', error: undefined,
      attributes: {
        'http.request.method': 'GET', 'http.route': '/users/:id', 'http.response.status_code': 200, 'url.scheme': 'http', 'step.name': step.id,
        'code.file.path': step.file, 'code.line.number': 3,
      },
    });
    expect(response.headers.get('x-trace-id')).to.equal(last().traceId);
    expect(request?.sampled).to.equal(true);
    expect(JSON.stringify(telemetry.spans)).not.to.contain('secret');
  });

  it('shares attributes between requests with the same outcome', async () => {
    await start();
    run.hub.add({ method: 'GET', path: '/a' }, () => ({ status: 200 }));
    await get('/a');
    await get('/a');
    const [first, second] = telemetry.spans;
    expect(first?.attributes).to.equal(second?.attributes);
    expect(first?.traceId).not.to.equal(second?.traceId);
    expect(first).to.have.property('parentSpanId', undefined);
  });

  it('counts each status apart and a failure as an error', async () => {
    await start();
    let status = 200;
    run.hub.add({ method: 'GET', path: '/a' }, () => {
      if (status === 500) throw new StepFailure('unhandled_exception', 'secret of the handler');
      return { status };
    });
    for (status of [200, 200, 404, 500]) await get('/a');
    await get('/a', { method: 'HEAD' });
    expect(telemetry.counts('http.server.request.count')).to.deep.equal({
      'http.request.method=GET,http.route=/a,http.response.status_code=200': 2, 'http.request.method=GET,http.route=/a,http.response.status_code=404': 1,
      'http.request.method=GET,http.route=/a,http.response.status_code=500': 1, 'http.request.method=HEAD,http.route=/a,http.response.status_code=500': 1,
    });
    expect(telemetry.spans.map(({ error }) => error?.type)).to.deep.equal([undefined, undefined, undefined, '500', '500']);
    expect(JSON.stringify(telemetry.spans)).not.to.contain('secret');
  });

  it('keeps the labels few, whatever paths and methods come', async () => {
    await start();
    run.hub.add({ method: 'GET', path: '/p/:x' }, () => ({ status: 204 }));
    for (let i = 0; i < 200; i++) await Promise.all([get(`/p/${i}`), get(`/none/${i}`), get(`/none/${i}`, { method: i % 2 ? 'PURGE' : 'REPORT' })]);
    expect(telemetry.counts('http.server.request.count')).to.deep.equal({
      'http.request.method=GET,http.route=/p/:x,http.response.status_code=204': 200, 'http.request.method=GET,http.response.status_code=404': 200,
      'http.request.method=_OTHER,http.response.status_code=404': 200,
    });
    await get('/health');
    expect(telemetry.counts('http.server.request.count')).to.have.property('http.request.method=GET,http.route=/health,http.response.status_code=200', 1);
  });

  it('writes no span of /health unless it is asked to', async () => {
    await start();
    await get('/health', { headers: { traceparent: PARENT } });
    expect(telemetry.spans).to.deep.equal([]);
    await run.stop();
    await start({ trace_health: true });
    await get('/health');
    expect(last().name).to.equal('GET /health');
  });

  it('counts what is no request, and those whose client left', async () => {
    await start();
    let release = (): void => undefined;
    run.hub.add({ method: 'GET', path: '/slow' }, () => new Promise((resolve) => { release = () => resolve({ status: 200 }); }));
    const socket = connect(run.port, '127.0.0.1');
    socket.end('NOT HTTP\r\n\r\n').resume();
    await once(socket, 'close');
    expect(telemetry.counts('http.server.request.count')).to.deep.equal({ 'http.request.method=_OTHER,http.response.status_code=400': 1 });
    const client = connect(run.port, '127.0.0.1');
    client.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    while (run.hub.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(telemetry.gaugeOf('http.server.active_requests')).to.deep.equal([{ value: 1, labels: {} }]);
    client.destroy();
    while (run.hub.cancelled.length === 0) await new Promise((resolve) => setImmediate(resolve));
    release();
    expect(last()).to.include({ name: 'GET /slow' }).and.to.have.nested.property('attributes.http\\.response\\.status_code', 499);
    expect(telemetry.gaugeOf('http.server.active_requests')).to.deep.equal([{ value: 0, labels: {} }]);
  });

  it('names the path of what no route took, without its query, in the span alone', async () => {
    await start();
    await get('/nowhere?token=secret');
    expect(last()).to.deep.include({ name: 'GET' }).and.to.have.nested.property('attributes.url\\.path', '/nowhere');
    expect(JSON.stringify(telemetry.spans)).not.to.contain('secret');
    expect(telemetry.counts('http.server.request.count')).to.deep.equal({ 'http.request.method=GET,http.response.status_code=404': 1 });
  });

  it('samples by trace, and as a trusted caller says', async () => {
    await start();
    run.hub.add({ method: 'GET', path: '/a' }, () => ({ status: 200 }));
    telemetry.samples = (traceId) => traceId !== '0af7651916cd43dd8448eb211c80319c';
    await get('/a', { headers: { traceparent: PARENT } });
    expect([telemetry.spans.length, run.hub.requests.at(-1)?.sampled]).to.deep.equal([0, false]);
    await run.stop();
    await start({ trust_parent: true });
    run.hub.add({ method: 'GET', path: '/a' }, () => ({ status: 200 }));
    telemetry.samples = () => false;
    await get('/a', { headers: { traceparent: PARENT } });
    await get('/a');
    expect(run.hub.requests.map(({ sampled }) => sampled)).to.deep.equal([true, false]);
    expect(telemetry.spans).to.have.length(1);
    expect(telemetry.counts('http.server.request.count')).to.deep.equal({ 'http.request.method=GET,http.route=/a,http.response.status_code=200': 2 });
  });

  it('ends with the module', async () => {
    await start();
    await run.stop();
    expect(telemetry.gauges.size).to.equal(0);
  });
});
