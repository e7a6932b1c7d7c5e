import { StepFailure } from '@treadle/api';
import { expect } from 'chai';
import { type RunningModule, runModule } from '../module-run.fixture.js';
import { call, openRaw, postJson, type RawResponse, sendRaw, until } from '../raw-client.fixture.js';

const HEAD = 'Host: x\r\n';

/** Every error has this form, however it came about. */
function expectProblem(response: { status: number; headers: Record<string, unknown>; body: string } | undefined, status: number, code: string): Record<string, unknown> {
  expect(response?.status).to.equal(status);
  expect(response!.headers['content-type']).to.equal('application/json; charset=utf-8');
  expect(Number(response!.headers['content-length'])).to.equal(Buffer.byteLength(response!.body));
  const body = JSON.parse(response!.body) as Record<string, unknown>;
  expect(body).to.include({ code, traceId: response!.headers['x-trace-id'] });
  expect(body['error']).to.be.a('string').and.not.be.empty;
  expect(body['traceId']).to.match(/^[0-9a-f]{32}$/);
  return body;
}

describe('The error table', () => {
  let run: RunningModule;
  before(async () => {
    run = await runModule({ config: { headers_timeout_ms: 600, request_timeout_ms: 1000 } });
    run.hub.add({ method: 'GET', path: '/ok' }, () => ({ status: 200, body: { kind: 'json', value: 1 } }));
    run.hub.add({ method: 'GET', path: '/users/:id' }, (input) => ({ status: 200, body: { kind: 'json', value: input.pathParams } }));
    run.hub.add({ method: 'POST', path: '/ok' }, (input) => ({ status: 200, body: { kind: 'json', value: input.body ?? null } }));
    run.hub.add({ method: 'POST', path: '/small', bodyLimit: 100 }, () => ({ status: 200 }));
    run.hub.add({
      method: 'POST', path: '/schema', bodySchema: { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } },
      querySchema: { type: 'object', properties: { page: { type: 'integer' } } },
      headersSchema: { type: 'object', properties: { 'X-Key': { const: 'k' } }, required: ['X-Key'] },
    }, () => ({ status: 200 }));
  });
  after(() => run.stop());

  const raw: readonly [string, string, number, string][] = [
    ['malformed JSON', `POST /ok HTTP/1.1\r\n${HEAD}content-type: application/json\r\ncontent-length: 2\r\n\r\n{]`, 400, 'invalid_json'],
    ['a key __proto__', `POST /ok HTTP/1.1\r\n${HEAD}content-type: application/json\r\ncontent-length: 16\r\n\r\n{"__proto__":{}}`, 400, 'invalid_json'],
    ['an escaped key __proto__', `POST /ok HTTP/1.1\r\n${HEAD}content-type: application/json\r\ncontent-length: 21\r\n\r\n{"\\u005f_proto__":{}}`, 400, 'invalid_json'],
    ['a bad percent-encoding', `GET /users/%zz HTTP/1.1\r\n${HEAD}\r\n`, 400, 'bad_request'],
    ['a bad percent-encoding of no route', `GET /none/%zz HTTP/1.1\r\n${HEAD}\r\n`, 400, 'bad_request'],
    ['a NUL in the path', `GET /users/%00 HTTP/1.1\r\n${HEAD}\r\n`, 400, 'bad_request'],
    ['a bad percent-encoding in the query', `GET /ok?a=%zz HTTP/1.1\r\n${HEAD}\r\n`, 400, 'bad_request'],
    ['a fragment', `GET /ok#x HTTP/1.1\r\n${HEAD}\r\n`, 400, 'bad_request'],
    ['two Host headers', `GET /ok HTTP/1.1\r\n${HEAD}hOST: y\r\n\r\n`, 400, 'bad_request'],
    ['no Host header', 'GET /ok HTTP/1.1\r\n\r\n', 400, 'bad_request'],
    ['HTTP/1.0 with Transfer-Encoding', `POST /ok HTTP/1.0\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400, 'bad_request'],
    ['an absolute target of another host', `GET http://y/ok HTTP/1.1\r\n${HEAD}\r\n`, 400, 'bad_request'],
    ['a target that is no path', `GET ftp://x/ok HTTP/1.1\r\n${HEAD}\r\n`, 400, 'bad_request'],
    ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n', 400, 'bad_request'],
    ['257 query parameters', `GET /ok?${'a&'.repeat(257)} HTTP/1.1\r\n${HEAD}\r\n`, 400, 'bad_request'],
    ['an unsupported content type', `POST /schema HTTP/1.1\r\n${HEAD}content-type: image/png\r\ncontent-length: 1\r\n\r\nx`, 415, 'unsupported_media_type'],
    ['a body without content type', `POST /schema HTTP/1.1\r\n${HEAD}content-length: 1\r\n\r\nx`, 415, 'unsupported_media_type'],
    ['another charset', `POST /ok HTTP/1.1\r\n${HEAD}content-type: application/json; charset=utf-16\r\ncontent-length: 1\r\n\r\n1`, 415, 'unsupported_media_type'],
    ['an unknown encoding', `POST /ok HTTP/1.1\r\n${HEAD}content-type: application/json\r\ncontent-encoding: zstd\r\ncontent-length: 1\r\n\r\nx`, 415, 'unsupported_media_type'],
    ['two encodings', `POST /ok HTTP/1.1\r\n${HEAD}content-type: application/json\r\ncontent-encoding: gzip, gzip\r\ncontent-length: 1\r\n\r\nx`, 415, 'unsupported_media_type'],
    ['a body that is not in its encoding', `POST /ok HTTP/1.1\r\n${HEAD}content-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: 1\r\n\r\nx`, 400, 'bad_request'],
    ['a body announced as too large', `POST /small HTTP/1.1\r\n${HEAD}content-type: text/plain\r\ncontent-length: 101\r\n\r\n`, 413, 'body_too_large'],
    ['a chunked body that grows too large', `POST /small HTTP/1.1\r\n${HEAD}content-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n65\r\n${'x'.repeat(101)}\r\n`, 413, 'body_too_large'],
    ['a URI over 8 KiB', `GET /${'a'.repeat(8192)} HTTP/1.1\r\n${HEAD}\r\n`, 414, 'uri_too_long'],
    ['a URI over the parser\'s limit', `GET /${'a'.repeat(60_000)} HTTP/1.1\r\n${HEAD}\r\n`, 414, 'uri_too_long'],
    ['headers over 16 KiB', `GET /ok HTTP/1.1\r\n${HEAD}a: ${'x'.repeat(17_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['headers over the parser\'s limit', `GET /ok HTTP/1.1\r\n${HEAD}a: ${'x'.repeat(50_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['201 header lines', `GET /ok HTTP/1.1\r\n${HEAD}${'a: b\r\n'.repeat(200)}\r\n`, 431, 'headers_too_large'],
    ['3,000 header lines, the last one with a secret', `GET /ok HTTP/1.1\r\n${HEAD}${'a:b\r\n'.repeat(3000)}authorization: x\r\n\r\n`, 431, 'headers_too_large'],
    ['no route', `GET /none HTTP/1.1\r\n${HEAD}\r\n`, 404, 'not_found'],
    ['another expectation', `POST /ok HTTP/1.1\r\n${HEAD}expect: 200-maybe\r\ncontent-length: 0\r\n\r\n`, 417, 'expectation_failed'],
  ];
  for (const [what, bytes, status, code] of raw) {
    it(`answers ${what} with ${status} ${code}`, async () => {
      const { responses } = await sendRaw(run.port, bytes, 400);
      expect(responses).to.have.length(1);
      expectProblem(responses[0], status, code);
    });
  }

  it('answers a known path with another method with 405 and Allow', async () => {
    const { responses } = await sendRaw(run.port, `DELETE /ok HTTP/1.1\r\n${HEAD}\r\n`, 400);
    expectProblem(responses[0], 405, 'method_not_allowed');
    expect(responses[0]!.headers['allow']).to.equal('GET, HEAD, POST, OPTIONS');
  });

  it('takes 200 header lines and an 8 KiB URI', async () => {
    const uri = `/users/7?a=${'a'.repeat(8192 - 11)}`;
    const { responses } = await sendRaw(run.port, `GET ${uri} HTTP/1.1\r\n${HEAD}${'a: b\r\n'.repeat(199)}\r\n`, 300);
    expect(responses[0]?.status).to.equal(200);
  });

  it('reports what body, query and headers lack, without the values', async () => {
    const response = await postJson(`${run.url}/schema?page=secret`, { a: 'secret' });
    expect(response.status).to.equal(400);
    expect(response.text).to.not.contain('secret');
    expect(response.json).to.deep.include({
      error: 'Validation failed', code: 'validation_failed',
      issues: [
        { in: 'body', path: 'a', message: 'must be integer', code: 'invalid_type' },
        { in: 'query', path: 'page', message: 'must be integer', code: 'invalid_type' },
        { in: 'headers', path: 'x-key', message: 'is required', code: 'invalid_type' },
      ],
    });
  });

  it('answers slow headers with 408', async () => {
    const { responses, closed } = await sendRaw(run.port, `GET /ok HTTP/1.1\r\n${HEAD}x: `, 4000);
    expectProblem(responses[0], 408, 'request_timeout');
    expect(closed).to.equal(true);
  });

  it('answers a slow body with 408 and does not run the handler', async () => {
    const before = run.hub.requests.length;
    const { responses, closed } = await sendRaw(run.port, `POST /ok HTTP/1.1\r\n${HEAD}content-type: text/plain\r\ncontent-length: 5\r\n\r\nx`, 4000);
    expect(responses).to.have.length(1);
    expectProblem(responses[0], 408, 'request_timeout');
    expect(closed).to.equal(true);
    expect(run.hub.requests.length).to.equal(before);
  });

  describe('for what the hub says', () => {
    const failures: readonly [ConstructorParameters<typeof StepFailure>, number, string, string?][] = [
      [['unhandled_exception', 'secret of the handler', { stack: 'secret' }], 500, 'unhandled_exception'],
      [['invalid_handler_result', 'secret'], 500, 'invalid_handler_result'],
      [['handler_timeout', 'secret'], 504, 'handler_timeout'],
      [['no_worker', 'secret'], 503, 'no_worker', '1'],
      [['draining', 'secret'], 503, 'draining', '1'],
      [['worker_lost', 'secret'], 502, 'worker_lost'],
      [['condition_not_met', 'secret'], 422, 'condition_not_met'],
      [['invalid_json', 'secret'], 400, 'invalid_json'],
      [['overloaded', 'secret'], 503, 'overloaded'],
      [['unhandled_exception', 'secret', { errorName: 'QueueFull' }], 503, 'queue_full', '5'],
      [['unhandled_exception', 'secret', { errorName: 'StorageFull' }], 503, 'storage_full', '5'],
    ];
    for (const [failure, status, code, retryAfter] of failures) {
      it(`answers ${failure[2]?.errorName ?? failure[0]} with ${status} and keeps the text to itself`, async () => {
        const step = run.hub.add({ method: 'GET', path: `/fails-${failure[0]}` }, () => {
          throw new StepFailure(...failure);
        });
        const response = await call(`${run.url}/fails-${failure[0]}`);
        expectProblem({ status: response.status, headers: response.headers, body: response.text }, status, code);
        expect(response.text).to.not.contain('secret');
        if (status === 503) expect(Number(response.headers['retry-after'])).to.be.within(1, 5);
        if (retryAfter) expect(response.headers['retry-after']).to.equal(retryAfter);
        run.hub.remove(step);
      });
    }

    it('answers findings of the worker exactly like its own', async () => {
      const issues = [{ in: 'body', path: 'a', message: 'Required', code: 'invalid_type' }];
      const step = run.hub.add({ method: 'GET', path: '/worker-issues' }, () => {
        throw new StepFailure('validation_failed', 'x', { issues });
      });
      const response = await call(`${run.url}/worker-issues`);
      expect(response.json).to.deep.equal({ error: 'Validation failed', code: 'validation_failed', traceId: response.headers['x-trace-id'], issues });
      run.hub.remove(step);
    });

    it('keeps the message and the stack for the log', async () => {
      const step = run.hub.add({ method: 'GET', path: '/logged' }, () => {
        throw new StepFailure('unhandled_exception', 'boom', { errorName: 'TypeError', stack: 'TypeError: boom\n at x' });
      });
      const response = await call(`${run.url}/logged`);
      expect(run.log.lines.at(-1)).to.deep.include({
        level: 'error', message: 'a handler failed', traceId: response.headers['x-trace-id'], stepName: step.id, service: 'test',
        fields: { error: 'boom', errorName: 'TypeError', stack: 'TypeError: boom\n at x' },
      });
    });
  });

  it('shows an exception with debug on loopback only', async () => {
    const boom = (): never => {
      throw new StepFailure('unhandled_exception', 'the message');
    };
    const shown = await runModule({ config: { debug: true } });
    shown.hub.add({ method: 'GET', path: '/x' }, boom);
    const hidden = await runModule({ config: { debug: true, host: '0.0.0.0' } });
    hidden.hub.add({ method: 'GET', path: '/x' }, boom);
    expect((await call(`${shown.url}/x`)).json).to.include({ code: 'unhandled_exception', message: 'the message' });
    expect((await call(`http://127.0.0.1:${hidden.port}/x`)).text).to.not.contain('the message');
    await Promise.all([shown.stop(), hidden.stop()]);
  });

  it('answers 503 starting for an unknown route while the engine starts, and serves the known ones', async () => {
    run.health.current = { status: 'starting' };
    expect((await call(`${run.url}/none`)).json).to.include({ code: 'starting' });
    expect((await call(`${run.url}/none`)).headers['retry-after']).to.equal('1');
    expect((await call(`${run.url}/ok`)).status).to.equal(200);
    run.health.current = { status: 'ok' };
    expect((await call(`${run.url}/none`)).status).to.equal(404);
  });

  it('closes the connection after a body that is too large', async () => {
    const { responses, closed } = await sendRaw(run.port,
      `POST /small HTTP/1.1\r\n${HEAD}content-type: text/plain\r\ncontent-length: 5000\r\n\r\n${'x'.repeat(200)}`, 3000);
    expect(responses[0]?.status).to.equal(413);
    expect(responses[0]?.headers['connection']).to.equal('close');
    expect(closed).to.equal(true);
  });

  it('keeps the connection after an error that leaves nothing unread', async () => {
    const { responses, closed } = await sendRaw(run.port, `GET /none HTTP/1.1\r\n${HEAD}\r\nGET /ok HTTP/1.1\r\n${HEAD}\r\n`, 300);
    expect(responses.map(({ status }: RawResponse) => status)).to.deep.equal([404, 200]);
    expect(closed).to.equal(false);
  });

  it('reads a body it does not need before it closes, so that the answer arrives', async () => {
    const socket = await openRaw(run.port);
    let text = '';
    socket.on('data', (piece: Buffer) => {
      text += piece.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.write(`POST /none HTTP/1.1\r\n${HEAD}content-type: text/plain\r\ncontent-length: 4000000\r\n\r\n`);
    for (let i = 0; i < 40; i++) socket.write('x'.repeat(100_000));
    await until(() => text.includes('not_found'));
    socket.destroy();
  });
});
