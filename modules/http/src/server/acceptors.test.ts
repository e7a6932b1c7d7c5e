import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Logger } from '@treadle/api';
import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { until } from '../raw-client.fixture.js';
import { Acceptors } from './acceptors.js';

describe('further handles of a listening socket', function slow() {
  this.timeout(180_000);
  const said: string[] = [];
  const log = { warn: (message: string) => void said.push(message) } as unknown as Logger;
  const listening = async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const open = async (): Promise<string> => {
      const client = connect(port, '127.0.0.1');
      return once(client, 'data').then(([data]) => { client.destroy(); return String(data); }, (error: NodeJS.ErrnoException) => error.code ?? '');
    };
    return { server, open };
  };

  /** The helper has sent so many handles back, and ended. */
  const made = (acceptors: Acceptors, count: number): Promise<void> => until(() => {
    const { servers, helper } = acceptors as unknown as { readonly servers: readonly unknown[]; readonly helper: unknown };
    return servers.length === count && helper === undefined;
  });

  it('accept connections, also when the first one does no more, until they are closed', async () => {
    const { server, open } = await listening();
    const clock = fakeClock();
    let accepted = 0;
    const acceptors = new Acceptors({ clock, log, count: 3, onConnection: (socket: Socket) => { accepted += 1; socket.end('hello'); } });
    acceptors.open(server);
    await clock.advance(2_000);
    await made(acceptors, 3);
    server.close();
    expect(await Promise.all([open(), open(), open(), open()])).to.deep.equal(['hello', 'hello', 'hello', 'hello']);
    expect(accepted).to.equal(4);
    await acceptors.close();
    expect(await open()).to.equal('ECONNREFUSED');
    expect([clock.pending, said]).to.deep.equal([0, []]);
  });

  it('let a client end its side before it is answered, as the server does', async () => {
    const { server } = await listening();
    const { port } = server.address() as AddressInfo;
    const clock = fakeClock();
    const acceptors = new Acceptors({ clock, log, count: 1, onConnection: (socket) => void socket.on('end', () => setTimeout(() => socket.end('late'), 50)).resume() });
    acceptors.open(server);
    await clock.advance(2_000);
    await made(acceptors, 1);
    server.close();
    const client = connect(port, '127.0.0.1').end();
    expect(String((await once(client, 'data'))[0])).to.equal('late');
    await acceptors.close();
  });

  it('lose no connection while they are made', async () => {
    const { server, open } = await listening();
    const onConnection = (socket: Socket): void => void socket.end('hello');
    server.on('connection', onConnection);
    const clock = fakeClock();
    const acceptors = new Acceptors({ clock, log, count: 7, onConnection });
    acceptors.open(server);
    await clock.advance(2_000);
    const answers: string[] = [];
    let complete = false;
    const making = made(acceptors, 7).then(() => { complete = true; });
    while (!complete) answers.push(...await Promise.all(Array.from({ length: 8 }, open)));
    await making;
    expect(new Set(answers)).to.deep.equal(new Set(['hello']));
    server.close();
    await acceptors.close();
  });

  it('are not made for an engine that lives shorter, nor when none are wanted', async () => {
    const { server } = await listening();
    const clock = fakeClock();
    const [one, none] = [3, 0].map((count) => new Acceptors({ clock, log, count, onConnection: () => undefined }));
    one?.open(server);
    none?.open(server);
    expect(clock.pending).to.equal(1);
    await Promise.all([one?.close(), none?.close()]);
    expect(clock.pending).to.equal(0);
    server.close();
  });
});
