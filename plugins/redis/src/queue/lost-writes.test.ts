import type { NewMessage, QueueAdapter } from '@treadle/api';
import { eventually, type ServerProcess } from '@treadle/testing';
import { expect } from 'chai';
import { REDIS_DEFAULTS } from '../store/store.config.js';
import { startEngine, withServer } from '../testing/kit.fixture.js';
import { ask, startRedis } from '../testing/server.fixture.js';

const BASE = `{${REDIS_DEFAULTS.prefix}}:`;
const LIMITS = { maxWaiting: 100 };

let messages = 0;

function messageOf(topic: string): NewMessage {
  messages += 1;
  return { id: `m${messages}`, topic, kind: 'queue', data: '{}', traceparent: '', hops: 0, enqueuedAt: Date.now() };
}

async function subscribe(queue: QueueAdapter, step: string): Promise<void> {
  await queue.changeSubscriptions([{ action: 'put', subscription: { step, topic: step, application: 'x', fifo: false, delayMs: 0, settings: '' } }]);
}

withServer.describe('a server that was started again without its last writes', () => {
  let server: ServerProcess;
  let engine: Awaited<ReturnType<typeof startEngine<QueueAdapter>>>;
  const numberOf = async (step: string): Promise<unknown> => ask(server, 'HGET', `${BASE}q:ids`, JSON.stringify([step, step]));
  const loseWrites = async (): Promise<void> => {
    await server.crash();
    await server.resume();
  };

  beforeEach(async () => {
    server = await startRedis();
    engine = await startEngine<QueueAdapter>('queue', { ...REDIS_DEFAULTS, url: server.url });
    await subscribe(engine.adapter, 'kept');
    await ask(server, 'SAVE');
    await subscribe(engine.adapter, 'lost');
  });

  afterEach(async () => {
    await engine.stop();
    await server.stop();
  });

  withServer.it('takes messages for the subscriptions that it has', async () => {
    await loseWrites();
    const enqueue = (): Promise<boolean> => engine.adapter.enqueueMany([[messageOf('kept')]], LIMITS).then(([outcome]) => outcome?.ok === true, () => false);
    await eventually('an enqueueing', enqueue, Boolean, 60_000);
    const claim = (): Promise<readonly unknown[]> => engine.adapter.claimMany([{ step: 'kept', topic: 'kept', max: 1 }], 60_000).catch(() => []);
    await eventually('its delivery', claim, ({ length }) => length === 1, 60_000);
  });

  withServer.it('gives no subscription the number of one that was lost', async () => {
    const number = await numberOf('lost');
    await loseWrites();
    await eventually('another subscription', () => subscribe(engine.adapter, 'new').then(() => true, () => false), Boolean, 60_000);
    expect(await numberOf('new')).to.be.a('string').that.does.not.equal(number);
  });

  withServer.it('tells of other subscriptions also when it was an enqueueing that read them', async () => {
    const { adapter: queue } = engine;
    let told = false;
    queue.onSubscriptions?.(() => { told = true; });
    await ask(server, 'INCR', `${BASE}q:version`);
    await queue.enqueueMany([[messageOf('kept')]], LIMITS);
    await eventually('a word', () => told, Boolean, 60_000);
  });
});
