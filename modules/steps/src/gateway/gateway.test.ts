import { once } from 'node:events';
import { connect } from 'node:net';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { failure, HELLO, request, type StartOptions, TestSteps, TestWorker, until } from '../steps.fixture.js';

describe('the worker gateway', () => {
  let steps: TestSteps;
  const start = async (options: StartOptions = {}): Promise<void> => { steps = await TestSteps.start(options); };
  afterEach(() => steps.stop());

  describe('lets in', () => {
    it('a worker with the token of worker.token, over TCP and over the unix socket', async () => {
      await start();
      for (const where of ['worker', 'worker-tcp'] as const) {
        const worker = await steps.connect(where);
        worker.send({ ...HELLO, token: await steps.token() });
        expect(await worker.next('welcome')).to.deep.include({
          protocol: 1, engineVersion: '0.0.0', mode: 'production', heartbeatMs: 5000, credits: { request: 1024, delivery: 100 },
        });
      }
      expect(steps.announced.get('worker')).to.equal(`ws+unix:${steps.dataDir}/worker.sock:/`);
    });

    it('a worker with the configured token, which it writes down as well', async () => {
      await start({ config: { token: 'a-configured-token' } });
      expect(await steps.token()).to.equal('a-configured-token');
      await (await steps.connect()).hello('a-configured-token');
    });

    it('nobody else of this machine: socket and token file belong to the user alone', async () => {
      await start();
      for (const file of ['worker.sock', 'worker.token']) expect((await stat(join(steps.dataDir, file))).mode & 0o777).to.equal(0o600);
      expect(await steps.token()).to.have.length(32);
    });
  });

  describe('refuses', () => {
    beforeEach(() => start());

    it('a wrong token, with 4001', async () => {
      const worker = await steps.connect();
      worker.send({ ...HELLO, token: 'wrong' });
      expect((await worker.next('refused')).code).to.equal('bad_token');
      expect(await worker.closed).to.equal(4001);
    });

    it('a hello without token, with 4004', async () => {
      const worker = await steps.connect();
      worker.send(HELLO);
      expect(await worker.closed).to.equal(4004);
    });

    it('another protocol version, with 4002', async () => {
      const worker = await steps.connect();
      worker.send({ ...HELLO, token: await steps.token(), protocol: 2 });
      expect((await worker.next('refused')).message).to.equal(
        'this engine speaks protocol 1, the worker 2; install the same version of both');
      expect(await worker.closed).to.equal(4002);
    });

    it('a child that this engine did not start', async () => {
      const worker = await steps.connect();
      worker.send({ ...HELLO, token: await steps.token(), childId: 'node-0-1' });
      expect((await worker.next('refused')).code).to.equal('unknown_child');
    });

    it('a heartbeat for an unknown session', async () => {
      const worker = await steps.connect();
      worker.send({ ...HELLO, role: 'heartbeat', token: await steps.token(), session: 'w0' });
      expect((await worker.next('refused')).code).to.equal('unknown_session');
    });

    it('an upgrade with an Origin, with 403', async () => {
      const socket = new WebSocket(steps.announced.get('worker-tcp') ?? '', { origin: 'http://127.0.0.1:3111' });
      const [error] = await once(socket, 'error') as [Error];
      expect(error.message).to.equal('Unexpected server response: 403');
    });

    it('plain HTTP, with 426', async () => {
      const url = (steps.announced.get('worker-tcp') ?? '').replace('ws:', 'http:');
      const response = await fetch(url);
      expect(response.status).to.equal(426);
      await response.text();
    });
  });

  it('closes with 4003 when no hello comes within 5 s', async function slow() {
    this.timeout(10_000);
    await start();
    const worker = await steps.connect();
    expect(await worker.closed).to.equal(4003);
  });

  describe('ends a session that breaks the protocol, with 4004:', () => {
    beforeEach(() => start());
    const frames: readonly (readonly [string, string | Buffer])[] = [
      ['no JSON', '[{'], ['no array', '{"type":"pong"}'], ['an empty array', '[]'], ['a message without type', '[{"id":1}]'],
      ['an unknown type', '[{"type":"zzz"}]'], ['a message of the engine', '[{"type":"invoke","id":1}]'], ['binary', Buffer.from('[]')],
      ['a result without id', '[{"type":"result"}]'], ['a status that is no number', '[{"type":"result","id":1,"http":{"status":"200"}}]'],
      ['a body of an unknown kind', '[{"type":"result","id":1,"http":{"status":200,"body":{"kind":"x"}}}]'],
      ['a failure without code', '[{"type":"error","id":1,"message":"m"}]'], ['a call without operation', '[{"type":"call","call":1,"id":1}]'],
      ['a log at no time', '[{"type":"log","time":1e300,"level":"info","message":"m"}]'],
      ['a log of an unknown level', '[{"type":"log","time":1,"level":"loud","message":"m"}]'],
      ['a chunk without stream', '[{"type":"chunk","data":""}]'], ['a credit that is negative', '[{"type":"credit","stream":1,"chunks":-1}]'],
      ['a registration without reports', '[{"type":"register","complete":true}]'],
      ['a report without file', '[{"type":"register","complete":true,"reports":[{"steps":[]}]}]'],
    ];
    for (const [name, frame] of frames) {
      it(name, async () => {
        const worker = await steps.worker({ A: '/a' });
        worker.socket.send(frame, { binary: Buffer.isBuffer(frame) });
        expect(await worker.closed).to.equal(4004);
        await until(() => steps.module.sessions().length === 0);
      });
    }

    it('a registration nested deeper than can be written down', async () => {
      const worker = await steps.worker({ A: '/a' });
      const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
      worker.socket.send(`[{"type":"register","complete":true,"reports":[{"file":"f","steps":[{"config":{"name":"D","triggers":[],"flows":${deep}}}]}]}]`);
      expect(await worker.closed).to.equal(4004);
    });
  });

  it('closes with 4009 when a frame is larger than 16 MiB', async () => {
    await start();
    const worker = await steps.worker({ A: '/a' });
    worker.socket.send(Buffer.alloc(17 * 1024 * 1024, 32).toString());
    expect(await worker.closed).to.equal(4009);
  });

  it('is not hurt by a million frames of garbage', async function slow() {
    this.timeout(60_000);
    await start();
    const good = await steps.worker({ A: '/a' });
    const port = Number(new URL(steps.announced.get('worker-tcp') ?? '').port);
    const flood = connect(port, '127.0.0.1');
    flood.on('error', () => undefined);
    flood.write('GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n');
    await once(flood, 'data');
    const gone = once(flood, 'close');
    const thousand = Buffer.concat(Array.from({ length: 1000 }, () => Buffer.from([0x81, 0x83, 0, 0, 0, 0, 0x78, 0x78, 0x78])));
    for (let i = 0; i < 1000 && !flood.destroyed; i++) {
      if (!flood.write(thousand)) await Promise.race([once(flood, 'drain').catch(() => undefined), gone]);
    }
    await gone;
    const answer = steps.hub.invoke(request());
    const invoke = await good.next('invoke');
    good.send({ type: 'result', id: invoke.id, http: { status: 200 } });
    expect(await answer).to.deep.equal({ http: { status: 200 } });
  });

  it('ends with the engine: sockets, socket file and token file are gone', async () => {
    await start();
    const worker = await steps.worker({ A: '/a' });
    await steps.stop();
    expect(await worker.closed).to.equal(1001);
    expect((await failure(TestWorker.connect(steps.announced.get('worker-tcp') ?? ''))).code).to.equal('ECONNREFUSED');
    expect((await failure(stat(join(steps.dataDir, 'worker.sock')))).code).to.equal('ENOENT');
  });

  describe('carries', () => {
    let worker: TestWorker;
    beforeEach(async () => {
      await start({ operations: [{ name: 'kv.get', summary: '' }] });
      worker = await steps.worker({ A: '/a' });
    });

    it('a call there and its result back, one frame per turn', async () => {
      const frames: string[] = [];
      worker.socket.on('message', (data: Buffer) => frames.push(data.toString()));
      const answers = [steps.hub.invoke(request()), steps.hub.invoke(request({ input: 2 }))];
      const first = await worker.next('invoke');
      const second = await worker.next('invoke');
      expect(frames).to.have.length(1);
      expect(first).to.deep.equal({
        type: 'invoke', id: first.id, step: 'A', trigger: { type: 'http', index: 0 }, input: { method: 'GET' },
        traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, timeoutMs: 5000, attempt: 1,
      });
      worker.send(
        { type: 'result', id: second.id },
        { type: 'result', id: first.id, http: { status: 201, headers: { a: 'b' }, body: { kind: 'json', value: { x: 1 } } } },
        { type: 'result', id: 999 },
      );
      expect(await Promise.all(answers)).to.deep.equal([{ http: { status: 201, headers: { a: 'b' }, body: { kind: 'json', value: { x: 1 } } } }, {}]);
    });

    it('bytes as base64', async () => {
      const answer = steps.hub.invoke(request());
      const { id } = await worker.next('invoke');
      worker.send({ type: 'result', id, http: { status: 200, body: { kind: 'base64', value: 'aGk=' } } });
      expect((await answer).http?.body).to.deep.equal({ kind: 'bytes', value: Buffer.from('hi') });
    });

    it('a failure with what the handler threw', async () => {
      const answer = failure(steps.hub.invoke(request()));
      const { id } = await worker.next('invoke');
      worker.send({ type: 'error', id, code: 'unhandled_exception', message: 'boom', name: 'TypeError', stack: 's', nonRetryable: true, retryAfterMs: 5 });
      expect(await answer).to.deep.include({
        code: 'unhandled_exception', message: 'boom', detail: { errorName: 'TypeError', stack: 's', nonRetryable: true, retryAfterMs: 5 },
      });
    });

    it('streams in both directions, within their credits', async () => {
      const body = Readable.from(Array.from({ length: 40 }, () => Buffer.alloc(64 * 1024, 'x')));
      const answer = steps.hub.invoke(request({ streams: [body], input: { body: { kind: 'stream', stream: 0, as: 'bytes' } } }));
      const { id, streams } = await worker.next('invoke');
      const up = streams?.[0] ?? -1;
      expect(up % 2).to.equal(0);
      let bytes = 0;
      for (let chunks = 1; ; chunks++) {
        const chunk = await worker.next('chunk');
        bytes += Buffer.from(chunk.data, 'base64').length;
        if (chunk.end) break;
        expect(chunks).to.be.lessThan(42);
        if (chunks % 8 === 0) worker.send({ type: 'credit', stream: up, chunks: 8 });
      }
      expect(bytes).to.equal(40 * 64 * 1024);
      worker.send({ type: 'result', id, http: { status: 200, body: { kind: 'stream', stream: 1 } } }, { type: 'chunk', stream: 1, data: 'aGVs' });
      worker.send({ type: 'chunk', stream: 1, data: 'bG8=', end: true });
      expect(await text((await answer).http?.stream as Readable)).to.equal('hello');
    });

    it('a large JSON value as a stream that is put together again', async () => {
      const answer = steps.hub.invoke(request());
      const { id } = await worker.next('invoke');
      worker.send({ type: 'result', id, http: { status: 200, body: { kind: 'stream', stream: 1, as: 'json' } } });
      worker.send({ type: 'chunk', stream: 1, data: Buffer.from('{"a":').toString('base64') }, { type: 'chunk', stream: 1, data: Buffer.from('1}').toString('base64'), end: true });
      expect((await answer).http).to.deep.equal({ status: 200, body: { kind: 'json', value: { a: 1 } } });
    });

    it('a stream whose reader leaves: the worker is told to drop it', async () => {
      const answer = steps.hub.invoke(request());
      const { id } = await worker.next('invoke');
      worker.send({ type: 'result', id, http: { status: 200, body: { kind: 'stream', stream: 1 } } });
      (await answer).http?.stream?.destroy();
      expect(await worker.next('credit')).to.deep.equal({ type: 'credit', stream: 1, chunks: 0 });
    });

    it('operations of a running call, and refuses those of others', async () => {
      steps.hub.bindOperation('kv.get', (args) => Promise.resolve({ got: args }));
      const answer = steps.hub.invoke(request());
      const { id } = await worker.next('invoke');
      worker.send({ type: 'call', call: 1, id, op: 'kv.get', args: 'k' }, { type: 'call', call: 2, id: id + 5, op: 'kv.get' });
      const replies = [await worker.next('reply'), await worker.next('reply')].sort((a, b) => a.call - b.call);
      expect(replies[0]).to.deep.equal({ type: 'reply', call: 1, value: { got: 'k' } });
      expect(replies[1]?.error?.code).to.equal('StaleDelivery');
      worker.send({ type: 'result', id });
      await answer;
    });

    it('the error of an operation whose result cannot be written', async () => {
      steps.hub.bindOperation('kv.get', () => Promise.resolve(10n));
      void steps.hub.invoke(request()).catch(() => undefined);
      const { id } = await worker.next('invoke');
      worker.send({ type: 'call', call: 1, id, op: 'kv.get' });
      expect((await worker.next('reply')).error?.code).to.equal('UNWRITABLE_RESULT');
    });

    it('only the failure of a call whose input cannot be written', async () => {
      const good = steps.hub.invoke(request());
      expect((await failure(steps.hub.invoke(request({ input: 10n })))).message).to.match(/^the input cannot be written as JSON/);
      const { id } = await worker.next('invoke');
      worker.send({ type: 'result', id });
      expect(await good).to.deep.equal({});
    });

    it('a cancellation, and ignores the result that crosses it', async () => {
      const wanted = request();
      const answer = failure(steps.hub.invoke(wanted));
      const { id } = await worker.next('invoke');
      steps.hub.cancel(wanted, 'client_gone');
      expect(await worker.next('cancel')).to.deep.equal({ type: 'cancel', id, reason: 'client_gone' });
      worker.send({ type: 'result', id, http: { status: 200, body: { kind: 'stream', stream: 3 } } });
      expect(await worker.next('credit')).to.deep.equal({ type: 'credit', stream: 3, chunks: 0 });
      expect((await answer).code).to.equal('cancelled');
    });

    it('log records in the name of their call', async () => {
      void steps.hub.invoke(request()).catch(() => undefined);
      const { id } = await worker.next('invoke');
      worker.send({ type: 'log', id, time: 0, level: 'warn', message: 'hi', fields: { a: 1 } }, { type: 'log', time: 0, level: 'info', message: 'out' });
      await until(() => steps.records.length === 2);
      expect(steps.records[0]).to.deep.include({ level: 'warn', message: 'hi', stepName: 'A', traceId: 'a'.repeat(32), fields: { a: 1 } });
      expect(steps.records[1]).to.deep.include({ message: 'out', stepName: '' });
    });

    it('the loss of a worker: its calls fail at once and its streams break', async () => {
      const streaming = steps.hub.invoke(request());
      const { id } = await worker.next('invoke');
      worker.send({ type: 'result', id, http: { status: 200, body: { kind: 'stream', stream: 1 } } });
      const stream = (await streaming).http?.stream as Readable;
      const broken = failure(text(stream));
      const waiting = failure(steps.hub.invoke(request()));
      worker.socket.terminate();
      expect((await waiting).code).to.equal('worker_lost');
      expect((await broken).message).to.match(/^the worker was lost/);
    });
  });
});
