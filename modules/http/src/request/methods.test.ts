import { expect } from 'chai';
import { type RunningModule, runModule } from '../module-run.fixture.js';
import { call, sendRaw } from '../raw-client.fixture.js';

describe('Methods and paths', () => {
  let run: RunningModule;
  before(async () => {
    run = await runModule();
    run.hub.add({ method: 'GET', path: '/a' }, (input) => ({ status: 200, headers: { 'x-method': input.method }, body: { kind: 'json', value: { a: 1 } } }));
    run.hub.add({ method: 'PATCH', path: '/a' }, () => ({ status: 200 }));
    run.hub.add({ method: 'DELETE', path: '/a/:id' }, () => ({ status: 204 }));
    run.hub.add({ method: 'GET', path: '/echo/:name' }, (input) => ({ status: 200, body: { kind: 'json', value: input } }));
    run.hub.add({ method: 'GET', path: '/rest/*path' }, (input) => ({ status: 200, body: { kind: 'json', value: input.pathParams } }));
  });
  after(() => run.stop());

  it('answers HEAD from GET without a body', async () => {
    const { responses, text } = await sendRaw(run.port, 'HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n', 200);
    expect(responses[0]!.status).to.equal(200);
    expect(responses[0]!.headers).to.include({ 'content-length': '7', 'x-method': 'HEAD' });
    expect(text.endsWith('\r\n\r\n')).to.equal(true);
  });

  it('runs the Step of a HEAD route, whose answer has no body', async () => {
    run.hub.add({ method: 'HEAD', path: '/own' }, () => ({ status: 200, headers: { 'x-own': '1' }, body: { kind: 'json', value: { a: 1 } } }));
    const { responses, text } = await sendRaw(run.port, 'HEAD /own HTTP/1.1\r\nHost: x\r\n\r\n', 200);
    expect(responses[0]!.headers).to.include({ 'x-own': '1', 'content-length': '7' });
    expect(text.endsWith('\r\n\r\n')).to.equal(true);
    expect((await call(`${run.url}/own`)).headers['allow']).to.equal('HEAD, OPTIONS');
  });

  it('answers HEAD of an unknown path with 404 and no body', async () => {
    const { responses, text } = await sendRaw(run.port, 'HEAD /none HTTP/1.1\r\nHost: x\r\n\r\n', 200);
    expect(responses[0]!.status).to.equal(404);
    expect(text.endsWith('\r\n\r\n')).to.equal(true);
  });

  it('answers OPTIONS with 204 and Allow', async () => {
    const response = await call(`${run.url}/a`, { method: 'OPTIONS' });
    expect(response).to.include({ status: 204, text: '' });
    expect(response.headers['allow']).to.equal('GET, HEAD, PATCH, OPTIONS');
    expect((await call(`${run.url}/a/7`, { method: 'OPTIONS' })).headers['allow']).to.equal('DELETE, OPTIONS');
  });

  it('answers OPTIONS * and OPTIONS of an unknown path', async () => {
    expect((await sendRaw(run.port, 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n', 200)).responses[0]!.status).to.equal(204);
    expect((await call(`${run.url}/none`, { method: 'OPTIONS' })).status).to.equal(404);
  });

  const paths: readonly [string, number][] = [
    ['/a', 200], ['/a/', 404], ['/A', 404], ['//a', 404], ['/a//', 404], ['/%61', 200], ['/a%2f', 404], ['/a%00', 400], ['/a;x', 404],
    ['/./a', 404], ['/x/../a', 404], ['/x/%2e%2e/a', 404], ['/a?', 200], ['/a?b=c', 200], ['/echo/', 404], ['/rest/', 200], ['/rest', 200],
  ];
  for (const [path, status] of paths) {
    it(`answers GET ${path} with ${status}`, async () => {
      const { responses } = await sendRaw(run.port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, 5000);
      expect(responses[0]!.status).to.equal(status);
    });
  }

  it('takes an absolute target of its own host', async () => {
    expect((await sendRaw(run.port, 'GET http://X:1/a?b HTTP/1.1\r\nHost: x:1\r\nConnection: close\r\n\r\n', 5000)).responses[0]!.status).to.equal(200);
  });

  it('gives the handler decoded parameters, the query and the headers', async () => {
    const response = await call(`${run.url}/echo/a%2Fb%20%C3%A9?x=1&x=2&y=%26+z&__proto__=p&`, { headers: { 'X-One': '1', 'X-Two': ['a', 'b'] } });
    expect(response.json).to.deep.include({
      method: 'GET', path: '/echo/a%2Fb%20%C3%A9', pathParams: { name: 'a/b é' },
      query: JSON.parse('{"x":["1","2"],"y":"& z","__proto__":"p"}'),
    });
    expect(response.json['headers']).to.include({ 'x-one': '1', 'x-two': 'a, b' });
    expect(response.json['headersAll']).to.deep.include({ 'x-one': ['1'], 'x-two': ['a', 'b'] });
  });

  it('leaves headersAll out when no header was repeated', async () => {
    expect((await call(`${run.url}/echo/x`)).json).to.not.have.any.keys('headersAll', 'query', 'body');
  });

  it('gives a final parameter the rest of the path', async () => {
    expect((await call(`${run.url}/rest/a/b%20c.txt`)).json).to.deep.equal({ path: 'a/b c.txt' });
  });

  it('invokes with trace, limits and lane', async () => {
    await call(`${run.url}/a`);
    const request = run.hub.requests.at(-1)!;
    const { traceId, spanId } = request;
    expect(request).to.deep.include({
      step: 'Step0', trigger: { type: 'http', index: 0 }, bodyText: undefined, streams: undefined, sampled: false, timeoutMs: 30_000, attempt: 1, lane: 'request', waitMs: 1000, repeatable: true,
    });
    expect(traceId).to.match(/^[0-9a-f]{32}$/);
    expect(spanId).to.match(/^[0-9a-f]{16}$/);
  });

  it('refuses a second Step on a route, also with other parameter names', () => {
    expect(() => run.hub.add({ method: 'DELETE', path: '/a/:other' }, () => ({ status: 200 }), 'Second'))
      .to.throw('DELETE /a/:other is already served by Step "Step2" (steps/Step2.step.ts)');
  });

  it('refuses a Step on an engine route', () => {
    expect(() => run.hub.add({ method: 'POST', path: '/health' }, () => ({ status: 200 }), 'Second')).to.throw('/health is answered by the engine');
  });

  it('serves what is bound and forgets what is unbound', async () => {
    const step = run.hub.add({ method: 'GET', path: '/late' }, () => ({ status: 200 }), 'Late');
    expect((await call(`${run.url}/late`)).status).to.equal(200);
    run.hub.remove(step);
    expect((await call(`${run.url}/late`)).status).to.equal(404);
  });

  describe('traceparent', () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const parent = (flags: string, id = traceId): string => `00-${id}-b7ad6b7169203331-${flags}`;
    const traced = async (url: string, traceparent: string): Promise<{ id: unknown; sampled: boolean }> => {
      const { headers } = await call(`${url}/a`, { headers: { traceparent } });
      return { id: headers['x-trace-id'], sampled: run.hub.requests.at(-1)!.sampled };
    };

    it('gives the trace id, but not the sampled flag', async () => {
      expect(await traced(run.url, parent('00'))).to.deep.equal({ id: traceId, sampled: false });
    });

    it('gives the sampled flag with trust_parent', async () => {
      const trusting = await runModule({ config: { trust_parent: true } });
      trusting.hub.add({ method: 'GET', path: '/a' }, () => ({ status: 200 }));
      await call(`${trusting.url}/a`, { headers: { traceparent: parent('00') } });
      expect(trusting.hub.requests.at(-1)).to.include({ traceId, sampled: false });
      await trusting.stop();
    });

    for (const bad of ['x', parent('01', '0'.repeat(32)), `ff-${traceId}-b7ad6b7169203331-01`, `${parent('01')}-more`, parent('01').toUpperCase(), `00-${'a'.repeat(5000)}`]) {
      it(`begins a trace of its own for ${bad.slice(0, 40)}`, async () => {
        const { id } = await traced(run.url, bad);
        expect(id).to.match(/^[0-9a-f]{32}$/).and.not.equal(traceId);
      });
    }

    it('brings nothing else along: baggage and tracestate stay headers of the request, and beyond 16 KiB they are 431', async () => {
      const state = Array.from({ length: 32 }, (_, at) => `v${at}=${'x'.repeat(100)}`).join(',');
      const { status, headers } = await call(`${run.url}/a`, { headers: { traceparent: parent('01'), tracestate: state, baggage: `k=${'y'.repeat(8_000)}` } });
      expect([status, headers['x-trace-id'], headers['tracestate'], headers['baggage']]).to.deep.equal([200, traceId, undefined, undefined]);
      expect(run.hub.requests.at(-1)).to.include({ traceId }).and.not.have.any.keys('tracestate', 'baggage');
      expect((await call(`${run.url}/a`, { headers: { baggage: 'z'.repeat(100_000) } })).status).to.equal(431);
    });
  });

  it('believes no header of a proxy: the answer is that for the request as it came', async () => {
    run.hub.add({ method: 'GET', path: '/forwarded' }, () => ({ status: 200 }), 'Forwarded');
    const plain = await call(`${run.url}/forwarded`);
    const spoofed = await call(`${run.url}/forwarded`, { headers: {
      'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example', 'x-forwarded-port': '443', 'x-original-url': '/admin',
      'x-rewrite-url': '/admin', 'x-http-method-override': 'DELETE', forwarded: 'for=203.0.113.9;host=evil.example;proto=https',
    } });
    expect(spoofed.status).to.equal(plain.status);
    expect(run.hub.requests.at(-1)?.input).to.include({ method: 'GET', path: '/forwarded' });
  });
});
