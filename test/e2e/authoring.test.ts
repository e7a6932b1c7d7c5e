import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { AdminClient } from '../support/admin-client.js';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { type Files, tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const CONFIG = `modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000, body_limit_bytes: 2000000, static: [{ path: /app, dir: public, fallback: index.html }] }
  - class: modules::steps::StepsModule
    config: { port: 0 }
  - class: modules::queue::QueueModule
    config: { adapter: { class: modules::queue::adapters::Sqlite, config: { store_method: in_memory } } }
  - class: modules::state::StateModule
    config: { adapter: { class: modules::state::adapters::Sqlite, config: { store_method: in_memory } } }
`;
const COMMON: Files = { 'config.yaml': CONFIG, 'public/index.html': '<h1>app</h1>', 'public/secret.txt': 'the file' };

const TYPESCRIPT: Files = {
  'steps/results.step.ts': `import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { http, HttpError, step } from 'treadle';
const pieces = async function* () { yield 'a'; yield Buffer.from('b'); };
const response = () => {
  const headers = new Headers({ 'content-type': 'text/html' });
  headers.append('set-cookie', 'a=1'); headers.append('set-cookie', 'b=2');
  return new Response('ab', { status: 201, headers });
};
const MAKE: Record<string, () => any> = {
  file: () => ({ status: 200, body: createReadStream('public/secret.txt') }), bare: () => createReadStream('public/secret.txt'),
  pieces: () => ({ status: 200, body: pieces() }), web: () => ({ status: 200, body: new Response('ab').body }), blob: () => ({ status: 200, body: new Blob(['ab'], { type: 'text/x-own' }) }),
  bytes: () => ({ status: 200, body: new Uint8Array([97, 98]) }), awaited: () => ({ status: 200, body: Promise.resolve({ n: 1 }) }), response,
  hidden: () => ({ status: 200, body: { file: createReadStream('public/secret.txt') } }), misspelt: () => ({ status: 200, boddy: 1 }),
  missing: () => { throw new HttpError(404, 'no such ticket', { 'x-why': 'gone' }); }, taken: () => { throw new HttpError(409, { taken: true }); },
  busy: () => { throw new HttpError(503, 'not now'); }, foreign: () => { throw Object.assign(new Error('secret words'), { statusCode: 403 }); },
  exposed: () => { throw Object.assign(new Error('shown words'), { status: 400, expose: true }); }, broken: () => { throw Object.assign(new Error('secret words'), { status: 500 }); },
};
export default step({ name: 'Results', triggers: [http('GET', '/results/:kind')] }, ({ pathParams }) => MAKE[pathParams.kind]!());
`,
  'steps/guarded.step.ts': `import { http, HttpError, step } from 'treadle';
const refuse = (): never => { throw new HttpError(401, 'who are you?'); };
export default step({ name: 'Guarded', triggers: [http('GET', '/by-middleware', { middleware: refuse }), http('GET', '/by-condition', { condition: refuse })] }, () => undefined);
`,
  'steps/bodies.step.ts': `import { createHash } from 'node:crypto';
import { http, step } from 'treadle';
const digest = (body: unknown) => (Buffer.isBuffer(body) ? 'bytes ' : 'text ') + createHash('sha1').update(body as string).digest('hex');
export default step({ name: 'Bodies', triggers: [http('POST', '/bodies'), http('HEAD', '/own-head'), http('GET', '/site/*rest')] }, ({ body, files, pathParams, method }) => {
  if (method === 'HEAD') return { status: 200, headers: { 'x-own': 'yes' } };
  if ('rest' in pathParams) return { status: 200, body: pathParams };
  return { status: 200, body: typeof body === 'string' || Buffer.isBuffer(body) ? digest(body) : { json: body, files: files?.map(({ size }) => size) ?? null } };
});
`,
  'steps/matched.step.ts': `import { http, HttpError, queue, step } from 'treadle';
export default step({ name: 'Matched', triggers: [http('POST', '/matched'), queue('like:post/a', { config: { maxAttempts: 1 } })], enqueues: ['like:post/a'] }, (_input, ctx) => ctx.match({
  http: async ({ body }) => { await ctx.enqueue({ topic: 'like:post/a', data: body }); return { status: 202 }; },
  queue: async (data) => {
    if ((data as { fail?: boolean }).fail) throw new HttpError(404, 'no such post');
    await ctx.state.set('likes', 'last', data);
  },
}));
`,
  'steps/likes.step.ts': `import { http, step } from 'treadle';
export default step({ name: 'Likes', triggers: [http('GET', '/likes')] }, async (_input, { state }) => ({ status: 200, body: await state.get('likes', 'last') }));
`,
  'steps/drawn.step.ts': `export const config = { name: 'Customer', virtualEnqueues: ['order.placed'], flows: ['orders'] };\n`,
  'steps/noop.step.ts': `export const config = { type: 'noop', name: 'Warehouse', virtualSubscribes: ['order.placed'], flows: ['orders'] };\n`,
  'steps/bare.step.ts': `export const config = { name: 'Bare', triggers: [] };\n`,
};

const PYTHON: Files = {
  'steps/results_step.py': `from treadle import HttpError, http, step

def raising(error): raise error
def foreign(words, **members):
    error = Exception(words)
    for name, value in members.items(): setattr(error, name, value)
    return error
async def pieces():
    yield "a"
    yield b"b"
async def soon(value): return value

MAKE = {
    "file": lambda: {"status": 200, "body": open("public/secret.txt", "rb")}, "bare": lambda: open("public/secret.txt", "rb"),
    "pieces": lambda: {"status": 200, "body": pieces()}, "web": lambda: {"status": 200, "body": (piece for piece in ("a", b"b"))},
    "blob": lambda: {"status": 200, "body": memoryview(b"ab"), "headers": {"content-type": "text/x-own"}}, "bytes": lambda: {"status": 200, "body": bytearray(b"ab")},
    "awaited": lambda: {"status": 200, "body": soon({"n": 1})}, "misspelt": lambda: {"status": 200, "boddy": 1}, "hidden": lambda: {"status": 200, "body": {"file": open("public/secret.txt")}},
    "response": lambda: {"status": 201, "body": iter(["a", "b"]), "headers": {"content-type": "text/html", "set-cookie": ["a=1", "b=2"]}},
    "missing": lambda: raising(HttpError(404, "no such ticket", {"x-why": "gone"})), "taken": lambda: raising(HttpError(409, {"taken": True})),
    "busy": lambda: raising(HttpError(503, "not now")), "foreign": lambda: raising(foreign("secret words", status_code=403)),
    "exposed": lambda: raising(foreign("shown words", status=400, expose=True)), "broken": lambda: raising(foreign("secret words", status=500)),
}

def handler(input): return MAKE[input.path_params["kind"]]()

step({"name": "Results", "triggers": [http("GET", "/results/:kind")]}, handler)
`,
  'steps/guarded_step.py': `from treadle import HttpError, http

async def refuse(*_): raise HttpError(401, "who are you?")
config = {"name": "Guarded", "triggers": [http("GET", "/by-middleware", middleware=refuse), http("GET", "/by-condition", condition=refuse)]}
def handler(): return None
`,
  'steps/bodies_step.py': `import hashlib
from treadle import http

config = {"name": "Bodies", "triggers": [http("POST", "/bodies"), http("HEAD", "/own-head"), http("GET", "/site/*rest")]}
def handler(input):
    if input.method == "HEAD": return {"status": 200, "headers": {"x-own": "yes"}}
    if "rest" in input.path_params: return {"status": 200, "body": input.path_params}
    body = input.body
    if isinstance(body, bytes): return {"status": 200, "body": "bytes " + hashlib.sha1(body).hexdigest()}
    if isinstance(body, str): return {"status": 200, "body": "text " + hashlib.sha1(body.encode()).hexdigest()}
    return {"status": 200, "body": {"json": body, "files": [file.size for file in input.files] if input.files else None}}
`,
  'steps/matched_step.py': `from treadle import HttpError, http, queue

config = {"name": "Matched", "triggers": [http("POST", "/matched"), queue("like:post/a", config={"max_attempts": 1})], "enqueues": ["like:post/a"]}

async def handler(input, ctx):
    async def on_request(request, context):
        await context.enqueue(topic="like:post/a", data=request.body)
        return {"status": 202}
    async def on_message(data):
        if data.get("fail"): raise HttpError(404, "no such post")
        await ctx.state.set("likes", "last", data)
    return await ctx.match(http=on_request, queue=on_message)
`,
  'steps/likes_step.py': `config = {"name": "Likes", "triggers": [{"type": "http", "method": "GET", "path": "/likes"}]}
def handler(input, ctx): return {"status": 200, "body": ctx.state.get("likes", "last")}
`,
  'steps/drawn_step.py': 'config = {"name": "Customer", "virtual_enqueues": ["order.placed"], "flows": ["orders"]}\n',
  'steps/noop_step.py': 'config = {"type": "noop", "name": "Warehouse", "virtual_subscribes": ["order.placed"], "flows": ["orders"]}\n',
  'steps/bare_step.py': 'config = {"name": "Bare", "triggers": []}\n',
};

interface Said { readonly status: number; readonly headers: Headers; readonly text: string; readonly json: Record<string, unknown> }

for (const [language, steps] of [['TypeScript', TYPESCRIPT], ['Python', PYTHON]] as const) {
  describe(`what people return, throw and send, in ${language}`, function () {
    this.timeout(120_000);
    let url: string;
    let engine: EngineProcess;
    before(async () => {
      engine = new EngineProcess({ cwd: tempApplication({ ...COMMON, ...steps }), args: ['--config', 'config.yaml'], env: { NODE_ENV: 'production' } });
      url = await engine.ready();
    });
    after(stopAllEngines);

    const call = async (path: string, init: RequestInit = {}): Promise<Said> => {
      const response = await fetch(url + path, { redirect: 'manual', ...init });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') === true;
      return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) as Record<string, unknown> : {} };
    };
    const send = async (body: Uint8Array | string, headers: Record<string, string>): Promise<Said> =>
      call('/bodies', { method: 'POST', headers, body: Buffer.from(body as string) });

    const answers: readonly [string, number, string, string][] = [
      ['file', 200, 'the file', 'application/octet-stream'], ['bare', 200, 'the file', 'application/octet-stream'], ['pieces', 200, 'ab', 'application/octet-stream'],
      ['web', 200, 'ab', 'application/octet-stream'], ['blob', 200, 'ab', 'text/x-own'], ['bytes', 200, 'ab', 'application/octet-stream'],
      ['awaited', 200, '{"n":1}', 'application/json; charset=utf-8'], ['response', 201, 'ab', 'text/html'],
    ];
    for (const [kind, status, text, type] of answers) {
      it(`serves a result of kind ${kind}`, async () => {
        const said = await call(`/results/${kind}`);
        expect([said.status, said.text, said.headers.get('content-type')]).to.deep.equal([status, text, type]);
        if (kind === 'response') expect(said.headers.getSetCookie()).to.deep.equal(['a=1', 'b=2']);
      });
    }

    it('never tells the path of a file that is hidden in JSON', async () => {
      const said = await call('/results/hidden');
      expect([said.status, said.json['code']]).to.deep.equal([500, 'invalid_handler_result']);
      expect(said.text).to.not.contain('secret.txt');
    });

    it('logs a misspelt key of a result, once, and answers', async () => {
      for (let round = 0; round < 3; round++) expect((await call('/results/misspelt')).status).to.equal(200);
      await waitUntil('the warning', () => engine.output.includes('did you mean \\"body\\"?') || engine.output.includes('did you mean "body"?'));
      expect(engine.output.split('a result has a key that means nothing')).to.have.length(2);
    });

    const thrown: readonly [string, number, object][] = [
      ['missing', 404, { error: 'no such ticket', code: 'not_found' }], ['taken', 409, { taken: true }], ['busy', 503, { error: 'not now', code: 'service_unavailable' }],
      ['foreign', 403, { error: 'Forbidden', code: 'forbidden' }], ['exposed', 400, { error: 'shown words', code: 'bad_request' }],
      ['broken', 500, { error: 'Internal Server Error', code: 'unhandled_exception' }],
    ];
    for (const [kind, status, body] of thrown) {
      it(`answers an error of kind ${kind} with ${status}`, async () => {
        const said = await call(`/results/${kind}`);
        const own = 'code' in body ? { ...body, traceId: said.headers.get('x-trace-id') } : body;
        expect([said.status, said.json]).to.deep.equal([status, own]);
        if (kind === 'missing') expect(said.headers.get('x-why')).to.equal('gone');
      });
    }

    it('answers errors of middleware and conditions, and logs none of the client\'s faults', async () => {
      for (const path of ['/by-middleware', '/by-condition']) expect((await call(path)).json).to.include({ error: 'who are you?', code: 'unauthorized' });
      await waitUntil('the record of the fault', () => engine.output.includes('not now'));
      expect(engine.output).to.not.contain('no such ticket').and.not.contain('who are you?');
    });

    it('takes bodies of every type, in place and too large for a message, plain and encoded', async () => {
      const image = Buffer.alloc(300_000, 7);
      const plain = await send(image, { 'content-type': 'image/png' });
      expect(plain.json).to.match(/^bytes /);
      expect((await send(gzipSync(image), { 'content-type': 'image/png', 'content-encoding': 'gzip' })).json).to.equal(plain.json);
      const small = await send('ab', { 'content-type': 'application/pdf' });
      expect(small.json).to.equal('bytes da23614e02469a0d7c7bd1bdab5c9c474b1904dc');
      for (const type of ['application/xml', 'application/x-ndjson', 'text/csv']) expect((await send('ab', { 'content-type': type })).json).to.match(/^text da23/);
      expect((await send('{"a":1}', { 'content-type': 'application/vnd.api+json' })).json).to.deep.include({ json: { a: 1 } });
      expect((await send(brotliCompressSync('{"a":1}'), { 'content-type': 'application/json', 'content-encoding': 'br' })).json).to.deep.include({ json: { a: 1 } });
      const form = `--b\r\ncontent-disposition: form-data; name="f"; filename="a.bin"\r\n\r\n${'x'.repeat(300_000)}\r\n--b--\r\n`;
      expect((await send(gzipSync(form), { 'content-type': 'multipart/form-data; boundary=b', 'content-encoding': 'gzip' })).json).to.deep.include({ files: [300_000] });
    });

    it('takes a body without a content type as bytes', async () => {
      const response = await fetch(`${url}/bodies`, { method: 'POST', body: new Blob(['ab']) });
      expect(await response.json()).to.equal('bytes da23614e02469a0d7c7bd1bdab5c9c474b1904dc');
    });

    it('refuses bombs with 413, broken encodings with 400 and unknown ones with 415', async () => {
      const json = { 'content-type': 'application/json' };
      expect((await send(gzipSync(Buffer.alloc(100_000_000, 32)), { ...json, 'content-encoding': 'gzip' })).status).to.equal(413);
      expect((await send('no gzip', { ...json, 'content-encoding': 'gzip' })).status).to.equal(400);
      expect((await send('x', { ...json, 'content-encoding': 'zstd' })).status).to.equal(415);
    });

    it('runs a HEAD route of its own, matches the empty rest and sends pages their fallback', async () => {
      expect((await call('/own-head', { method: 'HEAD' })).headers.get('x-own')).to.equal('yes');
      for (const path of ['/site/', '/site']) expect((await call(path)).json).to.deep.equal({ rest: '' });
      expect((await call('/app/settings', { headers: { accept: 'text/html' } })).text).to.equal('<h1>app</h1>');
    });

    it('delivers by topics with colons and slashes to branches that return nothing, where HttpError is an ordinary error', async () => {
      const post = (body: object): Promise<Said> => call('/matched', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
      expect((await post({ n: 1 })).status).to.equal(202);
      await waitUntil('the message', async () => (await call('/likes')).text === '{"n":1}');
      await post({ fail: true });
      const admin = new AdminClient(engine);
      const letters = await waitUntil('the dead letter', async () => {
        const { items } = await admin.call<{ items: readonly { topic: string }[] }>('GET', `/queues/dead-letters?topic=${encodeURIComponent('like:post/a')}`);
        return items.length > 0 ? items : undefined;
      });
      expect(letters.map(({ topic }) => topic)).to.deep.equal(['like:post/a']);
    });

    it('knows Steps that are only drawn, and finds nothing wrong with them', async () => {
      const found = await new AdminClient(engine).call<{ diagnostics: readonly unknown[] }>('GET', '/steps');
      expect(found.diagnostics).to.deep.equal([]);
      expect(JSON.stringify(found)).to.contain('"Customer"').and.contain('"Warehouse"').and.contain('"Bare"');
    });
  });
}
