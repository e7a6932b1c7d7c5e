import { Adapter, type ClaimRequest, type DeliveryClaim, definePlugin, type QueueCapabilities, type QueueDelivery, QueueSlot } from '@treadle/api';
import { MapQueue } from '@treadle/testing';
import { expect } from 'chai';
import { startRig, stepRecord } from '../queue-rig.fixture.js';

const renewed: number[] = [];

const totals: (number | undefined)[] = [];

/** What answers of claims wait for. */
let late: Promise<void> | undefined;

class SharedQueue extends MapQueue {
  override async claimMany(requests: readonly ClaimRequest[], leaseMs: number): Promise<readonly QueueDelivery[]> {
    totals.push(...requests.map(({ total }) => total));
    const claimed = await super.claimMany(requests, leaseMs);
    await late;
    return claimed;
  }

  override async renewMany(claims: readonly DeliveryClaim[]): Promise<readonly boolean[]> {
    renewed.push(claims.length);
    return Promise.resolve(claims.map((_claim, index) => renewed.length < 2 || index > 0));
  }
}
Adapter({
  id: 'testing::queue::adapters::SharedQueue', slot: QueueSlot, summary: 'A queue that engines share', stability: 'development', since: '0.1.0',
  config: { type: 'object', additionalProperties: false }, variants: { plain: {} },
  capabilities: (): QueueCapabilities => ({ durable: false, ordering: 'per_key', delayed: true, dedupe: true, multiEngine: true, takeOverMs: 5_000, counts: 'exact', commit: [], maxMessageBytes: 1e6 }),
})(SharedQueue);

describe('leases', () => {
  it('are renewed every third of their time where engines share a store, and a lost one ends its handler', async () => {
    const rig = await startRig({
      adapter: 'testing::queue::adapters::SharedQueue', plugins: [definePlugin({ name: '@treadle/shared', version: '0.1.0', api: '*', adapters: [SharedQueue] })],
      steps: [stepRecord('A', [{ type: 'queue', topic: 't', config: { timeoutMs: 1_000_000 } }])], handlers: { A: () => new Promise(() => undefined) },
    });
    await rig.send('t', 1);
    await rig.send('t', 2);
    await rig.clock.advance(20_000);
    expect(renewed).to.deep.equal([2]);
    expect(rig.workers[0]?.cancelled).to.deep.equal([]);
    await rig.clock.advance(20_000);
    expect(renewed).to.deep.equal([2, 2]);
    expect(rig.workers[0]?.cancelled).to.deep.equal(['A drain']);
    for (const call of rig.workers[0]?.held ?? []) call.succeed({});
    // The worker says no more of it. The other engine is this one here: it has claimed the delivery again.
    await rig.clock.advance(150);
    for (const call of rig.workers[0]?.held ?? []) call.succeed({});
    await rig.test.stop();
  });
});

describe('a claim that is answered late', () => {
  it('goes back before a handler has seen it: another engine may have it by then', async () => {
    const ran: unknown[] = [];
    const rig = await startRig({
      adapter: 'testing::queue::adapters::SharedQueue', plugins: [definePlugin({ name: '@treadle/shared', version: '0.1.0', api: '*', adapters: [SharedQueue] })],
      steps: [stepRecord('A', [{ type: 'queue', topic: 't' }])], handlers: { A: (input) => void ran.push(input) },
    });
    let answer: () => void = () => undefined;
    late = new Promise((resolve) => { answer = resolve; });
    await rig.send('t', 1);
    await rig.clock.advance(2_600);
    late = undefined;
    expect(ran).to.deep.equal([]);
    const claims = totals.length;
    answer();
    await rig.clock.advance(1);
    expect([ran, totals.length > claims]).to.deep.equal([[1], true]);
    await rig.test.stop();
  });
});

describe('a total over all engines', () => {
  it('is told to the store, and holds in one engine as well', async () => {
    let running = 0;
    let most = 0;
    const rig = await startRig({
      adapter: 'testing::queue::adapters::SharedQueue', plugins: [definePlugin({ name: '@treadle/shared', version: '0.1.0', api: '*', adapters: [SharedQueue] })],
      steps: [stepRecord('A', [{ type: 'queue', topic: 't', config: { concurrency: { limit: 5, total: 2 } } }])],
      handlers: {
        A: async () => {
          running += 1;
          most = Math.max(most, running);
          await new Promise((resolve) => setImmediate(resolve));
          running -= 1;
        },
      },
    });
    totals.length = 0;
    await rig.port.enqueue(Array.from({ length: 6 }, (_one, n) => ({ topic: 't', data: n })));
    for (let rounds = 0; rounds < 10; rounds += 1) await rig.clock.advance(1);
    expect([most, running]).to.deep.equal([2, 0]);
    expect(new Set(totals)).to.deep.equal(new Set([2]));
    await rig.test.stop();
  });
});
