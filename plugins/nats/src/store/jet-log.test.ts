import type { Logger } from '@treadle/api';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { errorOf, eventually, fakeClock, TcpProxy } from '@treadle/testing';
import { expect } from 'chai';
import { freshConfig, withServer } from '../testing/kit.fixture.js';
import type { JetLog, Stored } from './jet-log.js';
import { NatsStore } from './nats-store.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined } as unknown as Logger;

/** Messages of the log that is read, as many as are fetched at once, and those that come meanwhile. */
const MESSAGES = 100;
const PORTION = 32;
const MORE = 40;

interface Reading {
  readonly proxy: TcpProxy;
  /** The log as it is read, and the same beside the proxy. */
  readonly log: JetLog;
  readonly direct: JetLog;
  readonly subject: string;
  /** The first portion has come; the next one is under way, and its messages have left the server. */
  readonly messages: AsyncGenerator<Stored>;
  readonly next: Promise<IteratorResult<Stored>>;
}

/** Reads a log through a proxy that lets nothing come any more after the first portion. */
async function whileReading(body: (reading: Reading) => Promise<void>): Promise<void> {
  const { config, cleanup } = await freshConfig();
  const { port } = new URL(config.url);
  const proxy = await TcpProxy.start(Number(port));
  const [direct, through] = await Promise.all([config.url, config.url.replace(port, String(proxy.port))].map((url, index) => (
    NatsStore.open({ config: { ...config, url }, clock: fakeClock(Date.now()), log: silent, engine: `e${index}` }))));
  try {
    const [own, log] = await Promise.all([direct!.log('state', 's'), through!.log('state', 's')]);
    const subject = `${direct!.prefix}.s.a`;
    for (let index = 0; index < MESSAGES; index += 1) await own.append(subject, { text: '' });
    const messages = log.read({ filter: subject, from: 1 });
    for (let index = 0; index < PORTION; index += 1) await messages.next();
    proxy.swallowAnswers();
    const next = messages.next();
    next.catch(() => undefined);
    await eventually('the next portion on its way', async () => await deliveredOf(config.url, own.stream) === 2 * PORTION);
    await body({ proxy, log, direct: own, subject, messages, next });
  } finally {
    await Promise.all([direct!.close(), through!.close()]);
    await proxy.stop();
    await cleanup();
  }
}

async function deliveredOf(servers: string, stream: string): Promise<number> {
  const connection = await connect({ servers });
  try {
    const [consumer] = await (await jetstreamManager(connection)).consumers.list(stream).next();
    return consumer?.delivered.consumer_seq ?? 0;
  } finally {
    await connection.close();
  }
}

withServer.describe('a stream of JetStream as a log', () => {
  withServer.it('removes what lies before a message and leaves that, also the first of all', async () => {
    const { config, cleanup } = await freshConfig();
    const store = await NatsStore.open({ config, clock: fakeClock(Date.now()), log: silent, engine: 'e1' });
    try {
      const log = await store.log('state', 's');
      const subject = `${store.prefix}.s.a`;
      const seqs = [await log.append(subject, { text: 'first' }), await log.append(subject, { text: 'second' })];
      expect(seqs).to.deep.equal([1, 2]);
      await log.purge(subject, 1);
      expect((await log.at(1))?.text).to.equal('first');
      await log.purge(subject, 2);
      expect([await log.at(1), (await log.at(2))?.text]).to.deep.equal([undefined, 'second']);
    } finally {
      await store.close();
      await cleanup();
    }
  });

  withServer.it('is not read with a gap where messages were lost with a connection that is there again', () => whileReading(async ({ proxy, direct, subject, messages, next }) => {
    proxy.restore();
    for (let index = 0; index < MORE; index += 1) await direct.append(subject, { text: '' });
    const seqs: number[] = [];
    const failure = await errorOf((async () => {
      for (let found = await next; !found.done; found = await messages.next()) seqs.push(found.value.seq);
      throw new Error('it was read');
    })());
    expect(seqs).to.deep.equal(seqs.map((_, index) => PORTION + 1 + index));
    if (failure.message !== 'it was read') expect(failure).to.have.property('code', 'StorageUnavailable');
  }));

  withServer.it('fails to be read while the server is away', () => whileReading(async ({ proxy, next }) => {
    proxy.cut();
    expect(await errorOf(next)).to.have.property('code', 'StorageUnavailable');
  }));

  withServer.it('fails to be read where nothing arrives any more, as when the server is away', () => whileReading(async ({ next }) => {
    expect(await errorOf(next)).to.have.property('code', 'StorageUnavailable');
  }));
});
