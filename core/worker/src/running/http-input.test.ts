import { Readable } from 'node:stream';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { HttpRequest } from 'treadle';
import { bench, json, serve } from '../runner.fixture.js';

type Request = HttpRequest<Record<string, unknown>>;

/** What a handler sees of a request, computed by `look` inside it. */
async function seen(wire: object, look: (input: Request) => unknown, trigger: object = {}, streams: readonly Readable[] = []): Promise<unknown> {
  let value: unknown;
  const made = await serve((input: Request) => { value = look(input); }, trigger);
  await made.http('A', wire, { streams });
  return value;
}

describe('the first argument of an http handler', () => {
  it('has the members of the specification, and the request is the input itself', async () => {
    const wire = { method: 'POST', path: '/a/7', pathParams: { id: '7' }, query: { q: '1' }, headers: { 'x-trace': 'a' }, body: { kind: 'json', value: { n: 1 } } };
    expect(await seen(wire, (input) => ({ ...input }))).to.deep.equal({
      body: { n: 1 }, pathParams: { id: '7' }, queryParams: { q: '1' }, query: { q: '1' }, headers: { 'x-trace': 'a' }, method: 'POST', path: '/a/7',
    });
    expect(await seen(wire, (input) => input.request === input && input.query === input.queryParams)).to.equal(true);
  });

  it('can be logged, written as JSON and cloned, without containing itself', async () => {
    const names = ['body', 'pathParams', 'queryParams', 'query', 'headers', 'method', 'path'];
    expect(await seen({}, (input) => Object.keys(input))).to.deep.equal(names);
    expect(await seen({}, (input) => Object.keys(structuredClone(input)))).to.deep.equal(names);
    expect(await seen({}, (input) => JSON.stringify(input))).to.equal('{"pathParams":{},"queryParams":{},"query":{},"headers":{"host":"localhost"},"method":"GET","path":"/a"}');
  });

  it('maps a repeated query parameter to its last value and keeps all in queryAll', async () => {
    const wire = { query: { tag: ['a', 'b'], one: 'x' } };
    expect(await seen(wire, ({ query, queryAll }) => ({ query, queryAll }))).to.deep.equal({
      query: { tag: 'b', one: 'x' }, queryAll: { tag: ['a', 'b'], one: ['x'] },
    });
  });

  it('takes the query as it is after a querySchema', async () => {
    const query = { tags: ['a', 'b'], page: 2 };
    expect(await seen({ query }, (input) => input.query, { querySchema: { type: 'object' } })).to.deep.equal(query);
  });

  it('keeps a parameter named __proto__ as data', async () => {
    const query = JSON.parse('{"__proto__":["a","b"],"x":["1"]}') as object;
    const own = await seen({ query }, (input) => [Object.keys(input.query), Object.getPrototypeOf(input.query) === Object.prototype]);
    expect(own).to.deep.equal([['__proto__', 'x'], true]);
  });

  it('gives each header one value, and all of them in headersAll', async () => {
    const wire = { headers: { accept: 'a, b', host: 'h' }, headersAll: { accept: ['a', 'b'] } };
    expect(await seen(wire, ({ headers, headersAll }) => ({ headers, headersAll }))).to.deep.equal({
      headers: { accept: 'a, b', host: 'h' }, headersAll: { accept: ['a', 'b'], host: ['h'] },
    });
  });

  it('takes bodies as JSON, text, base64 and bytes', async () => {
    expect(await seen({ body: { kind: 'text', value: 'x' } }, (input) => input.body)).to.equal('x');
    for (const body of [{ kind: 'base64', value: 'aGk=' }, { kind: 'bytes', value: new Uint8Array([104, 105]) }]) {
      expect(await seen({ body }, (input) => Buffer.isBuffer(input.body) && input.body.toString())).to.equal('hi');
    }
    expect(await seen({}, (input) => input.body)).to.equal(undefined);
  });

  it('reads bodies that come as streams', async () => {
    const read = (as: string, text: string): Promise<unknown> =>
      seen({ body: { kind: 'stream', stream: 0, as } }, (input) => input.body, {}, [Readable.from([text.slice(0, 3), text.slice(3)].map((part) => Buffer.from(part)))]);
    expect(await read('json', '{"a":[1,2]}')).to.deep.equal({ a: [1, 2] });
    expect(await read('text', 'text of some length')).to.equal('text of some length');
    expect(String(await read('bytes', 'bytes'))).to.equal('bytes');
  });

  it('answers invalid_json when a streamed body is none', async () => {
    const made = await serve(() => ({ status: 200 }));
    const input = { method: 'POST', path: '/a', headers: {}, body: { kind: 'stream', stream: 0, as: 'json' } };
    const failure = await made.failure('A', { input, streams: [Readable.from([Buffer.from('{"a":')])] });
    expect(failure.code).to.equal('invalid_json');
  });

  it('has rawBody only when the engine sends it', async () => {
    expect(await seen({}, (input) => 'rawBody' in input)).to.equal(false);
    expect(await seen({ rawBody: 'aGk=' }, (input) => input.rawBody?.toString())).to.equal('hi');
  });

  it('hands files over, large ones through a temporary folder that is gone afterwards', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'treadle-uploads-'));
    const { TMPDIR: usual } = process.env;
    // Other processes have uploads of their own.
    process.env['TMPDIR'] = folder;
    const uploads = (): number => readdirSync(folder).length;
    const files = [
      { field: 'a', filename: 'a.txt', contentType: 'text/plain', size: 2, body: { kind: 'base64', value: 'aGk=' } },
      { field: 'b', filename: 'b.bin', size: 6, body: { kind: 'stream', stream: 0, as: 'bytes' } },
    ];
    let value: unknown;
    const made = await serve(async (input: Request) => {
      const received = input.files ?? [];
      value = await Promise.all(received.map(async (file) => [file.field, file.filename, file.contentType, file.size, await file.text(), (await file.buffer()).length, uploads()]));
    });
    try {
      await made.http('A', { files }, { streams: [Readable.from([Buffer.from('abc'), Buffer.from('def')])] });
    } finally {
      if (usual === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = usual;
    }
    expect(value).to.deep.equal([['a', 'a.txt', 'text/plain', 2, 'hi', 2, 1], ['b', 'b.bin', undefined, 6, 'abcdef', 6, 1]]);
    // They are removed a moment after the answer.
    while (uploads() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    rmSync(folder, { recursive: true });
  });

  it('destroys streams that nobody read', async () => {
    const stream = new Readable({ read: () => undefined });
    const made = await serve(() => ({ status: 200 }));
    await made.http('A', { method: 'POST' }, { streams: [stream] });
    expect(stream.destroyed).to.equal(true);
  });
});

describe('other first arguments', () => {
  it('are the input itself', async () => {
    const made = bench();
    const got: unknown[] = [];
    const triggers = [{ type: 'queue', topic: 't' }, { type: 'cron', expression: '@daily' }];
    await made.runner.adopt([{ file: 'a', exports: { config: { name: 'A', triggers }, handler: (input: unknown) => void got.push(input) } }]);
    expect(await made.run('A', { trigger: { type: 'queue', index: 0 }, input: { id: 1 } })).to.deep.equal({ ok: true });
    expect(await made.run('A', { trigger: { type: 'cron', index: 1 }, input: { timezone: 'UTC' } })).to.deep.equal({ ok: true });
    expect(got).to.deep.equal([{ id: 1 }, { timezone: 'UTC' }]);
  });

  it('answers are of no interest for them', async () => {
    const made = await serve(() => json, { type: 'queue' });
    expect(await made.run('A', { trigger: { type: 'queue', index: 0 } })).to.deep.equal({ ok: true });
  });
});
