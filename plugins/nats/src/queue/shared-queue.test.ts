import type { Logger, NewMessage } from '@treadle/api';
import { errorOf, eventually, type FakeClock, fakeClock, TcpProxy } from '@treadle/testing';
import { expect } from 'chai';
import { NatsStore } from '../store/nats-store.js';
import type { NatsConfig } from '../store/store.config.js';
import { freshConfig, withServer } from '../testing/kit.fixture.js';
import { QueueWork } from './queue-work.js';
import { SharedQueue } from './shared-queue.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined } as unknown as Logger;
const KEY = { step: 'a', topic: 't' };
const LIMITS = { maxWaiting: 10 };
const SUBSCRIPTION = { ...KEY, application: 'x', fifo: false, delayMs: 0, settings: '' };
const MESSAGE: NewMessage = { id: 'm1', topic: 't', kind: 'queue', data: '1', traceparent: '', hops: 0, enqueuedAt: Date.now() };

interface Engine {
  readonly clock: FakeClock;
  readonly queue: SharedQueue;
  readonly work: QueueWork;
  close(): Promise<void>;
}

/** @param before is done with the store before the queue is opened */
async function open(config: NatsConfig, engine: string, before: (store: NatsStore) => void = () => undefined): Promise<Engine> {
  const clock = fakeClock(Date.now());
  const store = await NatsStore.open({ config, clock, log: silent, engine });
  before(store);
  const queue = await SharedQueue.open(store, { clock, log: silent });
  return {
    clock, queue, work: new QueueWork(queue),
    close: async () => {
      await queue.close();
      await store.close();
    },
  };
}

/** An engine whose connection goes through a proxy. */
async function throughProxy(body: (parts: { readonly config: NatsConfig; readonly proxy: TcpProxy; readonly engine: Engine }) => Promise<void>): Promise<void> {
  const { config, cleanup } = await freshConfig();
  const { port } = new URL(config.url);
  const proxy = await TcpProxy.start(Number(port));
  const engine = await open({ ...config, url: config.url.replace(port, String(proxy.port)) }, 'e1');
  try {
    await engine.queue.changeSubscriptions([{ action: 'put', subscription: SUBSCRIPTION }]);
    await body({ config, proxy, engine });
  } finally {
    proxy.restore();
    await engine.close();
    await proxy.stop();
    await cleanup();
  }
}

/** How many deliveries are claimed, as an engine sees it that is there for a moment. */
async function claimed(config: NatsConfig): Promise<number> {
  const { queue, close } = await open(config, 'e2');
  const deliveries = [...queue.machine.subscriptions.byKey.values()].flatMap((each) => [...each.deliveries.values()]);
  await close();
  return deliveries.filter(({ held }) => held !== undefined).length;
}

withServer.describe('a queue that engines share', () => {
  withServer.it('has signs of life of an engine whose other parts have much to do', async () => {
    const { config, cleanup } = await freshConfig();
    let end: () => void = () => undefined;
    const busy = new Promise<void>((resolve) => { end = resolve; });
    const one = await open(config, 'e1', (store) => void store.listen({ beat: () => busy }));
    const other = await open(config, 'e2');
    try {
      await one.queue.changeSubscriptions([{ action: 'put', subscription: SUBSCRIPTION }]);
      await one.work.enqueueMany([[MESSAGE]], LIMITS);
      const [claim] = await one.work.claimMany([{ ...KEY, max: 1 }], 60_000);
      const { member } = one.queue.writer;
      const entries = (): number => other.queue.machine.members.living.get(member)?.number ?? 0;
      const enough = entries() + 4;
      await eventually('entries of the engine that is busy', entries, (number) => number >= enough);
      expect(await other.work.claimMany([{ ...KEY, max: 1 }], 60_000)).to.deep.equal([]);
      expect(await one.work.settleMany([{ action: 'done', claim: claim! }])).to.deep.equal([true]);
    } finally {
      end();
      await Promise.all([one.close(), other.close()]);
      await cleanup();
    }
  });

  withServer.it('hands out again what a claim had taken whose answer was lost, however much was asked for meanwhile', () => throughProxy(async ({ config, proxy, engine: { work } }) => {
    await work.enqueueMany([[MESSAGE]], LIMITS);
    proxy.swallowAnswers();
    const failure = errorOf(work.claimMany([{ ...KEY, max: 1 }], 600_000));
    await eventually('the claim in the store', async () => await claimed(config) === 1);
    proxy.cut();
    expect(await failure).to.have.property('code', 'StorageUnavailable');
    for (let index = 0; index < 1_100; index += 1) {
      expect(await errorOf(work.enqueueMany([[{ ...MESSAGE, id: `late${index}` }]], LIMITS))).to.have.property('code', 'StorageUnavailable');
    }
    proxy.restore();
    await eventually('the delivery', () => work.claimMany([{ ...KEY, max: 1 }], 60_000).catch(() => []), ({ length }) => length > 0);
  }));

  withServer.it('says nothing of what falls due while the server is away, and says it when it is back', () => throughProxy(async ({ proxy, engine: { clock, queue, work } }) => {
    await work.enqueueMany([[MESSAGE]], LIMITS);
    const [claim] = await work.claimMany([{ ...KEY, max: 1 }], 60_000);
    await work.settleMany([{ action: 'return', claim: claim!, progress: claim!.progress, dueAt: clock.now() + 500 }]);
    let told = 0;
    queue.onDue(() => { told += 1; });
    proxy.cut();
    await eventually('the end of the connection', async () => /connection/.test((await errorOf(work.claimMany([{ ...KEY, max: 1 }], 60_000))).message));
    await clock.advance(3_000);
    expect(told).to.equal(0);
    proxy.restore();
    await eventually('word of it', () => told);
    expect(await work.claimMany([{ ...KEY, max: 1 }], 60_000)).to.have.length(1);
  }));
});
