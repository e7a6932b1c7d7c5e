import {
  Adapter, type ClaimRequest, definePlugin, type EnqueueOutcome, type NewMessage, OperationError, type QueueDelivery, QueueSlot, type Settlement,
  type SubscriptionChange,
} from '@treadle/api';
import { MapQueue } from '@treadle/testing';
import { expect } from 'chai';
import { type Rig, startRig, stepRecord } from './queue-rig.fixture.js';

/** Set by a test: what the store does with the next calls. */
let fault: Error | undefined;

class FaultyQueue extends MapQueue {
  override enqueueMany(batches: readonly (readonly NewMessage[])[], limits: { readonly maxWaiting: number }): Promise<readonly EnqueueOutcome[]> {
    return fault ? Promise.reject(fault) : super.enqueueMany(batches, limits);
  }

  override claimMany(requests: readonly ClaimRequest[], leaseMs: number): Promise<readonly QueueDelivery[]> {
    // Claims write nothing, so a full disk does not keep them.
    return fault && !(fault instanceof OperationError) ? Promise.reject(fault) : super.claimMany(requests, leaseMs);
  }

  override changeSubscriptions(changes: readonly SubscriptionChange[]): Promise<void> {
    return fault ? Promise.reject(fault) : super.changeSubscriptions(changes);
  }

  override settleMany(settlements: readonly Settlement[]): Promise<readonly boolean[]> {
    return fault ? Promise.reject(fault) : super.settleMany(settlements);
  }
}
Adapter({
  id: 'testing::queue::adapters::FaultyQueue', slot: QueueSlot, summary: 'A queue whose store fails', stability: 'development', since: '0.1.0',
  config: { type: 'object', additionalProperties: false }, variants: { plain: {} },
  capabilities: { durable: false, ordering: 'per_key', delayed: true, dedupe: false, multiEngine: false, takeOverMs: 0, counts: 'exact', commit: [], maxMessageBytes: 100 },
})(FaultyQueue);

describe('a store that fails', () => {
  let rig: Rig;
  const seen: unknown[] = [];
  let fillsUp = false;
  let endsWith: Error;
  beforeEach(async () => {
    seen.length = 0;
    fault = undefined;
    fillsUp = false;
    endsWith = new OperationError('StorageFull', 'disk full');
    rig = await startRig({
      adapter: 'testing::queue::adapters::FaultyQueue',
      plugins: [definePlugin({ name: '@treadle/faulty-queue', version: '0.1.0', api: '*', adapters: [FaultyQueue] })],
      steps: [stepRecord('A', ['t'])], handlers: { A: (input) => {
        seen.push(input);
        if (fillsUp) fault = endsWith;
      } },
    });
  });
  afterEach(async () => {
    fault = undefined;
    await rig.test.stop();
  });
  const refusal = (more: object = {}): Promise<string> => rig.send('t', 1, more).then(
    () => 'it was not refused', ({ code, message }: OperationError) => `${code}: ${message}`);

  it('is told apart: full, nothing was stored; anything else, it is not known', async () => {
    fault = new OperationError('StorageFull', 'nothing was stored: disk full');
    expect(await refusal()).to.equal('QueueFull: the storage is full: nothing was stored: disk full; free some space, consumption goes on');
    fault = new Error('I/O');
    expect(await refusal()).to.equal('QueueUnavailable: whether the messages were stored is not known: I/O');
  });

  it('is asked again until there is space for what has ended, and slots do not wait for it', async () => {
    fillsUp = true;
    await rig.port.enqueue(Array.from({ length: 15 }, (_one, n) => ({ topic: 't', data: n })));
    await rig.clock.advance(1_000);
    expect(seen).to.have.length(15);
    expect((await rig.admin('GET', '/') as { items: object[] }).items[0]).to.include({ active: 15 });
    fillsUp = false;
    fault = undefined;
    await rig.clock.advance(250);
    expect((await rig.admin('GET', '/') as { items: object[] }).items[0]).to.include({ active: 0, waiting: 0 });
    expect(rig.test.logs.filter(({ message }) => message.startsWith('the storage is full'))).to.have.length(1);
  });

  it('is told again of what has ended when a connection is lost, so that nothing stays claimed', async () => {
    fillsUp = true;
    const lost = new Error('connection reset');
    endsWith = lost;
    await rig.send('t', 1);
    await rig.clock.advance(1_000);
    expect((await rig.admin('GET', '/') as { items: object[] }).items[0]).to.include({ active: 1 });
    fillsUp = false;
    fault = undefined;
    await rig.clock.advance(250);
    expect((await rig.admin('GET', '/') as { items: object[] }).items[0]).to.include({ active: 0, waiting: 0, dead: 0 });
    expect(seen).to.deep.equal([1]);
    expect(rig.test.logs.filter(({ message }) => message === 'settlements could not be written; it is tried again')).to.have.length(1);
  });

  it('is asked again a second later for what could not be claimed or subscribed', async () => {
    await rig.send('t', 1, { delayMs: 10 });
    fault = new Error('not now');
    rig.test.engine.dispatch.catalog.publish([stepRecord('A', ['t']), stepRecord('B', ['u'])]);
    await rig.clock.advance(500);
    fault = undefined;
    expect(seen).to.deep.equal([]);
    await rig.clock.advance(1_000);
    expect(seen).to.deep.equal([1]);
    expect((await rig.admin('GET', '/') as { items: { step: string }[] }).items.map(({ step }) => step)).to.deep.equal(['A', 'B']);
    const messages = rig.test.logs.map(({ message }) => message);
    expect(messages).to.include.members(['deliveries could not be claimed; it is tried again', 'subscriptions could not be stored; it is tried again']);
  });

  it('is not asked for what it cannot do', async () => {
    expect(await refusal({ dedupeKey: 'k' }))
      .to.equal('CAPABILITY_UNSUPPORTED: dedupeKey was refused for topic "t": the queue\'s adapter cannot recognise repeated messages');
    expect(await rig.send('t', 'x'.repeat(101)).catch(({ message }: Error) => message))
      .to.equal('the data for topic "t" has 103 bytes as JSON; at most 100 are taken');
  });
});
