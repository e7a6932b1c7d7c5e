import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { LogLines, realClock, withDefaults } from '../module-run.fixture.js';
import { openRaw, until } from '../raw-client.fixture.js';
import { HttpServer } from './http-server.js';
import { Upgrades } from './upgrades.js';

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

describe('The end of an HTTP server', () => {
  let server: HttpServer;
  /** Accepts as a further handle does: the net server behind `node:http` knows nothing of its connections. */
  let handle: Server;
  let accepted: Socket | undefined;
  let answer: (() => void) | undefined;
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    request.resume().on('end', () => { answer = () => response.writeHead(200, { connection: 'close' }).end('done'); });
  };

  let upgrades: Upgrades;

  beforeEach(async () => {
    upgrades = new Upgrades();
    answer = accepted = undefined;
    server = new HttpServer({
      config: withDefaults(), clock: realClock, log: new LogLines(), path: 'modules[0].config', upgrades,
      onRequest, onExpectation: onRequest, onRefused: () => undefined,
    });
    await server.listen({ host: '127.0.0.1', port: 0 });
    handle = createServer({ allowHalfOpen: true }, (socket) => {
      accepted = socket;
      server.server.emit('connection', socket);
    }).listen(0, '127.0.0.1');
    await once(handle, 'listening');
  });
  afterEach(async () => {
    handle.close();
    await server.close();
  });

  /** Sends the parts one after the other, the last when `ending` has been given time; then the request is answered. */
  const outlives = async (end: (signal: AbortSignal) => Promise<void>, parts: readonly [string, string?]): Promise<string> => {
    const socket = await openRaw((handle.address() as AddressInfo).port);
    const reading = (async (): Promise<string> => String(Buffer.concat(await socket.toArray() as Buffer[])))();
    socket.write(parts[0]);
    // Accepted is not enough: a connection on which nothing has come is idle.
    await until(() => accepted?.bytesRead === parts[0].length);
    if (parts[1] === undefined) await until(() => answer !== undefined);
    let over = false;
    const ending = end(AbortSignal.timeout(60_000)).then(() => { over = true; });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(over).to.equal(false);
    if (parts[1] !== undefined) socket.write(parts[1]);
    await until(() => answer !== undefined);
    answer?.();
    await ending;
    return reading;
  };

  it('that leaves its address waits for connections of further handles', async () => {
    expect(await outlives((signal) => server.leave(signal), [GET])).to.match(/^HTTP\/1.1 200 [^]*done/);
  });

  it('that drains waits for connections of handles that it has given up', async () => {
    expect(await outlives((signal) => server.drain(signal), [GET])).to.match(/^HTTP\/1.1 200 [^]*done/);
  });

  it('that drains while it leaves waits for a request that is half there', async () => {
    const end = async (signal: AbortSignal): Promise<void> => {
      server.giveWay();
      await server.drain(signal);
    };
    expect(await outlives(end, ['POST / HTTP/1.1\r\nHost: x\r\ncontent-length: 4\r\n\r\nha', 'lf'])).to.match(/^HTTP\/1.1 200 [^]*done/);
  });

  it('that drains gives a connection that was just accepted time for its first request, and closes one that nobody uses', async () => {
    const socket = await openRaw((handle.address() as AddressInfo).port);
    await until(() => accepted !== undefined);
    socket.resume();
    // Ends before the time that a request's head may take, which would close the connection as well.
    const draining = server.drain(AbortSignal.timeout(8_000));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(accepted?.destroyed).to.equal(false);
    await draining;
    expect(accepted?.destroyed).to.equal(true);
  });

  it('that came back to its address hands connections to who takes WebSockets since then', async () => {
    server.giveWay();
    await until(() => !server.server.listening);
    await server.comeBack();
    const taken = new Promise<string>((resolve) => {
      upgrades.add('/late', (request, socket) => {
        socket.destroy();
        resolve(request.url ?? '');
      });
    });
    const socket = await openRaw((server.server.address() as AddressInfo).port);
    socket.write('GET /late HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    expect(await Promise.race([taken, once(socket, 'data').then(String)])).to.equal('/late');
    socket.destroy();
  });

  it('takes no time without connections, also when it has left before', async () => {
    const never = new AbortController().signal;
    await server.leave(never);
    await server.leave(never);
    await server.drain(never);
  });
});
