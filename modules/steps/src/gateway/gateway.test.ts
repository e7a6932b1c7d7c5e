import { once } from 'node:events';
import { connect } from 'node:net';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { connect as connectTls } from 'node:tls';
import { join } from 'node:path';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { failure, HELLO, request, type StartOptions, TestSteps, TestWorker, until } from '../steps.fixture.js';
import { LocalEndpoint } from './local-endpoint.js';

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
    this.timeout(180_000);
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

  describe('says once of each peer', () => {
    const complaints = (): unknown[] => steps.logged.filter(({ message }) => message.startsWith('a peer')).map(({ fields }) => fields);

    it('what it spoke, and tells it why it is closed', async () => {
      await start();
      for (let count = 0; count < 3; count++) {
        const worker = await steps.connect();
        worker.socket.send('GET secret of more than thirty-two characters');
        expect(await worker.next('refused')).to.deep.equal({
          type: 'refused', code: 'bad_message', message: 'a frame is a JSON array of messages; this one begins with "GET secret of more than thirty-t"',
        });
        expect(await worker.closed).to.equal(4004);
      }
      expect(complaints()).to.deep.equal([{ peer: '127.0.0.1', fault: 'a frame is a JSON array of messages; this one begins with "GET secret of more than thirty-t"' }]);
    });

    it('which message was no hello, or which one of a session is unknown', async () => {
      await start();
      (await steps.connect()).send({ type: 'register' });
      (await steps.connect()).send(HELLO);
      (await steps.worker({ A: '/a' })).send({ type: 'zzz' });
      await until(() => complaints().length === 3);
      expect(complaints().map((fields) => (fields as { fault: string }).fault)).to.have.members([
        'the first message is a "hello", not "register"', 'a "hello" lacks a member, or has one of another type',
        'a message "zzz" that this side of the channel does not know, or with other members than it has',
      ]);
    });

    it("that it speaks as another engine's workers do", async () => {
      await start();
      const worker = await steps.connect();
      worker.socket.send('{"type":"registerfunction","id":"1"}');
      expect((await worker.next('refused')).message).to.equal(
        'a frame is a JSON array of messages; this one is a single message of type "registerfunction", as workers of other engines send it');
      expect(complaints()).to.have.length(1);
    });

    it('that it wants TLS', async () => {
      await start();
      const { port, hostname } = new URL((steps.announced.get('worker-tcp') ?? '').replace('ws', 'http'));
      const secure = connectTls({ port: Number(port), host: hostname });
      await once(secure, 'error');
      expect(complaints()).to.deep.equal([{ peer: '127.0.0.1', fault: 'a TLS handshake; this port has no TLS, which ends in front of the engine' }]);
    });

    it('that it speaks plain HTTP, or no HTTP at all', async () => {
      await start();
      const url = new URL((steps.announced.get('worker-tcp') ?? '').replace('ws', 'http'));
      await (await fetch(url)).text();
      const raw = connect(Number(url.port), url.hostname);
      raw.write('SSH-2.0-OpenSSH_9.9\r\n\r\n');
      let answer = '';
      raw.on('data', (data: Buffer) => { answer += data.toString(); });
      await once(raw, 'close');
      expect(answer).to.match(/^HTTP\/1.1 400 [^]*it speaks WebSocket only/);
      expect(complaints()).to.deep.equal([
        { peer: '127.0.0.1', fault: 'a plain HTTP request (GET)' },
        { peer: '127.0.0.1', fault: 'no HTTP (HPE_INVALID_METHOD); it begins with "SSH-2.0-OpenSSH_9.9\\r\\n\\r\\n"' },
      ]);
    });
  });

  it('lets workers in, over TCP and the unix socket, while more strangers than it holds keep their places', async function slow() {
    this.timeout(120_000);
    await start();
    const strangers: TestWorker[] = [];
    for (let portion = 0; portion < 15; portion++) strangers.push(...await Promise.all(Array.from({ length: 100 }, () => steps.connect())));
    for (const where of ['worker', 'worker-tcp'] as const) await (await steps.connect(where)).hello(await steps.token());
    expect(strangers.filter(({ socket }) => socket.readyState === WebSocket.OPEN)).to.have.length.within(1, 1_024);
    for (const { socket } of strangers) socket.terminate();
  });

  it('closes with 4009 when a frame is larger than 16 MiB', async () => {
    await start();
    const worker = await steps.worker({ A: '/a' });
    worker.socket.send(Buffer.alloc(17 * 1024 * 1024, 32).toString());
    expect(await worker.closed).to.equal(4009);
  });

  it('is not hurt by a million frames of garbage', async function slow() {
    this.timeout(180_000);
    await start();
    const good = await steps.worker({ A: '/a' });
    const port = Number(new URL(steps.announced.get('worker-tcp') ?? '').port);
    const flood = connect(port, '127.0.0.1');
    flood.on('error', () => undefined);
    flood.write('GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n');
    await once(flood, 'data');
    const gone = new Promise((resolve) => { flood.once('close', resolve); }); // with or without a reset
    const thousand = Buffer.concat(Array.from({ length: 1000 }, () => Buffer.from([0x81, 0x83, 0, 0, 0, 0, 0x78, 0x78, 0x78])));
    for (let i = 0; i < 1000 && !flood.destroyed; i++) {
      if (!flood.write(thousand)) await Promise.race([once(flood, 'drain').catch(() => undefined), gone]);
    }
    await gone;
    const answer = steps.dispatch.invoker.invoke(request());
    const invoke = await good.next('invoke');
    good.send({ type: 'result', id: invoke.id, http: { status: 200 } });
    expect(await answer).to.deep.equal({ http: { status: 200 } });
  });

  it('says what has the place of its socket, and leaves that', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'treadle-gateway-'));
    await mkdir(join(dataDir, 'worker.sock', 'kept'), { recursive: true });
    const error = await failure(new LocalEndpoint().open(undefined as never, dataDir)) as Error & { code: string };
    expect(error).to.include({ code: 'FILE_NOT_WRITABLE', exitCode: 74, hint: 'something else has its place: look at that, then move it away' });
    expect((await stat(join(dataDir, 'worker.sock', 'kept'))).isDirectory()).to.equal(true);
    await rm(dataDir, { recursive: true });
  });

  it('ends with the engine: sockets, socket file and token file are gone', async () => {
    await start();
    const worker = await steps.worker({ A: '/a' });
    await steps.stop();
    expect(await worker.closed).to.equal(1001);
    expect((await failure(TestWorker.connect(steps.announced.get('worker-tcp') ?? ''))).code).to.equal('ECONNREFUSED');
    expect((await failure(stat(join(steps.dataDir, 'worker.sock')))).code).to.equal('ENOENT');
  });
});
