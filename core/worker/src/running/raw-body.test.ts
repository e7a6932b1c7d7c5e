import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { expect } from 'chai';
import { json, serve } from '../runner.fixture.js';
import { collect } from './bodies.js';
import type { RunHttpResult } from './invoke.js';

async function http(value: unknown): Promise<RunHttpResult> {
  return (await serve(() => value)).http('A');
}

async function text({ stream }: RunHttpResult): Promise<string> {
  return stream ? (await collect(stream)).toString() : 'no stream';
}

async function refusal(value: unknown): Promise<string> {
  const { code, message } = await (await serve(() => value)).failure('A');
  return `${code}: ${message}`;
}

async function* pieces(): AsyncGenerator<string | Uint8Array> {
  yield 'a';
  yield Buffer.from('b');
}

function* generated(): Generator<string> {
  yield 'a';
  yield 'b';
}

class Money {
  constructor(readonly cents: number) {}
}

describe('a body that is not JSON', () => {
  const sources: readonly [string, () => unknown][] = [
    ['a Node stream', () => Readable.from(['a', 'b'])],
    ['a duplex', () => new PassThrough().end('ab')],
    ['a web stream', () => new Response('ab').body],
    ['an async iterable', () => ({ [Symbol.asyncIterator]: pieces })],
    ['an async generator', pieces],
    ['a generator', generated],
    ['a Blob', () => new Blob(['a', 'b'])],
    ['a promise of a stream', () => Promise.resolve(Readable.from(['ab']))],
    ['a web stream that cannot be iterated', () => {
      const reader = new Response('ab').body?.getReader();
      return new (class { readonly getReader = (): unknown => reader; })();
    }],
  ];
  for (const [what, make] of sources) {
    it(`may be ${what}`, async () => {
      const answer = await http({ status: 206, body: make(), headers: { 'x-a': '1' } });
      expect([answer.status, answer.headers, await text(answer)]).to.deep.equal([206, { 'x-a': '1' }, 'ab']);
    });
  }

  it('may be the result itself, with status 200', async () => {
    for (const [what, make] of sources.slice(0, 7)) {
      const answer = await http(make());
      expect([what, answer.status, await text(answer)]).to.deep.equal([what, 200, 'ab']);
    }
    expect(await http(Buffer.from('ab'))).to.deep.equal({ status: 200, body: { kind: 'bytes', value: Buffer.from('ab') } });
  });

  it('gives its content type when it is a Blob that has one, unless a header does', async () => {
    const blob = new Blob(['<p>'], { type: 'text/html' });
    expect((await http({ status: 200, body: blob })).headers).to.deep.equal({ 'content-type': 'text/html' });
    expect((await http({ status: 200, body: blob, headers: { 'Content-Type': 'text/plain' } })).headers).to.deep.equal({ 'Content-Type': 'text/plain' });
  });

  it('may be bytes of any view', async () => {
    const { buffer } = new Uint8Array([1, 0, 2, 0]);
    for (const body of [buffer, new Uint16Array(buffer), new DataView(buffer), new Uint8Array(buffer)]) {
      expect((await http({ status: 200, body })).body).to.deep.equal({ kind: 'bytes', value: Buffer.from([1, 0, 2, 0]) });
    }
  });

  it('stays JSON for instances that are data, and for what a promise of data gives', async () => {
    expect(json(await http({ status: 200, body: new Money(5) }))).to.deep.equal({ cents: 5 });
    expect(json(await http({ status: 200, body: new Date(0) }))).to.equal('1970-01-01T00:00:00.000Z');
    expect(json(await http({ status: 200, body: Promise.resolve({ a: 1 }) }))).to.deep.equal({ a: 1 });
    expect(await http({ status: 202, body: Promise.resolve(undefined) })).to.deep.equal({ status: 202 });
  });

  it('that fails to come fails the handler', async () => {
    expect(await refusal({ status: 200, body: Promise.reject(new Error('no data')) })).to.equal('unhandled_exception: no data');
  });

  it('is refused when it was read before, or is hidden in JSON, where it would tell its path', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'treadle-body-'));
    writeFileSync(join(folder, 'f'), 'x');
    const file = createReadStream(join(folder, 'f')).on('error', () => undefined);
    const gone = Readable.from(['a']).destroy();
    expect(await refusal({ status: 200, body: gone })).to.equal('invalid_handler_result: the stream of the body was read or destroyed already');
    expect(await refusal({ status: 200, body: { a: [{ file }] } }))
      .to.equal('invalid_handler_result: the body has a stream at a.0.file; only a whole body can be one');
    expect(file.destroyed).to.equal(true);
    expect(json(await http({ status: 200, body: { quoted: '"_readableState":' } }))).to.deep.equal({ quoted: '"_readableState":' });
    expect(json(await http({ status: 200, body: { '_readableState': 1 } }))).to.deep.equal({ _readableState: 1 });
    file.destroy();
    rmSync(folder, { recursive: true });
  });

  it('lets go of its file when the rest of the result is refused', async () => {
    const body = Readable.from(['a']);
    expect(await refusal({ status: 99, body })).to.contain('status must be an integer');
    expect(body.destroyed).to.equal(true);
  });
});

describe('a Response', () => {
  it('gives status, headers and body, cookies apart', async () => {
    const headers = new Headers({ 'content-type': 'text/html', 'content-length': '2', connection: 'close' });
    headers.append('set-cookie', 'a=1');
    headers.append('set-cookie', 'b=2');
    const answer = await http(new Response('ab', { status: 201, headers }));
    expect([answer.status, answer.headers, await text(answer)])
      .to.deep.equal([201, { 'content-type': 'text/html', 'set-cookie': ['a=1', 'b=2'] }, 'ab']);
  });

  it('may have no body', async () => {
    expect(await http(new Response(null, { status: 204 }))).to.deep.equal({ status: 204, headers: {} });
  });

  it('of fetch is decoded already, and says so no more', async () => {
    const fetched = new Response('ab', { headers: { 'content-encoding': 'gzip' } });
    Object.defineProperty(fetched, 'url', { value: 'http://127.0.0.1/' });
    expect((await http(fetched)).headers).to.deep.equal({ 'content-type': 'text/plain;charset=UTF-8' });
    expect((await http(new Response('ab', { headers: { 'content-encoding': 'gzip' } }))).headers).to.include({ 'content-encoding': 'gzip' });
  });

  it('is refused when it was read, and when it is none', async () => {
    const read = new Response('ab');
    await read.text();
    expect(await refusal(read)).to.equal('invalid_handler_result: the body of the Response was read already');
    expect(await refusal(Response.error())).to.equal('invalid_handler_result: status must be an integer from 200 to 599; it is 0');
  });
});

describe('keys of a result', () => {
  it('that mean nothing are told, at most five', async () => {
    expect(await http({ status: 200, boddy: 1 })).to.deep.equal({ status: 200, unknownKeys: ['boddy'] });
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`k${index}`, 1]));
    expect((await http({ status: 200, ...many })).unknownKeys).to.have.length(5);
  });

  it('of an instance are its own affair', async () => {
    class Reply {
      readonly status = 201;
      readonly body = { a: 1 };
      readonly sentAt = 7;
    }
    const answer = await http(new Reply());
    expect([answer.status, answer.unknownKeys, json(answer)]).to.deep.equal([201, undefined, { a: 1 }]);
  });
});
