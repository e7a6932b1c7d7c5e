import { expect } from 'chai';
import { transferTests } from '../suite/transfer-tests.js';
import { held, HOSTILE_NAMES, type QueueTests, subscriptionOf } from './queue-under-test.js';

/** What reaches another store when a queue is copied. */
export function copyTests(tests: QueueTests): void {
  transferTests(tests, {
    fill: async (queue) => {
      await queue.put(subscriptionOf('plain', 't'), subscriptionOf('order', 't', { fifo: true }), subscriptionOf('paused', 'p', { paused: true, delayMs: 5 }));
      await queue.enqueue(
        { groupId: 'a', data: '{"a":"é"}', headers: '{"h":"1"}' }, { groupId: 'a' }, { groupId: 'b' }, { dueAt: queue.clock.now() + 60_000 }, { dedupeKey: 'key' }, { topic: 'p' });
      await queue.enqueue({ topic: 'nobody', data: '"unrouted"' });
      for (const step of HOSTILE_NAMES) await queue.subscribe('hostile', step);
      await queue.enqueue({ topic: 'hostile', groupId: 'a\u0000b' });
      const [first, second] = await queue.claim('plain', 2);
      await queue.giveBack(held(first), undefined, { attempts: 2, deaths: 1, history: '["once"]' });
      await queue.kill(held(second));
      await queue.claim('order', 1);
    },
    check: async (queue) => {
      expect((await queue.adapter.subscriptions()).map(({ step }) => step)).to.have.members(['plain', 'order', 'paused', ...HOSTILE_NAMES]);
      expect((await queue.adapter.subscriptions()).find(({ step }) => step === 'paused')).to.deep.equal(subscriptionOf('paused', 'p', { paused: true, delayMs: 5 }));
      expect(await queue.enqueue({ dedupeKey: 'key' }), 'a key that is known').to.deep.equal(['m000005']);
      expect(await queue.claimIds('paused', 10, 'p')).to.deep.equal([]);
      const plain = await queue.claim('plain');
      expect(plain.map(({ messageId }) => messageId)).to.deep.equal(['m000001', 'm000003', 'm000005']);
      expect(plain[0]).to.deep.include({ data: '{"a":"é"}', headers: '{"h":"1"}', groupId: 'a', progress: { attempts: 2, deaths: 1, history: '["once"]' } });
      const order = await queue.claim('order');
      expect(order.map(({ messageId }) => messageId), 'heads of the groups').to.deep.equal(['m000001', 'm000003']);
      await queue.done(...order, ...plain);
      expect(await queue.claimIds('order')).to.deep.equal(['m000002']);
      await queue.clock.advance(60_000);
      expect(await queue.claimIds('plain')).to.deep.equal(['m000004']);
      for (const step of HOSTILE_NAMES) expect((await queue.claim(step, 5, 'hostile')).map(({ groupId }) => groupId), JSON.stringify(step)).to.deep.equal(['a\u0000b']);
      expect((await queue.letters()).map(({ step, messageId, progress: { attempts } }) => ({ step, messageId, attempts }))).to.deep.equal([{ step: 'plain', messageId: 'm000002', attempts: 10 }]);
      expect(await queue.adapter.redrive({ selection: { step: 'plain' }, limit: 10, now: queue.clock.now() })).to.equal(1);
      expect(await queue.claimIds('plain')).to.deep.equal(['m000002']);
      await queue.subscribe('nobody', 'late');
      expect((await queue.claim('late', 5, 'nobody')).map(({ data }) => data)).to.deep.equal(['"unrouted"']);
    },
  });
}
