import { Agent } from 'node:http';
import { createServer } from 'node:net';
import { Readable } from 'node:stream';
import { adapterSpecOf, HttpPort, injectionsOf, moduleSpecOf, TreadleError } from '@treadle/api';
import { expect } from 'chai';
import plugin, { HttpModule } from './index.js';
import { LogLines, type RunningModule, runModule, withDefaults } from './module-run.fixture.js';
import { call, openRaw, until } from './raw-client.fixture.js';

const drainContext = (ms: number): { log: LogLines; deadline: number; signal: AbortSignal } =>
  ({ log: new LogLines(), deadline: Date.now() + ms, signal: AbortSignal.timeout(ms) });

describe('HttpModule', () => {
  it('is declared under its class name and the alias', () => {
    const spec = moduleSpecOf(HttpModule)!;
    expect(spec).to.deep.include({ id: 'modules::http::HttpModule', aliases: ['modules::api::RestApiModule'], provides: [HttpPort] });
    expect(spec.triggerKinds!.map(({ type }) => type)).to.deep.equal(['http']);
    expect(adapterSpecOf(HttpModule)).to.equal(undefined);
    expect(plugin.modules).to.deep.equal([HttpModule]);
    expect(injectionsOf(HttpModule)).to.have.length(9).and.not.include(undefined);
  });

  it('describes every setting', () => {
    for (const [key, schema] of Object.entries(moduleSpecOf(HttpModule)!.config.properties!)) expect(schema.description, key).to.be.a('string');
    expect(withDefaults()).to.include({ host: '127.0.0.1', body_limit_bytes: 1_048_576, handler_timeout_ms: 30_000, concurrency_request_limit: 1024 });
  });

  it('announces where it listens and provides its port', async () => {
    const run = await runModule();
    expect(run.announced.get('http')).to.equal(run.url).and.match(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(run.module.ports()).to.deep.equal([{ token: HttpPort, value: run.module }]);
    await run.stop();
    expect(run.module.address).to.equal(undefined);
  });

  it('names the setting when the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await until(() => other.listening);
    const { port } = other.address() as { port: number };
    const error: unknown = await runModule({ config: { port } }).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(TreadleError).and.include({
      code: 'ADDRESS_IN_USE', message: `address 127.0.0.1:${port} is already in use`, hint: 'free it or change modules[0].config.port', exitCode: 69,
    });
    other.close();
  });

  it('names the setting when the address is not its own, and falls back to no other', async () => {
    const error: unknown = await runModule({ config: { host: '192.0.2.1' } }).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(TreadleError).and.include({
      code: 'ADDRESS_REFUSED', message: 'cannot listen on 192.0.2.1:0: EADDRNOTAVAIL', hint: 'change modules[0].config.host',
    });
  });

  it('may be stopped before it was started, and twice', async () => {
    const run = await runModule();
    await run.stop();
    await run.stop();
    const fresh = new HttpModule(run.hub, run.hub, run.hub, undefined as never, run.health, run.log, [], withDefaults());
    await fresh.stop();
    await fresh.drain(drainContext(10));
  });

  it('gives its port back at once', async () => {
    const first = await runModule();
    const { port } = first;
    await first.stop();
    const second = await runModule({ config: { port } });
    expect(second.port).to.equal(port);
    await second.stop();
  });

  it('leaves no timers or handles behind', async () => {
    const before = process.getActiveResourcesInfo().filter((name) => name !== 'Timeout').length;
    const run = await runModule();
    await call(`${run.url}/health`);
    await run.stop();
    await until(() => process.getActiveResourcesInfo().filter((name) => name !== 'Timeout').length <= before);
  });
});

describe('Draining', () => {
  let run: RunningModule;
  let release: (() => void) | undefined;
  beforeEach(async () => {
    release = undefined;
    run = await runModule();
    run.hub.add({ method: 'GET', path: '/fast' }, () => ({ status: 200 }));
    run.hub.add({ method: 'GET', path: '/slow' }, () => new Promise((resolve) => {
      release = () => resolve({ status: 200, body: { kind: 'text', value: 'done' } });
    }));
  });
  afterEach(() => run.stop());

  const startDraining = (): void => {
    run.health.draining = true;
    run.health.current = { status: 'draining' };
  };

  it('goes on serving with Connection: close while health says so', async () => {
    startDraining();
    const response = await call(`${run.url}/fast`, { agent: new Agent({ keepAlive: true }) });
    expect(response.status).to.equal(200);
    expect(response.headers.connection).to.equal('close');
    for (const path of ['/none', '/health']) {
      expect((await call(run.url + path, { agent: new Agent({ keepAlive: true }) })).headers.connection, path).to.equal('close');
    }
    expect((await call(`${run.url}/health`)).text).to.equal('{"status":"draining"}');
  });

  it('leaves idle connections open until it drains', async () => {
    const socket = await openRaw(run.port);
    let closed = false;
    socket.on('close', () => {
      closed = true;
    });
    socket.write('GET /fast HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    startDraining();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(closed).to.equal(false);
    await run.module.drain(drainContext(2000));
    await until(() => closed);
  });

  it('waits for running requests, whose answers close their connections, and accepts no new ones', async () => {
    const slow = call(`${run.url}/slow`, { agent: new Agent({ keepAlive: true }) });
    await until(() => release !== undefined);
    startDraining();
    let drained = false;
    const draining = run.module.drain(drainContext(60_000)).then(() => {
      drained = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(drained).to.equal(false);
    const refused: unknown = await call(`${run.url}/fast`).catch((error: unknown) => error);
    expect(refused).to.include({ code: 'ECONNREFUSED' });
    release?.();
    const response = await slow;
    expect(response).to.include({ status: 200, text: 'done' });
    expect(response.headers.connection).to.equal('close');
    await draining;
    expect(run.hub.cancelled).to.deep.equal([]);
  });

  it('gives up at the deadline and then breaks off what still runs', async () => {
    const slow = call(`${run.url}/slow`).catch((error: unknown) => error);
    await until(() => release !== undefined);
    startDraining();
    await run.module.drain(drainContext(100));
    expect(run.hub.cancelled).to.deep.equal([]);
    await run.stop();
    expect(await slow).to.be.instanceOf(Error);
    await until(() => run.hub.cancelled.length === 1);
  });

  for (const streamed of [false, true]) {
    it(`lets a slow client read ${streamed ? 'a streamed' : 'a whole'} answer to its end`, async () => {
      const bytes = Buffer.alloc(10_000_000);
      run.hub.add({ method: 'GET', path: '/large' }, () => (
        streamed ? { status: 200, stream: Readable.from([bytes]) } : { status: 200, body: { kind: 'bytes', value: bytes } }));
      const socket = await openRaw(run.port);
      socket.pause();
      socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
      await until(() => run.hub.requests.length === 1 && run.hub.running === 0);
      startDraining();
      let drained = false;
      const draining = run.module.drain(drainContext(60_000)).then(() => { drained = true; });
      await new Promise((resolve) => setTimeout(resolve, 150));
      expect(drained).to.equal(false);
      let read = 0;
      socket.on('data', (piece: Buffer) => { read += piece.length; }).on('error', () => undefined).resume();
      await new Promise((resolve) => socket.once('close', resolve));
      await draining;
      expect(read).to.be.above(bytes.length);
    });
  }

  it('leaves a request that is half there, until it has been answered', async () => {
    const socket = await openRaw(run.port);
    let text = '';
    socket.on('data', (piece: Buffer) => { text += piece.toString('latin1'); });
    socket.write('GET /fast HTTP/1.1\r\nHost: x\r\n\r\nGET /fast HTTP/1.1\r\n');
    await until(() => text.includes('200 OK'));
    const draining = run.module.drain(drainContext(60_000));
    await new Promise((resolve) => setTimeout(resolve, 150));
    startDraining();
    socket.write('Host: x\r\n\r\n');
    await Promise.all([draining, new Promise((resolve) => socket.once('close', resolve))]);
    expect(text.match(/200 OK/g)).to.have.length(2);
  });

  it('ends event streams properly', async () => {
    const stream = new Readable({ read: () => undefined });
    run.hub.add({ method: 'GET', path: '/sse' }, () => ({ status: 200, headers: { 'content-type': 'text/event-stream' }, stream }));
    const response = call(`${run.url}/sse`);
    await until(() => stream.listenerCount('data') > 0);
    stream.push('data: 1\n\n');
    await new Promise((resolve) => setTimeout(resolve, 20));
    startDraining();
    await run.module.drain(drainContext(60_000));
    expect((await response).text).to.equal('data: 1\n\n');
    expect(stream.destroyed).to.equal(true);
  });

  it('fails no request of a keep-alive client that obeys', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    let failures = 0;
    let served = 0;
    let stopped = false;
    const client = async (): Promise<void> => {
      while (!stopped) {
        const response = await call(`${run.url}/fast`, { agent }).catch(() => undefined);
        if (response?.status === 200) served++;
        else failures++;
      }
    };
    const clients = Array.from({ length: 8 }, client);
    await until(() => served > 20);
    startDraining();
    const before = served;
    await until(() => served > before + 20);
    stopped = true;
    await Promise.all(clients);
    await run.module.drain(drainContext(3000));
    expect(failures).to.equal(0);
    agent.destroy();
  });

});
