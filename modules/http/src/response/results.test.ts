import { gunzipSync, brotliDecompressSync } from 'node:zlib';
import type { HttpResult } from '@treadle/api';
import { expect } from 'chai';
import { type RunningModule, runModule } from '../module-run.fixture.js';
import { call, sendRaw } from '../raw-client.fixture.js';

const json = (value: unknown): HttpResult['body'] => ({ kind: 'json', value });

describe('Results', () => {
  let run: RunningModule;
  let result: HttpResult = { status: 200 };
  before(async () => {
    run = await runModule();
    run.hub.add({ method: 'GET', path: '/' }, () => result);
    run.hub.add({
      method: 'GET', path: '/typed', responseSchema: { 200: { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } }, 204: { type: 'null' } },
    }, () => result);
    run.hub.add({ method: 'GET', path: '/warned', responseValidation: 'warn', responseSchema: { 200: { type: 'integer' } } }, () => result);
    run.hub.add({ method: 'GET', path: '/off', responseValidation: 'off', responseSchema: { 200: { type: 'integer' } } }, () => result);
  });
  after(() => run.stop());

  const get = (made: HttpResult, path = '/', headers: Record<string, string> = {}): ReturnType<typeof call> => {
    result = made;
    return call(run.url + path, { headers });
  };

  const bodies: readonly [string, HttpResult, string, string | undefined][] = [
    ['JSON', { status: 200, body: json({ a: 'é' }) }, '{"a":"é"}', 'application/json; charset=utf-8'],
    ['a JSON string', { status: 200, body: json('x') }, '"x"', 'application/json; charset=utf-8'],
    ['null', { status: 200, body: json(null) }, 'null', 'application/json; charset=utf-8'],
    ['text as text', { status: 200, body: { kind: 'text', value: 'hé' } }, 'hé', 'text/plain; charset=utf-8'],
    ['text of its own type', { status: 200, headers: { 'Content-Type': 'text/html' }, body: { kind: 'text', value: '<p>' } }, '<p>', 'text/html'],
    ['base64 bytes', { status: 200, body: { kind: 'base64', value: 'aGk=' } }, 'hi', 'application/octet-stream'],
    ['bytes', { status: 200, body: { kind: 'bytes', value: Buffer.from('hi') } }, 'hi', 'application/octet-stream'],
    ['nothing', { status: 200 }, '', undefined],
    ['a status of its own', { status: 418, body: json(1) }, '1', 'application/json; charset=utf-8'],
  ];
  for (const [what, made, text, type] of bodies) {
    it(`sends ${what}`, async () => {
      const response = await get(made);
      expect(response.status).to.equal(made.status);
      expect(response.text).to.equal(text);
      expect(response.headers['content-type']).to.equal(type);
      expect(response.headers['content-length']).to.equal(String(Buffer.byteLength(text)));
    });
  }

  it('sends 204 for a handler that returned nothing', async () => {
    const response = await get(undefined as never);
    expect(response).to.include({ status: 204, text: '' });
    expect(response.headers).to.not.have.property('content-length');
  });

  for (const status of [204, 304]) {
    it(`sends ${status} without the body it came with`, async () => {
      result = { status, body: json({ a: 1 }) };
      const { responses, text } = await sendRaw(run.port, `GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n`, 200);
      expect(responses.map((response) => response.status)).to.deep.equal([status, status]);
      expect(text).to.not.match(/content-length|transfer-encoding|"a"/i);
    });
  }

  it('sends repeated headers and numbers', async () => {
    const response = await get({ status: 200, headers: { 'set-cookie': ['a=1', 'b=2'], 'X-Count': 3 as never } });
    expect(response.headers['set-cookie']).to.deep.equal(['a=1', 'b=2']);
    expect(response.headers['x-count']).to.equal('3');
  });

  it('does not let a handler set the trace id', async () => {
    const response = await get({ status: 200, headers: { 'X-Trace-Id': 'mine' } });
    expect(response.headers['x-trace-id']).to.match(/^[0-9a-f]{32}$/);
  });

  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  const unusable: readonly [string, unknown][] = [
    ['no status', {}], ['a status of 99', { status: 99 }], ['a status of 199', { status: 199 }], ['a status of 600', { status: 600 }],
    ['a status of 1000', { status: 1000 }], ['a status that is a string', { status: '200' }], ['a status of 200.5', { status: 200.5 }],
    ['CR LF in a header value', { status: 200, headers: { a: 'b\r\nx: y' } }], ['LF in a content type', { status: 200, headers: { 'content-type': 'a\nb' } }],
    ['CR in a list', { status: 200, headers: { a: ['b', 'c\r'] } }], ['NUL in a header value', { status: 200, headers: { a: '\0' } }],
    ['a character above a byte in a header', { status: 200, headers: { a: '€' } }], ['CR LF in a header name', { status: 200, headers: { 'a\r\nb': 'c' } }],
    ['a space in a header name', { status: 200, headers: { 'a b': 'c' } }], ['an empty header name', { status: 200, headers: { '': 'c' } }],
    ['an object as a header', { status: 200, headers: { a: {} } }], ['Transfer-Encoding', { status: 200, headers: { 'Transfer-Encoding': 'chunked' } }],
    ['Content-Length', { status: 200, headers: { 'content-length': '1' } }], ['Connection', { status: 200, headers: { connection: 'upgrade' } }],
    ['two content types', { status: 200, headers: { 'content-type': 'a/b', 'Content-Type': 'c/d' } }],
    ['a cycle', { status: 200, body: json(cycle) }], ['a BigInt', { status: 200, body: json(1n) }], ['a function', { status: 200, body: json(() => 1) }],
    ['too deep a value', { status: 200, body: json(deep) }], ['more than 10 MiB', { status: 200, body: json('x'.repeat(10_500_000)) }],
  ];
  for (const [what, made] of unusable) {
    it(`answers 500 invalid_handler_result for ${what}`, async () => {
      const response = await get(made as HttpResult);
      expect(response.status).to.equal(500);
      expect(response.json).to.deep.equal({
        error: 'The handler gave an unusable result', code: 'invalid_handler_result', traceId: response.headers['x-trace-id'],
      });
      expect(run.log.lines.at(-1)).to.include({
        level: 'error', message: 'a handler gave an unusable result', stepName: 'Step0', traceId: response.headers['x-trace-id'],
      });
    });
  }

  describe('with a responseSchema', () => {
    it('passes what fits, and statuses without a schema', async () => {
      expect((await get({ status: 200, body: json({ a: 1 }) }, '/typed')).status).to.equal(200);
      expect((await get({ status: 404, body: json('anything') }, '/typed')).status).to.equal(404);
    });

    it('answers 500 for what does not fit and logs the mismatch', async () => {
      const response = await get({ status: 200, body: json({ a: 'x' }) }, '/typed');
      expect(response.json).to.include({ code: 'invalid_handler_result', error: 'The handler gave an unusable result' });
      expect(run.log.lines.at(-1)!.fields).to.include({ error: 'the body does not fit the responseSchema of 200: a: must be integer' });
    });

    it('passes bytes where it means bytes, and nowhere else', async () => {
      const [binary, text] = [{ type: 'string', format: 'binary' }, { type: 'string' }];
      run.hub.add({ method: 'GET', path: '/binary', responseSchema: { 200: binary, 202: text } }, () => result);
      for (const body of [{ kind: 'bytes', value: Buffer.from('hi') }, { kind: 'base64', value: 'aGk=' }] as const) {
        expect(await get({ status: 200, body }, '/binary')).to.include({ status: 200, text: 'hi' });
        expect((await get({ status: 202, body }, '/binary')).status).to.equal(500);
      }
      expect((await get({ status: 200 }, '/binary')).status).to.equal(500);
    });

    it('misses a body that the schema asks for', async () => {
      expect((await get({ status: 200 }, '/typed')).status).to.equal(500);
    });

    it('only logs with warn, and does not look with off', async () => {
      const lines = run.log.lines.length;
      expect((await get({ status: 200, body: json('x') }, '/off')).status).to.equal(200);
      expect(run.log.lines.length).to.equal(lines);
      expect((await get({ status: 200, body: json('x') }, '/warned')).status).to.equal(200);
      expect(run.log.lines.at(-1)).to.include({ level: 'warn' });
    });

    it('shows the mismatch in development', async () => {
      const development = await runModule({ mode: 'development' });
      development.hub.add({ method: 'GET', path: '/', responseSchema: { 200: { type: 'integer' } } }, () => ({ status: 200, body: json('x') }));
      expect((await call(development.url)).json['error']).to.equal(
        'The handler gave an unusable result: the body does not fit the responseSchema of 200: must be integer');
      await development.stop();
    });
  });

  describe('compressed', () => {
    const large = { status: 200, body: json('x'.repeat(5000)) };
    const encodings: readonly [string, string | undefined][] = [
      ['gzip', 'gzip'], ['br', 'br'], ['gzip, br', 'br'], ['gzip;q=1, br;q=0.5', 'gzip'], ['*', 'br'], ['br;q=0, gzip', 'gzip'],
      ['identity, gzip;q=0.5', undefined], ['identity', undefined], ['', undefined], ['deflate', undefined], ['gzip;q=0', undefined],
    ];
    for (const [accept, encoding] of encodings) {
      it(`uses ${encoding ?? 'nothing'} for "${accept}"`, async () => {
        const response = await get(large, '/', { 'accept-encoding': accept });
        expect(response.headers['content-encoding']).to.equal(encoding);
        expect(response.headers['vary']).to.equal('accept-encoding');
        expect(response.headers['content-length']).to.equal(String(response.bytes.length));
        const plain = encoding === 'gzip' ? gunzipSync(response.bytes) : encoding === 'br' ? brotliDecompressSync(response.bytes) : response.bytes;
        expect(plain.toString()).to.equal(JSON.stringify('x'.repeat(5000)));
      });
    }

    const plain: readonly [string, HttpResult][] = [
      ['small bodies', { status: 200, body: json('x'.repeat(1000)) }],
      ['a part, whose range counts its own bytes', { status: 206, headers: { 'content-range': 'bytes 0-4999/9000' }, body: json('x'.repeat(5000)) }],
      ['images', { status: 200, headers: { 'content-type': 'image/png' }, body: { kind: 'text', value: 'x'.repeat(5000) } }],
      ['what the handler has encoded', { status: 200, headers: { 'content-encoding': 'identity' }, body: json('x'.repeat(5000)) }],
    ];
    for (const [what, made] of plain) {
      it(`leaves ${what} alone`, async () => {
        const response = await get(made, '/', { 'accept-encoding': 'gzip' });
        expect(response.headers['content-encoding']).to.not.equal('gzip');
        expect(response.headers).to.not.have.property('vary');
      });
    }

    it('is off with compression: false', async () => {
      const off = await runModule({ config: { compression: false } });
      off.hub.add({ method: 'GET', path: '/' }, () => large);
      expect((await call(off.url, { headers: { 'accept-encoding': 'gzip' } })).headers).to.not.have.any.keys('content-encoding', 'vary');
      await off.stop();
    });
  });
});

describe('Answers that were thrown', () => {
  let run: RunningModule;
  let result: HttpResult = { status: 404 };
  before(async () => {
    run = await runModule();
    run.hub.add({ method: 'GET', path: '/', responseSchema: { 404: { type: 'integer' } } }, () => result);
  });
  after(() => run.stop());

  const get = (made: HttpResult, method = 'GET'): ReturnType<typeof call> => {
    result = made;
    return call(`${run.url}/`, { method });
  };

  it('have the form of the engine\'s own errors where they have no body', async () => {
    const { status, json: body, headers } = await get({ status: 404, thrown: 'no such ticket', headers: { 'x-a': '1' } });
    expect([status, body, headers['x-a']]).to.deep.equal([404, { error: 'no such ticket', code: 'not_found', traceId: headers['x-trace-id'] }, '1']);
    expect((await get({ status: 418, thrown: '' })).json).to.include({ error: 'I\'m a Teapot', code: 'im_a_teapot' });
    expect((await get({ status: 499, thrown: '' })).json).to.include({ error: 'HTTP status 499', code: 'http_status_499' });
    expect((await get({ status: 404, thrown: 'x' }, 'HEAD')).text).to.equal('');
  });

  it('are not held to a responseSchema, with or without a body', async () => {
    expect((await get({ status: 404, thrown: '', body: json('gone') })).json).to.equal('gone');
    expect((await get({ status: 404, body: json('gone') })).status).to.equal(500);
  });
});

describe('Keys of a result that mean nothing', () => {
  const result: HttpResult = { status: 200, unknownKeys: ['boddy', 'ok'] };

  it('are refused in development, with what was probably meant', async () => {
    const run = await runModule({ mode: 'development' });
    run.hub.add({ method: 'GET', path: '/' }, () => result);
    const { status, json: body } = await call(`${run.url}/`);
    expect([status, body['code']]).to.deep.equal([500, 'invalid_handler_result']);
    expect(body['error']).to.equal('The handler gave an unusable result: a result has no key "boddy"; did you mean "body"?; a result has no key "ok"; it has status, body, headers');
    await run.stop();
  });

  it('are logged once in production, and the answer goes out', async () => {
    const run = await runModule();
    run.hub.add({ method: 'GET', path: '/' }, () => result);
    for (let round = 0; round < 3; round++) expect((await call(`${run.url}/`)).status).to.equal(200);
    expect(run.log.lines.filter(({ message }) => message.includes('key')).map(({ level, fields }) => [level, fields?.['error']])).to.deep.equal([
      ['warn', 'a result has no key "boddy"; did you mean "body"?'], ['warn', 'a result has no key "ok"; it has status, body, headers'],
    ]);
    await run.stop();
  });
});
