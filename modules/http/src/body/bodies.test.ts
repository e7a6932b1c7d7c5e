import type { Readable } from 'node:stream';
import { expect } from 'chai';
import { type RunningModule, runModule } from '../module-run.fixture.js';
import { call, openRaw, postJson, sendRaw, until } from '../raw-client.fixture.js';

async function textOf(stream: Readable): Promise<string> {
  let text = '';
  for await (const piece of stream) text += (piece as Buffer).toString('utf8');
  return text;
}

describe('Request bodies', () => {
  let run: RunningModule;
  before(async () => {
    run = await runModule();
    const echo = (input: unknown): never => ({ status: 200, body: { kind: 'json', value: input } }) as never;
    run.hub.add({ method: 'POST', path: '/echo', bodyLimit: 4_000_000 }, (input) => echo({ ...input, headers: undefined }));
    run.hub.add({ method: 'POST', path: '/raw', rawBody: true }, (input) => echo({ ...input, headers: undefined }));
    run.hub.add({ method: 'GET', path: '/echo' }, (input) => echo({ ...input, headers: undefined }));
    run.hub.add({ method: 'POST', path: '/streamed', bodyLimit: 4_000_000 }, async (input, request) => {
      const text = await textOf(request.streams![0]!);
      return echo({ body: input.body, length: text.length, start: text.slice(0, 5) });
    });
  });
  after(() => run.stop());

  const send = (path: string, type: string | undefined, body: string | Buffer): ReturnType<typeof call> =>
    call(run.url + path, { method: 'POST', headers: { ...(type && { 'content-type': type }), 'content-length': Buffer.byteLength(body) }, body });

  const kinds: readonly [string, string, string, unknown][] = [
    ['JSON', 'application/json', '{"a":[1,null,"é"]}', { kind: 'json', value: { a: [1, null, 'é'] } }],
    ['JSON with a charset', 'application/json; charset=UTF-8', '1', { kind: 'json', value: 1 }],
    ['JSON by suffix', 'application/merge-patch+json', '{"a":1}', { kind: 'json', value: { a: 1 } }],
    ['a form that encodes nothing', 'application/x-www-form-urlencoded', `é=José+%C3%A9&long=${'ü+'.repeat(100)}`, { kind: 'json', value: { é: 'José é', long: 'ü '.repeat(100) } }],
    ['a form', 'application/x-www-form-urlencoded', 'a=1&b=x+y%21&a=2&c', { kind: 'json', value: { a: ['1', '2'], b: 'x y!', c: '' } }],
    ['text', 'text/plain', 'hé', { kind: 'text', value: 'hé' }],
    ['XML text', 'text/xml; charset=utf-8', '<a/>', { kind: 'text', value: '<a/>' }],
    ['XML', 'application/xml', '<a/>', { kind: 'text', value: '<a/>' }],
    ['XML by suffix', 'application/soap+xml; charset=utf-8', '<a/>', { kind: 'text', value: '<a/>' }],
    ['JSON line by line', 'application/x-ndjson', '{}\n{}', { kind: 'text', value: '{}\n{}' }],
    ['CSV', 'text/csv', 'a,b', { kind: 'text', value: 'a,b' }],
    ['an image', 'image/png', '\u0001\u0002', { kind: 'base64', value: 'AQI=' }],
    ['a document', 'application/pdf', '\u0001\u0002', { kind: 'base64', value: 'AQI=' }],
    ['a type that is none', 'x', '\u0001\u0002', { kind: 'base64', value: 'AQI=' }],
    ['bytes', 'application/octet-stream', '\u0001\u0002', { kind: 'base64', value: 'AQI=' }],
  ];
  for (const [what, type, body, expected] of kinds) {
    it(`reads ${what}`, async () => {
      expect((await send('/echo', type, body)).json['body']).to.deep.equal(expected);
    });
  }

  it('reads a body without a content type as bytes, in place or as a stream', async () => {
    expect((await send('/echo', undefined, '\u0001\u0002')).json['body']).to.deep.equal({ kind: 'base64', value: 'AQI=' });
    expect((await send('/streamed', undefined, 'x'.repeat(300_000))).json).to.deep.equal({ body: { kind: 'stream', stream: 0, as: 'bytes' }, length: 300_000, start: 'xxxxx' });
  });

  it('has no body when none was sent', async () => {
    expect((await call(`${run.url}/echo`, { method: 'POST' })).json).to.not.have.property('body');
    expect((await call(`${run.url}/echo`)).json).to.not.have.property('body');
  });

  it('reads the body of a GET request', async () => {
    const response = await call(`${run.url}/echo`, { method: 'GET', headers: { 'content-type': 'application/json', 'content-length': 1 }, body: '1' });
    expect(response.json['body']).to.deep.equal({ kind: 'json', value: 1 });
  });

  it('reads chunked bodies', async () => {
    const response = await call(`${run.url}/echo`, { method: 'POST', headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }, body: '{"a":1}' });
    expect(response.json['body']).to.deep.equal({ kind: 'json', value: { a: 1 } });
  });

  it('tells a waiting client to go on, and refuses before it sends', async () => {
    const head = 'POST /echo HTTP/1.1\r\nHost: x\r\nexpect: 100-continue\r\ncontent-type: text/plain\r\n';
    const fine = await openRaw(run.port);
    let text = '';
    fine.on('data', (piece: Buffer) => {
      text += piece.toString('latin1');
    });
    fine.write(`${head}content-length: 2\r\n\r\n`);
    await until(() => text.includes('100 Continue'));
    fine.write('hi');
    await until(() => text.includes('200 OK'));
    fine.destroy();
    const refused = await sendRaw(run.port, `${head}content-length: 5000000\r\n\r\n`, 400);
    expect(refused.text).to.match(/^HTTP\/1\.1 413 /);
  });

  it('tells no client of HTTP/1.0 to go on', async () => {
    const { text } = await sendRaw(run.port, 'POST /echo HTTP/1.0\r\nexpect: 100-continue\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nhi');
    expect(text).to.match(/^HTTP\/1\.1 200 /);
  });

  describe('in JSON', () => {
    const refused: readonly [string, string | Buffer][] = [
      ['nothing', ' '],
      ['half an object', '{"a":'],
      ['two values', '1 2'],
      ['a byte-order mark', '\ufeff{}'],
      ['bad UTF-8', Buffer.from([0x22, 0xff, 0x22])],
      ['a lone half of a UTF-8 sequence', Buffer.from([0x22, 0xc3, 0x22])],
      ['a NUL', '"\u0000"'],
      ['NaN', 'NaN'],
      ['101 nested arrays', '['.repeat(101) + ']'.repeat(101)],
      ['10,000 nested arrays', '['.repeat(10_000) + ']'.repeat(10_000)],
      ['1,000,000 nested objects', '{"a":'.repeat(200_000)],
      ['10,000 nested objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
      ['a key __proto__', '{"a":[{"__proto__":{"polluted":1}}]}'],
      ['a key constructor.prototype', '{"constructor":{"prototype":{"polluted":1}}}'],
      ['10,001 keys', `{${Array.from({ length: 10_001 }, (_, i) => `"k${i}":0`).join()}}`],
    ];
    for (const [what, body] of refused) {
      it(`refuses ${what} with 400 invalid_json`, async () => {
        const response = await send('/echo', 'application/json', body);
        expect(response.status).to.equal(400);
        expect(response.json).to.include({ code: 'invalid_json' });
        expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
      });
    }

    const accepted: readonly [string, string, unknown][] = [
      ['100 nested arrays', '['.repeat(100) + ']'.repeat(100), undefined],
      ['a large number, as the largest there is', '1e999', null],
      ['a lone surrogate', '"\\ud800"', '\ud800'],
      ['the replacement character itself', '"\ufffd"', '\ufffd'],
      ['duplicate keys, the last of which counts', '{"a":1,"a":2}', { a: 2 }],
      ['a key constructor', '{"constructor":1}', { constructor: 1 }],
      ['a string __proto__', '"__proto__"', '__proto__'],
    ];
    for (const [what, body, expected] of accepted) {
      it(`takes ${what}`, async () => {
        const response = await send('/echo', 'application/json', body);
        expect(response.status).to.equal(200);
        if (expected !== undefined) expect((response.json['body'] as { value: unknown }).value).to.deep.equal(expected);
      });
    }

    it('takes a million numbers', async () => {
      const response = await send('/streamed', 'application/json', `[${'1,'.repeat(1_000_000)}1]`);
      expect(response.json).to.include({ length: 2_000_003 });
    });
  });

  it('refuses text that is not UTF-8', async () => {
    expect((await send('/echo', 'text/plain', Buffer.from([0xff]))).json).to.include({ code: 'bad_request' });
  });

  it('refuses a form with a bad encoding', async () => {
    expect((await send('/echo', 'application/x-www-form-urlencoded', 'a=%zz')).json).to.include({ code: 'bad_request' });
    expect((await send('/echo', 'application/x-www-form-urlencoded', Buffer.from([0x61, 0x3d, 0xe9]))).json).to.include({ code: 'bad_request' });
  });

  it('keeps __proto__ of a form as data', async () => {
    const response = await send('/echo', 'application/x-www-form-urlencoded', '__proto__=1&a[__proto__][x]=1');
    expect(response.text).to.contain('"value":{"__proto__":"1","a[__proto__][x]":"1"}');
  });

  it('gives the bytes of any content type to a trigger with rawBody', async () => {
    expect((await send('/raw', 'image/png', Buffer.from([1, 2]))).json).to.deep.include({ body: { kind: 'base64', value: 'AQI=' }, rawBody: 'AQI=' });
    expect((await send('/raw', 'application/json', '{"a":1}')).json).to.deep.include({
      body: { kind: 'json', value: { a: 1 } }, rawBody: Buffer.from('{"a":1}').toString('base64'),
    });
    expect((await send('/raw', undefined, 'x')).status).to.equal(200);
  });

  it('sends JSON, text and bytes over 256 KiB as a stream', async () => {
    const size = 300_000;
    expect((await send('/streamed', 'application/json', JSON.stringify('x'.repeat(size)))).json).to.deep.equal({
      body: { kind: 'stream', stream: 0, as: 'json' }, length: size + 2, start: '"xxxx',
    });
    expect((await send('/streamed', 'text/plain', 'x'.repeat(size))).json).to.deep.include({ body: { kind: 'stream', stream: 0, as: 'text' }, length: size });
    expect((await send('/streamed', 'application/octet-stream', 'x'.repeat(size))).json).to.deep.include({ body: { kind: 'stream', stream: 0, as: 'bytes' }, length: size });
  });

  describe('in multipart', () => {
    const boundary = 'XX';
    const part = (head: string, content: string): string => `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
    const multipart = (path: string, ...parts: string[]): ReturnType<typeof call> =>
      send(path, `multipart/form-data; boundary=${boundary}`, `${parts.join('')}--${boundary}--\r\n`);

    it('reads fields and files', async () => {
      const response = await multipart('/echo', part('name="a"', '1'), part('name="a"', '2'), part('name="b"', 'é'),
        part('name="f"; filename="../../etc/passwd"\r\ncontent-type: text/plain', 'content'), part('name="g"; filename="é.bin"', ''));
      expect(response.json).to.deep.include({
        body: { kind: 'json', value: { a: ['1', '2'], b: 'é' } },
        files: [
          { field: 'f', filename: 'passwd', contentType: 'text/plain', size: 7, body: { kind: 'base64', value: Buffer.from('content').toString('base64') } },
          { field: 'g', filename: 'é.bin', contentType: 'text/plain', size: 0, body: { kind: 'base64', value: '' } },
        ],
      });
    });

    it('sends large files as streams', async () => {
      const response = await multipart('/streamed', part('name="f"; filename="f"', 'y'.repeat(500_000)));
      expect(response.json).to.include({ length: 500_000, start: 'yyyyy' });
    });

    const bad: readonly [string, string, string][] = [
      ['no boundary', 'multipart/form-data', 'x'],
      ['an unfinished form', 'multipart/form-data; boundary=XX', '--XX\r\ncontent-disposition: form-data; name="a"\r\n\r\n1'],
      ['no form at all', 'multipart/form-data; boundary=XX', 'x'],
      ['1,001 fields', 'multipart/form-data; boundary=XX', `${part('name="a"', '1').repeat(1001)}--XX--\r\n`],
    ];
    for (const [what, type, body] of bad) {
      it(`refuses ${what}`, async () => {
        expect((await send('/echo', type, body)).json).to.include({ code: 'bad_request' });
      });
    }
  });

  it('refuses hundreds of megabytes with flat memory', async function () {
    this.timeout(180_000);
    const before = process.memoryUsage().rss;
    const piece = Buffer.alloc(1_000_000, 'x');
    const socket = await openRaw(run.port);
    let text = '';
    let closed = false;
    socket.on('data', (data: Buffer) => {
      text += data.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      closed = true;
    });
    socket.write('POST /echo HTTP/1.1\r\nHost: x\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n');
    let sent = 0;
    let peak = 0;
    while (!closed && sent < 1000) {
      socket.write(`${piece.length.toString(16)}\r\n`);
      socket.write(piece);
      const more = socket.write('\r\n');
      sent++;
      if (!more) await new Promise<void>((resolve) => {
        socket.once('drain', resolve);
        socket.once('close', resolve);
      });
      peak = Math.max(peak, process.memoryUsage().rss - before);
    }
    await until(() => closed);
    expect(text).to.match(/^HTTP\/1\.1 413 /);
    expect(peak).to.be.below(150_000_000);
    expect((await postJson(`${run.url}/echo`, 1)).status).to.equal(200);
  });

  it('gives the memory of unfinished bodies back when clients go', async () => {
    const small = await runModule({ config: { max_buffered_bytes: 1_048_576 } });
    small.hub.add({ method: 'POST', path: '/' }, () => ({ status: 204 }));
    const head = 'POST / HTTP/1.1\r\nHost: x\r\ncontent-type: text/plain\r\ncontent-length: 900000\r\n\r\n';
    const holder = await openRaw(small.port);
    holder.write(head + 'x'.repeat(800_000));
    let refused = 0;
    await until(() => {
      void postJson(`${small.url}/`, 'x'.repeat(500_000)).then(({ status }) => (refused = status === 503 ? refused + 1 : refused), () => undefined);
      return refused > 0;
    });
    holder.destroy();
    await until(async () => (await postJson(`${small.url}/`, 'x'.repeat(500_000))).status === 204);
    await small.stop();
  });
});
