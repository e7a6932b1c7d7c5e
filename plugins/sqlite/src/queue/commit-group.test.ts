import { join } from 'node:path';
import { type DeliveryCommit, type NewMessage, OperationError, type QueueDelivery } from '@treadle/api';
import { expect } from 'chai';
import { StateTable } from '../state/state-table.js';
import { openStore } from '../store/open-store.js';
import { errorOf, freshFolder, surroundings } from '../testing/store.fixture.js';
import type { Lanes } from './lanes.js';
import { QueueTable } from './queue-table.js';
import type { WriteGate } from './queue-work.js';

const LIMITS = { maxWaiting: 3 };
const message = (id: string, topic = 't'): NewMessage => ({ id, topic, kind: 'queue', data: '1', traceparent: 'tp', hops: 0, enqueuedAt: 1 });
const commit = (claim: QueueDelivery, enqueue: readonly NewMessage[], key: string): DeliveryCommit => ({
  settle: { action: 'done', claim }, enqueue, writes: [{ slot: 'state', group: 'g', key, decision: { action: 'set', value: 1 } }],
});

describe('CommitGroup', () => {
  it('leaves everything as it was when one of its commits cannot be decided', async () => {
    const { store, queue, claims: [one, two], close } = await opened();
    const { lanes } = workOf(queue);
    lanes.make = () => {
      throw new OperationError('StorageRefused', 'nothing was stored: there are too many subscriptions');
    };
    const bad = commit(two, [message('4', 'nobody')], 'k2');
    const refused = await errorOf(() => queue.commitMany([commit(one, [message('3')], 'k1'), bad], LIMITS));
    expect(refused.message).to.contain('too many subscriptions');
    // What is not in the way of anybody was carried out by itself: nothing of the attempt before was left behind.
    expect(queue.holds(one)).to.equal(false);
    expect(queue.holds(two)).to.equal(true);
    expect(store.reads.prepare('SELECT key FROM state_entries').all().map(({ key }) => key)).to.deep.equal(['k1']);
    expect((await errorOf(() => queue.enqueueMany([[message('5'), message('6', 'nobody')]], LIMITS))).message).to.contain('too many subscriptions');
    expect(await queue.enqueueMany([[message('7')]], LIMITS)).to.deep.equal([{ ok: true, ids: ['7'] }]);
    expect(await queue.commitMany([{ settle: { action: 'done', claim: two }, enqueue: [], writes: [] }], LIMITS)).to.deep.equal([{ ok: true, ids: [] }]);
    await close();
  });

  it('tries its commits one by one, but not while subscriptions are changed', async () => {
    const { queue, claims: [one, two], close } = await opened();
    const { lanes, gate } = workOf(queue);
    let open: () => void = () => undefined;
    let changing: Promise<unknown> = Promise.resolve();
    const { make } = lanes;
    lanes.make = () => {
      lanes.make = make;
      changing = gate.exclusive(() => new Promise<void>((resolve) => { open = resolve; }));
      throw new OperationError('StorageRefused', 'as planned');
    };
    const committing = queue.commitMany([commit(one, [message('3', 'nobody')], 'k1'), commit(two, [], 'k2')], LIMITS);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([queue.holds(one), queue.holds(two)], 'while they are changed').to.deep.equal([true, true]);
    open();
    await changing;
    expect((await committing).map(({ ok }) => ok)).to.deep.equal([true, true]);
    await close();
  });
});

const workOf = (queue: QueueTable): { readonly lanes: Lanes; readonly gate: WriteGate } => (queue as unknown as { readonly work: { readonly lanes: Lanes; readonly gate: WriteGate } }).work;

/** A queue with two claims of one subscription. */
async function opened() {
  const around = surroundings();
  const store = await openStore({ file: join(freshFolder(), 'a.db'), durability: 'full', commits: 'loop', ...around });
  StateTable.of(store, around.clock, 1_000);
  const { table: queue, leave } = QueueTable.of({ store, ...around, memoryBytes: 1_000_000 });
  await queue.changeSubscriptions([{ action: 'put', subscription: { step: 'a', topic: 't', application: '', fifo: false, delayMs: 0, settings: '' } }]);
  await queue.enqueueMany([[message('1'), message('2')]], LIMITS);
  const [one, two] = queue.claimMany([{ step: 'a', topic: 't', max: 2 }]) as [QueueDelivery, QueueDelivery];
  return { store, queue, claims: [one, two] as const, close: async () => { leave(); await store.close(); } };
}
