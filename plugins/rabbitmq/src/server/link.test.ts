import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { errorOf, eventually, TcpProxy } from '@treadle/testing';
import type { ChannelModel } from 'amqplib';
import { expect } from 'chai';
import { withServer } from '../testing/kit.fixture.js';
import { sharedServer } from '../testing/shared-server.fixture.js';
import { Link, type LinkUser } from './link.js';
import { Publisher } from './publisher.js';
import { RABBITMQ_DEFAULTS } from './rabbit.config.js';
import { ANSWER_MS, NoAnswer, pause } from './within.js';

/** A server answers three times until a connection is there: not once too late, and all of them together too late. */
const EACH_MS = ANSWER_MS * 0.4;

/** Between questions, the last of which comes before the first one has failed; milliseconds. */
const APART_MS = ANSWER_MS * 0.4;

/** What an hour more on the wall clock is. */
const HOUR_MS = 3_600_000;

/** A server each of whose answers takes its time. */
class SlowServer {
  delayMs = EACH_MS;
  private readonly sockets: Socket[] = [];

  private constructor(private readonly listener: Server, target: number) {
    listener.on('connection', (client) => {
      const server = connect(target, '127.0.0.1');
      this.sockets.push(client, server);
      client.on('data', (bytes) => server.write(bytes)).on('error', () => server.destroy()).on('close', () => server.destroy());
      server.on('data', (bytes) => setTimeout(() => client.write(bytes), this.delayMs)).on('error', () => client.destroy()).on('close', () => client.destroy());
    });
  }

  static async start(target: number): Promise<SlowServer> {
    const listener = createServer();
    const server = new SlowServer(listener, target);
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get port(): number {
    return (this.listener.address() as AddressInfo).port;
  }

  /** There was a connection, and there is none. */
  get ended(): boolean {
    return this.sockets.length > 0 && this.sockets.every(({ destroyed }) => destroyed);
  }

  stop(): void {
    for (const socket of this.sockets) socket.destroy();
    this.listener.close();
  }
}

withServer.describe('a connection to RabbitMQ', () => {
  withServer.it('is made again when it is lost in the moment in which its channels are there', async () => {
    const config = { ...RABBITMQ_DEFAULTS, port: (await sharedServer()).port };
    const connections: ChannelModel[] = [];
    const user: LinkUser = {
      up: (connection) => {
        connections.push(connection);
        if (connections.length === 2) connection.emit('close', new Error('as planned'));
        return Promise.resolve();
      },
      down: () => undefined,
    };
    const link = await Link.open(config, 'messages in', user);
    try {
      link.giveUp('as planned');
      await eventually('a connection', () => link.connected);
    } finally {
      await link.close();
    }
  });

  withServer.it('stays when a question of the one before it has had no answer', async () => {
    const { user, losses } = counted();
    const link = await Link.open({ ...RABBITMQ_DEFAULTS, port: (await sharedServer()).port }, 'messages in', user);
    try {
      const late = errorOf(link.ask(() => new Promise(() => undefined)));
      link.giveUp('as planned');
      await eventually('a connection', () => link.connected);
      await late;
      expect([link.connected, losses()]).to.deep.equal([true, 1]);
    } finally {
      await link.close();
    }
  });

  withServer.it('fails with all that was asked on it when one question has had no answer', async () => {
    const proxy = await TcpProxy.start((await sharedServer()).port);
    const { user, losses } = counted();
    const link = await Link.open({ ...RABBITMQ_DEFAULTS, port: proxy.port }, 'messages in', user);
    try {
      proxy.silence();
      const asked = [ask(link, user), pause(APART_MS).then(() => ask(link, user)), pause(2 * APART_MS).then(() => ask(link, user))];
      await asked[0];
      proxy.restore();
      const faults = await Promise.all(asked);
      expect(faults.map(({ code }) => code)).to.deep.equal(['StorageUnavailable', 'StorageUnavailable', 'StorageUnavailable']);
      expect(faults.slice(1).filter(({ message }) => /no answer/.test(message)), 'those that waited for the end of their own time').to.deep.equal([]);
      await eventually('a connection', () => link.connected);
      expect(losses()).to.equal(1);
    } finally {
      await link.close();
      await proxy.stop();
    }
  });

  withServer.it('is closed when it comes after it was given up', async () => {
    const { port } = await sharedServer();
    const slow = await SlowServer.start(port);
    try {
      expect(await errorOf(Link.open({ ...RABBITMQ_DEFAULTS, port: slow.port }, 'messages in', { up: () => Promise.resolve(), down: () => undefined }))).to.be.instanceOf(NoAnswer);
      await eventually('its end', () => slow.ended, Boolean, 30_000);
    } finally {
      slow.stop();
    }
  });

  withServer.it('is waited for when it was lost a moment ago, whatever becomes of the wall clock', async () => {
    const config = { ...RABBITMQ_DEFAULTS, port: (await sharedServer()).port };
    const link = await Link.open(config, 'messages in', { up: () => Promise.resolve(), down: () => undefined });
    try {
      link.giveUp('as planned');
      await withClockAhead(() => link.available());
      expect(link.connected).to.equal(true);
    } finally {
      await link.close();
    }
  });

  withServer.it('has its time for a confirm, whatever becomes of the wall clock', async () => {
    const slow = await SlowServer.start((await sharedServer()).port);
    slow.delayMs = 0;
    const publisher = new Publisher({ ...RABBITMQ_DEFAULTS, port: slow.port }, 'treadle-test-confirms', () => undefined);
    try {
      await publisher.open();
      slow.delayMs = EACH_MS;
      const sent = publisher.publish('of nobody', { id: 'm1', topic: 't', kind: 'queue', data: '{}', traceparent: '', hops: 0, enqueuedAt: 0 });
      expect(await withClockAhead(() => sent)).to.equal('returned');
    } finally {
      slow.delayMs = 0;
      await publisher.close();
      slow.stop();
    }
  });
});

/** Who opens nothing, and how often its connection was lost. */
function counted(): { readonly user: LinkUser & { connection?: ChannelModel }; losses(): number } {
  let losses = 0;
  const user: LinkUser & { connection?: ChannelModel } = {
    up: (connection) => {
      user.connection = connection;
      return Promise.resolve();
    },
    down: () => { losses += 1; },
  };
  return { user, losses: () => losses };
}

/** What becomes of a question to a server that says nothing. */
function ask(link: Link, { connection }: { readonly connection?: ChannelModel }): Promise<Error & { readonly code?: string }> {
  return errorOf(link.ask(() => connection?.createChannel() ?? Promise.reject(new Error('no connection'))));
}

async function withClockAhead<T>(act: () => Promise<T>): Promise<T> {
  const { now } = Date;
  Date.now = () => now() + HOUR_MS;
  try {
    return await act();
  } finally {
    Date.now = now;
  }
}
