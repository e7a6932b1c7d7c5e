import type { NewMessage, QueueAdapter } from '@treadle/api';
import type { RunningAdapter } from '@treadle/testing';
import { expect } from 'chai';
import { eventually, errorOf, startEngine } from '../testing/engine.fixture.js';
import { withServer } from '../testing/kit.fixture.js';
import { TestServer } from '../testing/server.fixture.js';
import { POSTGRES_DEFAULTS } from './store.config.js';

const KEY = { step: 'a', topic: 't' };
const LEASE_MS = 60_000;
let messages = 0;

function message(): NewMessage {
  messages += 1;
  return { id: `m${messages}`, topic: 't', kind: 'queue', data: '{}', traceparent: '', hops: 0, enqueuedAt: Date.now() };
}

withServer.describe('a server that goes away', () => {
  async function withEngine(body: (queue: QueueAdapter, server: TestServer) => Promise<void>): Promise<void> {
    const server = await TestServer.start([]);
    let engine: RunningAdapter<QueueAdapter> | undefined;
    try {
      engine = await startEngine<QueueAdapter>('queue', { ...POSTGRES_DEFAULTS, url: server.url });
      await engine.adapter.changeSubscriptions([{ action: 'put', subscription: { ...KEY, application: 'x', fifo: false, delayMs: 0, settings: '' } }]);
      await body(engine.adapter, server);
    } finally {
      await engine?.stop();
      await server.stop();
    }
  }

  withServer.it('fails calls while it is away, and works again by itself with what was acknowledged', () => withEngine(async (queue, server) => {
    await queue.enqueueMany([[message()], [message()]], { maxWaiting: 10 });
    const [claim] = await queue.claimMany([{ ...KEY, max: 1 }], LEASE_MS);
    await server.crash();
    expect(await errorOf(queue.enqueueMany([[message()]], { maxWaiting: 10 }))).to.have.property('code', 'StorageUnavailable');
    expect(await errorOf(queue.settleMany([{ action: 'done', claim: claim! }]))).to.have.property('code', 'StorageUnavailable');
    expect((await errorOf(queue.claimMany([{ ...KEY, max: 1 }], LEASE_MS))).message).to.match(/^PostgreSQL 127\.0\.0\.1:\d+\/postgres cannot be reached: /);
    const woken: string[] = [];
    queue.onDue(({ step }) => void woken.push(step));
    await server.resume();
    await eventually('a wake-up', () => Promise.resolve(woken), ({ length }) => length > 0);
    const taken = await eventually('the other delivery', () => queue.claimMany([{ ...KEY, max: 10 }], LEASE_MS).catch(() => []), ({ length }) => length > 0);
    // A claim is not synced: the crash may have taken it back, and then it is void.
    const [held] = await queue.settleMany([{ action: 'done', claim: claim! }]);
    expect(taken.length + (held ? 1 : 0)).to.equal(2);
    await queue.settleMany(taken.map((one) => ({ action: 'done', claim: one })));
    expect(await queue.statistics()).to.deep.equal([{ ...KEY, waiting: 0, delayed: 0, retrying: 0, active: 0, dead: 0 }]);
  }));
});
