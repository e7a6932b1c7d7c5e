import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { garbageCollector } from '@treadle/api';
import { expect } from 'chai';
import { type RunningModule, runModule } from '../module-run.fixture.js';
import { call } from '../raw-client.fixture.js';

const MIB = 1024 * 1024;

describe('Request bodies with a content encoding', () => {
  let run: RunningModule;
  const ran: string[] = [];
  before(async () => {
    run = await runModule({ config: { max_buffered_bytes: 16 * MIB } });
    for (const [path, more] of Object.entries({ '/echo': { bodyLimit: 4_000_000 }, '/raw': { rawBody: true }, '/small': { bodyLimit: 1000 } })) {
      run.hub.add({ method: 'POST', path, ...more }, async ({ body, rawBody, files }, { streams }) => {
        ran.push(path);
        const lengths: number[] = [];
        for (const stream of streams ?? []) {
          let length = 0;
          for await (const piece of stream) length += (piece as Buffer).length;
          lengths.push(length);
        }
        return { status: 200, body: { kind: 'json', value: { body, rawBody, files: files?.map(({ filename, size }) => ({ filename, size })), lengths } } };
      });
    }
  });
  after(() => run.stop());

  const send = (path: string, coding: string, body: Buffer, type = 'application/json'): ReturnType<typeof call> =>
    call(run.url + path, { method: 'POST', headers: { 'content-type': type, 'content-encoding': coding, 'content-length': body.length }, body });

  const text = '{"a":1}';
  const coded: readonly [string, string, Buffer][] = [
    ['gzip', 'gzip', gzipSync(text)], ['x-gzip', 'X-GZIP', gzipSync(text)], ['deflate', 'deflate', deflateSync(text)],
    ['deflate without its frame', 'deflate', deflateRawSync(text)], ['br', 'br', brotliCompressSync(text)],
    ['gzip and identity', 'gzip, identity', gzipSync(text)],
    ['gzip in two members', 'gzip', Buffer.concat([gzipSync('{"a":'), gzipSync('1}')])],
  ];
  for (const [what, coding, body] of coded) {
    it(`are decoded: ${what}`, async () => {
      expect((await send('/echo', coding, body)).json['body']).to.deep.equal({ kind: 'json', value: { a: 1 } });
    });
  }

  it('are decoded when they are bytes, forms with files, and too large for a message', async () => {
    expect((await send('/echo', 'gzip', gzipSync(Buffer.from([1, 2])), 'image/png')).json['body']).to.deep.equal({ kind: 'base64', value: 'AQI=' });
    const form = `--b\r\ncontent-disposition: form-data; name="f"; filename="a.bin"\r\n\r\n${'x'.repeat(300_000)}\r\n--b--\r\n`;
    const sent = await send('/echo', 'br', brotliCompressSync(form), 'multipart/form-data; boundary=b');
    expect(sent.json).to.deep.include({ files: [{ filename: 'a.bin', size: 300_000 }], lengths: [300_000] });
    expect((await send('/echo', 'gzip', gzipSync(Buffer.alloc(300_000, 32)), 'text/plain')).json).to.deep.include({ lengths: [300_000] });
  });

  it('give the handler that asks for it the decoded bytes as rawBody', async () => {
    expect((await send('/raw', 'gzip', gzipSync(text))).json['rawBody']).to.equal(Buffer.from(text).toString('base64'));
  });

  const bad: readonly [string, string, Buffer][] = [
    ['no gzip', 'gzip', Buffer.from('hello')], ['half a body', 'gzip', gzipSync('x'.repeat(5000)).subarray(0, 20)], ['no br', 'br', Buffer.alloc(50, 255)],
    ['no deflate', 'deflate', Buffer.from('hello')], ['a wrong checksum', 'gzip', Buffer.concat([gzipSync(text).subarray(0, -8), Buffer.alloc(8)])],
  ];
  for (const [what, coding, body] of bad) {
    it(`are refused with 400 when they are broken: ${what}`, async () => {
      const response = await send('/echo', coding, body);
      expect([response.status, response.json['code']]).to.deep.equal([400, 'bad_request']);
    });
  }

  it('are refused with 413 when too much comes out, without memory for it', async () => {
    ran.length = 0;
    const bomb = gzipSync(Buffer.alloc(64 * MIB));
    const kept = (): number => {
      garbageCollector()('all');
      return process.memoryUsage().arrayBuffers;
    };
    const before = kept();
    const answers = await Promise.all(Array.from({ length: 40 }, () => send('/echo', 'gzip', bomb)));
    const grown = kept() - before;
    // Some find no room in the memory for bodies, as with bodies that come as they are.
    for (const { status } of answers) expect(status).to.be.oneOf([413, 503]);
    expect(answers.filter(({ status }) => status === 413)).to.not.have.length(0);
    expect(grown).to.be.below(64 * MIB);
    expect((await send('/small', 'gzip', gzipSync(Buffer.alloc(1001, 32)), 'text/plain')).status).to.equal(413);
    expect(ran).to.deep.equal([]);
    expect((await send('/small', 'gzip', gzipSync(Buffer.alloc(1000, 32)), 'text/plain')).status).to.equal(200);
  });

  it('leave nothing behind: what was held for them can be used again', async () => {
    const body = gzipSync(Buffer.alloc(3 * MIB, 32));
    for (let round = 0; round < 12; round++) {
      const answers = await Promise.all([1, 2].map(() => send('/echo', 'gzip', body, 'text/plain')));
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
    }
  });

  it('are refused with 415 where they are switched off', async () => {
    const off = await runModule({ config: { decompress_requests: false } });
    off.hub.add({ method: 'POST', path: '/echo' }, () => ({ status: 200 }));
    const response = await call(`${off.url}/echo`, {
      method: 'POST', headers: { 'content-type': 'application/json', 'content-encoding': 'gzip', 'content-length': 1 }, body: 'x',
    });
    expect([response.status, response.json['code']]).to.deep.equal([415, 'unsupported_media_type']);
    await off.stop();
  });
});
