import type { NewMessage, StoredSubscription } from '@treadle/api';
import { expect } from 'chai';
import { fakeClock } from '../fake-clock.js';
import { mapQueue } from './map-queue.js';

const LIMITS = { maxWaiting: 10 };
const subscription = (step: string, more: Partial<StoredSubscription> = {}): StoredSubscription => (
  { step, topic: 't', application: 'a', fifo: false, delayMs: 0, paused: false, settings: '{}', ...more });
const message = (id: string, more: Partial<NewMessage> = {}): NewMessage => (
  { id, topic: 't', kind: 'queue', data: '1', traceparent: 'tp', hops: 0, enqueuedAt: 0, ...more });

describe('mapQueue', () => {
  it('gives every subscription its delivery, and each claim once', async () => {
    const clock = fakeClock();
    const queue = await mapQueue(clock);
    await queue.changeSubscriptions([{ action: 'put', subscription: subscription('a') }, { action: 'put', subscription: subscription('b') }]);
    const due: string[] = [];
    queue.onDue(({ step }) => due.push(step));
    expect(await queue.enqueueMany([[message('m1')]], LIMITS)).to.deep.equal([{ ok: true, ids: ['m1'] }]);
    expect(due).to.deep.equal(['a', 'b']);
    const [delivery] = await queue.claimMany([{ step: 'a', topic: 't', max: 5 }], 1000);
    expect(delivery).to.include({ step: 'a', messageId: 'm1' });
    expect(await queue.claimMany([{ step: 'a', topic: 't', max: 5 }], 1000)).to.deep.equal([]);
    expect(await queue.settleMany([{ action: 'done', claim: delivery! }, { action: 'done', claim: delivery! }])).to.deep.equal([true, false]);
    await queue.stop();
  });

  it('wakes when something becomes due', async () => {
    const clock = fakeClock();
    const queue = await mapQueue(clock);
    await queue.changeSubscriptions([{ action: 'put', subscription: subscription('a') }]);
    const due: string[] = [];
    queue.onDue(({ step }) => due.push(step));
    await queue.enqueueMany([[message('m1', { dueAt: clock.now() + 100 })]], LIMITS);
    await clock.advance(99);
    expect(due).to.deep.equal([]);
    await clock.advance(1);
    expect(due).to.deep.equal(['a']);
    await queue.stop();
    expect(clock.pending).to.equal(0);
  });
});
