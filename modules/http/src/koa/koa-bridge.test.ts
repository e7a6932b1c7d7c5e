import { once } from 'node:events';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import type { HttpMiddleware } from '@treadle/api';
import { expect } from 'chai';
import type { KoaContext } from './koa-types.js';
import { type RunningModule, runModule } from '../module-run.fixture.js';
import { call, openRaw, postJson, until } from '../raw-client.fixture.js';

type Koa = KoaContext & { throw(status: number, message: string): never; get(name: string): string };

describe('Koa middleware of plugins', () => {
  let run: RunningModule;
  const order: string[] = [];
  let release: (() => void) | undefined;
  const middleware = (prefix: string, work: (context: Koa, next: () => Promise<unknown>) => unknown): HttpMiddleware =>
    ({ prefix, middleware: (context, next) => work(context as Koa, next) });

  before(async () => {
    run = await runModule({
      middleware: [
        middleware('/admin', async (context, next) => {
          order.push('guard');
          if (context.get('authorization') !== 'yes') context.throw(401, 'who are you');
          await next();
          context.set('x-seen', String(context.status));
        }),
        middleware('/admin/inner', async (_context, next) => {
          order.push('inner');
          await next();
        }),
        middleware('/login', (context) => {
          context.body = { login: true };
        }),
        middleware('/broken', () => {
          throw new Error('secret');
        }),
        middleware('/reads', async ({ req }, next) => {
          await once(req.resume(), 'end');
          await next();
        }),
        middleware('/counts', async ({ req }, next) => {
          let bytes = 0;
          req.on('data', (piece: Buffer) => { bytes += piece.length; });
          await next();
          order.push(`${bytes} bytes`);
        }),
        middleware('/pauses', async ({ req }, next) => {
          req.pause();
          await next();
        }),
        middleware('/waits', async (_context, next) => {
          order.push('before');
          await new Promise<void>((resolve) => { release = resolve; });
          await next();
          order.push('after');
        }),
      ],
    });
    const text = (value: string): never => ({ status: 201, headers: { 'set-cookie': ['a=1', 'b=2'] }, body: { kind: 'text', value } }) as never;
    run.hub.add({ method: 'GET', path: '/admin/inner/x' }, () => {
      order.push('step');
      return text('inner');
    });
    run.hub.add({ method: 'POST', path: '/admin/:id' }, (input) => ({ status: 200, body: { kind: 'json', value: [input.pathParams, input.body] } }));
    run.hub.add({ method: 'GET', path: '/administrators' }, () => text('uncovered'));
    run.hub.add({ method: 'GET', path: '/admin/large' }, () => ({ status: 200, body: { kind: 'json', value: 'x'.repeat(5000) } }));
    run.hub.add({ method: 'GET', path: '/admin/stream' }, () => ({ status: 200, headers: { 'content-type': 'text/event-stream' }, stream: Readable.from(['a', 'b']) }));
    run.hub.add({ method: 'GET', path: '/admin/slow' }, () => new Promise(() => undefined));
    for (const path of ['/reads/x', '/counts/x', '/pauses/x', '/waits/x']) {
      run.hub.add({ method: 'POST', path }, (input) => {
        order.push('step');
        return { status: 200, body: { kind: 'json', value: input.body } };
      });
    }
    run.hub.add({ method: 'GET', path: '/admin/empty' }, () => ({ status: 204 }));
  });
  beforeEach(() => order.splice(0));
  after(() => run.stop());
  const yes = { authorization: 'yes' };

  it('runs around the Steps below its prefix, outermost first', async () => {
    const response = await call(`${run.url}/admin/inner/x`, { headers: yes });
    expect(response).to.include({ status: 201, text: 'inner' });
    expect(response.headers).to.include({ 'x-seen': '201', 'content-type': 'text/plain; charset=utf-8', 'content-length': '5' });
    expect(response.headers['set-cookie']).to.deep.equal(['a=1', 'b=2']);
    expect(response.headers['x-trace-id']).to.equal(run.hub.requests.at(-1)!.traceId);
    expect(order).to.deep.equal(['guard', 'inner', 'step']);
  });

  it('refuses in the form of the engine', async () => {
    const response = await call(`${run.url}/admin/inner/x`);
    expect(response.status).to.equal(401);
    expect(response.json).to.deep.equal({ error: 'who are you', code: 'unauthorized', traceId: response.headers['x-trace-id'] });
    expect(order).to.deep.equal(['guard']);
  });

  for (const path of ['/%61dmin/inner/x', '/admin/%69nner/x']) {
    it(`is not passed by ${path}`, async () => {
      expect((await call(run.url + path)).status).to.equal(401);
    });
  }

  it('covers whole segments only', async () => {
    expect((await call(`${run.url}/administrators`)).text).to.equal('uncovered');
    expect(order).to.deep.equal([]);
  });

  it('leaves bodies, parameters, compression and streams as they are without it', async () => {
    expect((await postJson(`${run.url}/admin/7`, { a: 1 }, yes)).json).to.deep.equal([{ id: '7' }, { kind: 'json', value: { a: 1 } }]);
    const packed = await call(`${run.url}/admin/large`, { headers: { ...yes, 'accept-encoding': 'gzip' } });
    expect(gunzipSync(packed.bytes)).to.have.length(5002);
    expect((await call(`${run.url}/admin/stream`, { headers: yes })).text).to.equal('ab');
    expect((await call(`${run.url}/admin/empty`, { headers: yes })).status).to.equal(204);
    const head = await call(`${run.url}/admin/large`, { method: 'HEAD', headers: yes });
    expect(head).to.include({ status: 200, text: '' });
    expect(head.headers['content-length']).to.equal('5002');
  });

  it('may answer paths of its own, and leaves 404 and 405 to the table', async () => {
    expect((await call(`${run.url}/login/callback`)).json).to.deep.equal({ login: true });
    expect((await call(`${run.url}/admin/x/y/z`, { headers: yes })).json).to.include({ code: 'not_found' });
    const wrong = await call(`${run.url}/admin/inner/x`, { method: 'DELETE', headers: yes });
    expect(wrong.status).to.equal(405);
    expect(wrong.headers['allow']).to.equal('GET, HEAD, OPTIONS');
  });

  it('that throws answers 500 without its message', async () => {
    const response = await call(`${run.url}/broken`);
    expect(response.json).to.include({ code: 'unhandled_exception', error: 'Internal Server Error' });
    expect(run.log.lines.at(-1)).to.include({ level: 'error', message: 'a middleware failed' });
  });

  for (const [what, path, expected] of [['count', '/counts/x', ['step', '1 bytes']], ['pause', '/pauses/x', ['step']]] as const) {
    it(`may ${what} the body that the Step gets`, async () => {
      expect((await postJson(run.url + path, 1)).json).to.deep.equal({ kind: 'json', value: 1 });
      expect(order).to.deep.equal(expected);
    });
  }

  for (const [what, body] of [['the body', '1'], ['an empty body', '']] as const) {
    it(`that has read ${what} before the Step could is told so in the log`, async () => {
      const response = await call(`${run.url}/reads/x`, {
        method: 'POST', headers: { 'content-type': 'text/plain', 'transfer-encoding': 'chunked' }, body,
      });
      expect(response.json).to.include({ code: 'unhandled_exception', error: 'Internal Server Error' });
      expect(order).to.deep.equal([]);
      const { message, fields } = run.log.lines.at(-1)!;
      expect([message, fields!['error']]).to.deep.equal(['a middleware failed',
        'Error: middleware for /reads has read the body of POST /reads/x, which is for the Step: listen for its "data" and call next() at once, or answer without the Step']);
    });
  }

  it('comes to its end when the client left before the Step began', async () => {
    const socket = await openRaw(run.port);
    socket.write('POST /waits/x HTTP/1.1\r\nHost: x\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nhi');
    await until(() => order.length === 1);
    const before = run.hub.requests.length;
    socket.destroy();
    await call(`${run.url}/login`);
    release?.();
    await until(() => order.length > 1);
    expect([order, run.hub.requests.length]).to.deep.equal([['before', 'after'], before]);
  });

  it('does not keep a handler running whose client left', async () => {
    const socket = await openRaw(run.port);
    socket.write('GET /admin/slow HTTP/1.1\r\nHost: x\r\nauthorization: yes\r\n\r\n');
    await until(() => run.hub.running === 1);
    socket.destroy();
    await until(() => run.hub.running === 0);
    expect(run.hub.cancelled.at(-1)).to.include({ reason: 'client_gone' });
  });
});

describe('Engine routes', () => {
  let run: RunningModule;
  before(async () => {
    run = await runModule();
    run.module.route('GET', '/metrics', (request, response) => {
      response.end(`metrics of ${request.url}`);
    });
    run.hub.add({ method: 'GET', path: '/:anything' }, () => ({ status: 200, body: { kind: 'text', value: 'step' } }));
  });
  after(() => run.stop());

  it('come before Steps', async () => {
    const response = await call(`${run.url}/metrics`);
    expect(response).to.include({ status: 200, text: 'metrics of /metrics' });
    expect(response.headers['x-trace-id']).to.match(/^[0-9a-f]{32}$/);
    expect((await call(`${run.url}/other`)).text).to.equal('step');
  });

  it('may be added later', async () => {
    run.module.route('POST', '/late', (_request, response) => {
      response.statusCode = 202;
      response.end();
    });
    expect((await call(`${run.url}/late`, { method: 'POST' })).status).to.equal(202);
    expect((await call(`${run.url}/late`, { method: 'PUT' })).status).to.equal(405);
  });

  it('answer GET /health with exactly what health reports', async () => {
    const reports: readonly [typeof run.health.current, number, string][] = [
      [{ status: 'ok' }, 200, '{"status":"ok"}'],
      [{ status: 'degraded', checks: { a: { status: 'degraded', message: 'm' } } }, 200, '{"status":"degraded","checks":{"a":{"status":"degraded","message":"m"}}}'],
      [{ status: 'starting' }, 503, '{"status":"starting"}'],
      [{ status: 'draining' }, 503, '{"status":"draining"}'],
      [{ status: 'unavailable', checks: {} }, 503, '{"status":"unavailable","checks":{}}'],
    ];
    for (const [report, status, text] of reports) {
      run.health.current = report;
      expect(await call(`${run.url}/health`)).to.include({ status, text });
    }
    run.health.current = { status: 'ok' };
    expect(await call(`${run.url}/health`, { method: 'HEAD' })).to.include({ status: 200, text: '' });
    expect((await call(`${run.url}/health`, { method: 'POST' })).status).to.equal(405);
  });

  it('need an exact path', () => {
    expect(() => run.module.route('GET', '/a/:b', () => undefined)).to.throw('an engine route needs an exact path: /a/:b');
  });

  it('survive a body that nobody reads', async () => {
    const response = await call(`${run.url}/metrics`, { method: 'GET', headers: { 'content-length': 3 }, body: 'abc' });
    expect(response.status).to.equal(200);
  });
});
