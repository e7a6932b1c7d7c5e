import type { AdoptedDelivery } from '@treadle/api';
import { expect } from 'chai';
import { FRESH, held, type QueueTests, type QueueUnderTest, subscriptionOf, TRACE } from './queue-under-test.js';

function draft(queue: QueueUnderTest, messageId: string, more: Partial<AdoptedDelivery> = {}): AdoptedDelivery {
  return { step: 'a', topic: 't', messageId, kind: 'queue', data: '{}', traceparent: TRACE, hops: 0, enqueuedAt: queue.clock.now(), progress: FRESH, ...more };
}

async function adopt(queue: QueueUnderTest, ...deliveries: readonly AdoptedDelivery[]): Promise<readonly boolean[]> {
  return held(await queue.adapter.adoptMany?.(deliveries));
}

/** What another store held. */
export function adoptTests({ suite, withFresh, declared }: QueueTests): void {
  suite.test(`${declared.adopts ? 'offers' : 'does not offer'} to take in what another store held`, () => withFresh((queue) => {
    expect(queue.adapter.adoptMany !== undefined).to.equal(declared.adopts ?? false);
    return Promise.resolve();
  }));
}

/** With everything that it had. */
export function adoptionTests({ suite, withFresh, declared }: QueueTests): void {
  if (!declared.adopts) return;
  suite.test('takes in what another store held, at the end of the order', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a', 'b');
    const [before] = await queue.enqueue({});
    const now = queue.clock.now();
    const whole = draft(queue, 'x1', { data: '{"n":1}', headers: '{"h":"v"}', hops: 3, groupId: 'g\u0000', kind: 'state', progress: { attempts: 2, deaths: 1, history: '["e"]' } });
    expect(await adopt(queue, whole, draft(queue, 'x2', { dueAt: now + 1_000, progress: { attempts: 1, deaths: 0, history: '' } }))).to.deep.equal([true, true]);
    expect(await queue.told()).to.include('a/t');
    expect(await queue.statisticsOf('a')).to.include({ waiting: 2, retrying: 1 });
    const claims = await queue.claim('a');
    expect(claims.map(({ messageId }) => messageId)).to.deep.equal([before, 'x1']);
    expect(claims[1]).to.deep.include(whole);
    await queue.clock.advance(1_000);
    expect(await queue.told()).to.include('a/t');
    expect(await queue.claimIds('a')).to.deep.equal(['x2']);
    expect(await queue.claimIds('b')).to.deep.equal([before]);
  }));
}

/** What is adopted once only, and what nobody waits for. */
export function adoptRuleTests({ suite, withFresh, declared }: QueueTests): void {
  if (!declared.adopts) return;
  suite.test('adopts a delivery once, also when it has ended since, and the same message of another subscription', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a', 'b');
    expect(await adopt(queue, draft(queue, 'x'), draft(queue, 'x'), draft(queue, 'y'))).to.deep.equal([true, false, true]);
    await queue.done(...await queue.claim('a'));
    if (declared.durable) await queue.restart();
    expect(await adopt(queue, draft(queue, 'x'), draft(queue, 'x', { step: 'b' }), draft(queue, 'y', { dead: { reason: 'crash_limit', at: 1 } }))).to.deep.equal([false, true, false]);
    expect(await queue.claimIds('a')).to.deep.equal([]);
    expect(await queue.claimIds('b')).to.deep.equal(['x']);
    expect(await queue.letters()).to.deep.equal([]);
  }));

  suite.test('makes dead letters of what was dead, and of what is for a subscription that is not there', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    const at = queue.clock.now() - 5;
    const progress = { attempts: 3, deaths: 0, history: '["e"]' };
    await adopt(queue, draft(queue, 'dead', { progress, data: '7', dead: { reason: 'max_attempts', at } }), draft(queue, 'gone', { step: 'nobody', progress }));
    const letters = await queue.letters();
    expect(letters.map(({ messageId, step, reason }) => [messageId, step, reason])).to.have.deep.members([['dead', 'a', 'max_attempts'], ['gone', 'nobody', 'subscription_retired']]);
    expect(letters.find(({ step }) => step === 'a')).to.deep.include({ deadAt: at, data: '7', progress });
    expect(await queue.claim('a')).to.deep.equal([]);
    expect(await queue.adapter.redrive({ selection: { step: 'a' }, limit: 5, now: queue.clock.now() })).to.equal(1);
    expect(await queue.claimIds('a')).to.deep.equal(['dead']);
  }));

  if (declared.ordering !== 'per_key') return;
  suite.test('puts what it adopts behind the others of its group', () => withFresh(async (queue) => {
    await queue.put(subscriptionOf('a', 't', { fifo: true }));
    const [first] = await queue.enqueue({ groupId: 'x' });
    await adopt(queue, draft(queue, 'behind', { groupId: 'x' }), draft(queue, 'other', { groupId: 'y' }), draft(queue, 'last', { groupId: 'y' }));
    const claims = await queue.claim('a');
    expect(claims.map(({ messageId }) => messageId)).to.deep.equal([first, 'other']);
    await queue.done(...claims);
    expect(await queue.claimIds('a')).to.deep.equal(['behind', 'last']);
  }));
}
