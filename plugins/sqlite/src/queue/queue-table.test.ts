import type { NewMessage, SubscriptionChange } from '@treadle/api';
import { expect } from 'chai';
import { failingDriver } from '../testing/failing-driver.fixture.js';
import { DRIVERS, errorOf } from '../testing/store.fixture.js';
import { LIMITS, message, put, queueTables, request } from './queue-table.fixture.js';

const RETIRE: SubscriptionChange = { action: 'retire', key: { step: 'a', topic: 't' }, afterMs: 0 };
const FRESH = { attempts: 1, deaths: 0, history: '' };

describe('A queue table', () => {
  const table = queueTables();

  it('hands out a dead letter that is put back while messages come', async () => {
    const { queue } = await table();
    await queue.changeSubscriptions([put(false)]);
    await queue.enqueueMany([[message('dead')]], LIMITS);
    const [claim] = queue.claimMany(request());
    await queue.settleMany([{ action: 'dead', claim: claim!, progress: FRESH, reason: 'max_attempts', at: 1 }]);
    await Promise.all([queue.redrive({ selection: {}, step: undefined, data: undefined, limit: 10, now: 2_000_000_000_000 }), queue.enqueueMany([[message('new')]], LIMITS)]);
    const claimed = queue.claimMany(request()).map(({ messageId }) => messageId);
    expect(claimed).to.have.members(['dead', 'new']);
  });

  it('runs what had failed before its subscription became fifo, in its place', async () => {
    const { queue, clock } = await table();
    await queue.changeSubscriptions([put(false)]);
    await queue.enqueueMany([['a', 'b', 'c'].map((id) => message(id))], LIMITS);
    const [a, b] = queue.claimMany(request(2));
    await queue.settleMany([{ action: 'return', claim: a!, progress: FRESH, dueAt: clock.now() + 1_000 }]);
    await queue.changeSubscriptions([put(true)]);
    expect(queue.claimMany(request())).to.deep.equal([]);
    await queue.settleMany([{ action: 'done', claim: b! }]);
    expect(queue.claimMany(request()), 'before it is due').to.deep.equal([]);
    clock.shift = 3_600_000;
    const order: string[] = [];
    for (let claims = queue.claimMany(request()); claims.length > 0; claims = queue.claimMany(request())) {
      order.push(...claims.map(({ messageId }) => messageId));
      await queue.settleMany(claims.map((claim) => ({ action: 'done', claim })));
    }
    expect(order).to.deep.equal(['a', 'c']);
  });

  it('keeps the order of a group whose subscription has become fifo while several of it were claimed', async () => {
    const { queue } = await table();
    await queue.changeSubscriptions([put(false)]);
    await queue.enqueueMany([['a', 'b', 'c', 'd'].map((id) => message(id, 'g'))], LIMITS);
    const [a, b] = queue.claimMany(request(2));
    await queue.changeSubscriptions([put(true)]);
    expect(queue.claimMany(request())).to.deep.equal([]);
    await queue.settleMany([{ action: 'return', claim: a!, progress: FRESH }]);
    await queue.settleMany([{ action: 'done', claim: b! }]);
    const order: string[] = [];
    for (let claims = queue.claimMany(request()); claims.length > 0; claims = queue.claimMany(request())) {
      order.push(claims.map(({ messageId }) => messageId).join());
      await queue.settleMany(claims.map((claim) => ({ action: 'done', claim })));
    }
    expect(order).to.deep.equal(['a', 'c', 'd']);
  });

  it('counts right when a subscription is purged twice at the same time, while messages come', async () => {
    const { queue } = await table({ commits: 'thread' });
    await queue.changeSubscriptions([put(false)]);
    const many = (count: number): NewMessage[] => Array.from({ length: count }, (_, index) => message(`m${index}`));
    await queue.enqueueMany([many(999)], LIMITS);
    const purged = [queue.purge({ step: 'a', topic: 't' })];
    await new Promise(setImmediate);
    const entering = queue.enqueueMany([many(3_000)], LIMITS);
    purged.push(queue.purge({ step: 'a', topic: 't' }));
    let claimed = 0;
    await entering.then(() => void (claimed = queue.claimMany(request()).length));
    const [first = 0, second = 0] = await Promise.all(purged);
    expect(first + second + claimed).to.equal(3_999);
    expect(queue.statistics()[0]).to.include({ waiting: 0, active: claimed });
  });

  it('ends a retirement that the full disk has interrupted when it is asked again, and by itself', async () => {
    for (const again of ['asked', 'by itself']) {
      const failing = failingDriver(DRIVERS[0]);
      const { queue, clock } = await table({ driver: failing.driver });
      await queue.changeSubscriptions([put(false)]);
      await queue.enqueueMany([[message('m1'), message('m2')]], LIMITS);
      const retiring = errorOf(() => queue.changeSubscriptions([RETIRE]));
      while (queue.subscriptions().length > 0) await new Promise(setImmediate);
      failing.fail('COMMIT', 'SQLITE_FULL');
      expect(await retiring).to.have.property('code', 'StorageFull');
      failing.fail();
      if (again === 'asked') await queue.changeSubscriptions([RETIRE]);
      else await clock.advance(60_000);
      expect(queue.statistics(), again).to.deep.equal([]);
      const { items } = queue.deadLetters({}, { limit: 10 });
      expect(items.map(({ messageId, reason }) => `${messageId} ${reason}`), again).to.deep.equal(['m2 subscription_retired', 'm1 subscription_retired']);
    }
  });

  it('counts what is claimed once when the clock is set back, and hands it out no second time', async () => {
    for (const end of ['done', 'again', 'later'] as const) {
      const { queue, clock } = await table();
      await queue.changeSubscriptions([put(false)]);
      await queue.enqueueMany([['a', 'b', 'c'].map((id, index) => ({ ...message(id), dueAt: clock.now() + 1_000 * (index + 1) }))], LIMITS);
      clock.shift = 2_500;
      const [a, b] = queue.claimMany(request());
      clock.shift = 0;
      expect(queue.statistics()[0], end).to.include({ waiting: 0, delayed: 1, retrying: 0, active: 2 });
      const at = clock.now() + 5_000;
      const progress = FRESH;
      const settled = { done: { action: 'done', claim: a! }, again: { action: 'return', claim: a!, progress }, later: { action: 'return', claim: a!, progress, dueAt: at } } as const;
      await queue.settleMany([settled[end]]);
      const left = { done: { waiting: 0, retrying: 0 }, again: { waiting: 1, retrying: 0 }, later: { waiting: 0, retrying: 1 } }[end];
      expect(queue.statistics()[0], end).to.include({ ...left, delayed: 1, active: 1 });
      clock.shift = 10_000;
      await clock.advance(10_000);
      const expected = end === 'done' ? ['c'] : ['a', 'c'];
      expect(queue.claimMany(request()).map(({ messageId }) => messageId), end).to.deep.equal(expected);
      expect(queue.statistics()[0], end).to.include({ waiting: 0, delayed: 0, retrying: 0, active: expected.length + 1 });
      await queue.settleMany([{ action: 'done', claim: b! }]);
    }
  });

  it('keeps the order of a fifo group whose head is claimed when the clock is set back', async () => {
    const { queue, clock } = await table();
    await queue.changeSubscriptions([put(true)]);
    await queue.enqueueMany([['a', 'b', 'c'].map((id, index) => ({ ...message(id, 'g'), dueAt: clock.now() + 1_000 * (index + 1) }))], LIMITS);
    clock.shift = 3_500;
    const [a] = queue.claimMany(request());
    clock.shift = 0;
    expect(queue.claimMany(request())).to.deep.equal([]);
    await queue.settleMany([{ action: 'done', claim: a! }]);
    expect(queue.claimMany(request()), 'not due again').to.deep.equal([]);
    expect(queue.statistics()[0]).to.include({ waiting: 0, delayed: 2, active: 0 });
    clock.shift = 3_500;
    const [b, none] = queue.claimMany(request());
    expect([b?.messageId, none]).to.deep.equal(['b', undefined]);
  });

  it('arms nothing after it was left, whatever ends then', async () => {
    const { queue, clock, leave, store } = await table({ commits: 'thread' });
    await queue.changeSubscriptions([put(false)]);
    await queue.enqueueMany([[message('now')]], LIMITS);
    const [claim] = queue.claimMany(request());
    const later = { ...message('later'), dueAt: clock.now() + 5_000 };
    const ending = [
      queue.enqueueMany([[later]], LIMITS), queue.settleMany([{ action: 'return', claim: claim!, progress: FRESH, dueAt: clock.now() + 3_000 }]),
      queue.changeSubscriptions([put(true)]),
    ];
    queue.onDue(() => undefined)();
    leave();
    await Promise.all(ending);
    queue.statistics();
    expect(process.getActiveResourcesInfo()).to.not.include('Immediate');
    await store.close();
    expect(clock.pending).to.equal(0);
  });

  it('notices within ten seconds that the clock was set ahead while nobody asked', async () => {
    const { queue, clock } = await table();
    await queue.changeSubscriptions([put(false)]);
    await queue.enqueueMany([[{ ...message('later'), dueAt: clock.now() + 7_200_000 }]], LIMITS);
    const due: string[] = [];
    queue.onDue(({ step }) => void due.push(step));
    await clock.advance(0);
    due.length = 0;
    clock.shift = 7_200_000;
    await clock.advance(10_000);
    expect(due).to.deep.equal(['a']);
    expect(queue.claimMany(request()).map(({ messageId }) => messageId)).to.deep.equal(['later']);
  });
});
