import { Adapter, type DeliveryClaim, definePlugin, type QueueCapabilities, QueueSlot } from '@treadle/api';
import { MapQueue } from '@treadle/testing';
import { expect } from 'chai';
import { startRig, stepRecord } from '../queue-rig.fixture.js';

const renewed: number[] = [];

class SharedQueue extends MapQueue {
  override async renewMany(claims: readonly DeliveryClaim[]): Promise<readonly boolean[]> {
    renewed.push(claims.length);
    return Promise.resolve(claims.map((_claim, index) => renewed.length < 2 || index > 0));
  }
}
Adapter({
  id: 'testing::queue::adapters::SharedQueue', slot: QueueSlot, summary: 'A queue that engines share', stability: 'development', since: '0.1.0',
  config: { type: 'object', additionalProperties: false }, variants: { plain: {} },
  capabilities: (): QueueCapabilities => ({ durable: false, ordering: 'per_key', delayed: true, dedupe: true, multiEngine: true, takeOverMs: 0, counts: 'exact', commit: [], maxMessageBytes: 1e6 }),
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
    // The other engine is this one here: it has claimed the delivery again.
    await rig.clock.advance(0);
    for (const call of rig.workers[0]?.held ?? []) call.succeed({});
    await rig.test.stop();
  });
});
