import { Adapter, definePlugin, type OperationError, type QueueCapabilities, QueueSlot, type TriggerRecord } from '@treadle/api';
import { MapQueue } from '@treadle/testing';
import { expect } from 'chai';
import { startRig } from './queue-rig.fixture.js';
import { queueTriggerNeeds, type QueueTrigger } from './subscriptions/queue-trigger.js';

const CAPABILITIES: QueueCapabilities = {
  durable: false, ordering: 'none', delayed: false, dedupe: false, multiEngine: false, takeOverMs: 0, counts: 'exact', commit: [], maxMessageBytes: 1_000_000,
};

class WeakQueue extends MapQueue {}
Adapter({
  id: 'testing::queue::adapters::WeakQueue', slot: QueueSlot, summary: 'A queue that can do little', stability: 'development', since: '0.1.0',
  config: { type: 'object', additionalProperties: false }, variants: { plain: {} }, capabilities: CAPABILITIES,
})(WeakQueue);

describe('a queue whose adapter can do little', () => {
  const needs = (config: object): readonly string[] =>
    queueTriggerNeeds({ type: 'queue', topic: 't', config } as QueueTrigger).map(({ key, capability }) => `${key} ${capability}`);

  it('is asked by a trigger for order and for delays that are written down', () => {
    expect(needs({ type: 'fifo', delaySeconds: 30, backoff: { delayMs: 5 } })).to.deep.equal(['config.type ordering', 'config.delaySeconds delayed', 'config.backoff.delayMs delayed']);
    expect(needs({ backoffDelayMs: 1 })).to.deep.equal(['config.backoffDelayMs delayed']);
    expect(needs({ type: 'standard', delaySeconds: 0, maxAttempts: 3 })).to.deep.equal([]);
    expect(queueTriggerNeeds({ type: 'queue', topic: 't' } as QueueTrigger)).to.deep.equal([]);
  });

  it('tells what it lacks by the kind that a running engine declares', async () => {
    const rig = await startRig({ adapter: 'testing::queue::adapters::WeakQueue', plugins: [definePlugin({ name: '@treadle/weak-queue', version: '0.1.0', api: '*', adapters: [WeakQueue] })], steps: [] });
    const kind = rig.test.engine.dispatch.triggers.kinds().find(({ type }) => type === 'queue');
    const issues = kind?.validate?.({ type: 'queue', topic: 't', config: { type: 'fifo', delaySeconds: 30 } } as TriggerRecord) ?? [];
    expect(issues.map(({ code, key, remedy }) => [code, key, remedy])).to.deep.equal([
      ['STEP_ADAPTER_LACKS', 'config.type', 'write type: standard, or configure an adapter that has it'],
      ['STEP_ADAPTER_LACKS', 'config.delaySeconds', 'remove delaySeconds, or configure an adapter that has it'],
    ]);
    expect(issues[0]?.message).to.match(/^testing::queue::adapters::WeakQueue \(.+:\d+:\d+\) has no order of messages, as it is configured \(ordering: "none"\)$/);
    await rig.test.stop();
  });

  it('refuses a delay instead of delivering at once', async () => {
    const rig = await startRig({ adapter: 'testing::queue::adapters::WeakQueue', plugins: [definePlugin({ name: '@treadle/weak-queue', version: '0.1.0', api: '*', adapters: [WeakQueue] })], steps: [] });
    const refused = await rig.send('t', 1, { delayMs: 10 }).catch(({ code, message }: OperationError) => `${code}: ${message}`);
    expect(refused).to.equal('CAPABILITY_UNSUPPORTED: a delay was refused for topic "t": the queue\'s adapter has no delays');
    expect(await rig.send('t', 1, { delayMs: 0 })).to.be.a('string');
    await rig.test.stop();
  });
});
