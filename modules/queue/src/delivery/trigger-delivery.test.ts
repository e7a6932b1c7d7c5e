import { definePlugin, DELIVERY_CONFIG, type InvokeRequest, type Lifecycle, Module, type OperationError, type Plugin, type TriggerDelivery, type TriggerRecord } from '@treadle/api';
import { expect } from 'chai';
import { FakeSteps, type Handle, type Rig, startRig, stepRecord } from '../queue-rig.fixture.js';

/** A module with the kinds `acme.mqtt`, whose key is the broker's topic, and `acme.once`, to which the queue does not deliver. */
function brokerPlugin(): Plugin {
  class BrokerModule implements Lifecycle {}
  const schema = { type: 'object', properties: { topic: { type: 'string' }, config: DELIVERY_CONFIG } } as const;
  Module({
    id: 'acme::mqtt::BrokerModule', summary: 'Messages of a broker', stability: 'alpha', since: '1.0.0',
    config: { type: 'object', additionalProperties: false },
    triggerKinds: [
      {
        type: 'acme.mqtt', summary: 'a message of a broker', schema,
        deliveryKey: ({ topic }) => {
          if (topic === 'broken') throw new Error('no key');
          return topic as string;
        },
      },
      { type: 'acme.once', summary: 'a message that is delivered once', schema },
    ],
  })(BrokerModule);
  return definePlugin({ name: 'acme-mqtt', version: '1.0.0', api: '*', modules: [BrokerModule] });
}

const mqtt = (topic: string, config?: object): TriggerRecord => ({ type: 'acme.mqtt', topic, ...config && { config } });
const once = { backoff: { delayMs: 1_000, factor: 1, jitter: 0 } };

interface Row { readonly step: string; readonly topic: string; readonly waiting: number; readonly fifo: boolean }
interface Letter { readonly step: string; readonly topic: string; readonly kind: string; readonly reason: string; readonly attempts: number; readonly data: unknown }

describe('a delivery to a trigger of a plugin', () => {
  let rig: Rig;
  afterEach(() => rig.test.stop());

  const plugin = { plugins: [brokerPlugin()], modules: '  - class: acme::mqtt::BrokerModule\n' };
  const start = async (triggers: readonly TriggerRecord[], handler?: Handle): Promise<void> => {
    rig = await startRig({ ...plugin, steps: [stepRecord('A', triggers)], handlers: handler ? { A: handler } : {} });
  };
  const deliver = (key: string, input: TriggerDelivery['input'], more: Partial<TriggerDelivery> = {}): Promise<{ readonly messageId: string }> =>
    rig.port.deliver({ step: 'A', trigger: { type: 'acme.mqtt', key }, input, ...more });
  const refusal = (promise: Promise<unknown>): Promise<string> => promise.then(() => 'stored', ({ code, message }: OperationError) => `${code}: ${message}`);
  const rows = async (): Promise<readonly Row[]> => (await rig.admin('GET', '/') as { items: Row[] }).items;
  const letters = async (): Promise<readonly Letter[]> => (await rig.admin('GET', '/dead-letters') as { items: Letter[] }).items;

  it('starts the Step by that trigger, in the trace of its origin', async () => {
    const seen: InvokeRequest[] = [];
    await start([{ type: 'queue', topic: 't' }, mqtt('a/#'), mqtt('b')], (_input, request) => void seen.push(request));
    const origin = { traceId: 'c'.repeat(32), spanId: 'd'.repeat(16), sampled: true, hops: 3 };
    const { messageId } = await rig.port.deliver({ step: 'A', trigger: { type: 'acme.mqtt', key: 'b' }, input: { n: 1 } }, origin);
    await deliver('a/#', 'text');
    await rig.clock.advance(0);
    expect(messageId).to.be.a('string');
    expect(seen.map(({ trigger, input, traceId, lane, attempt, hops, message }) => [trigger.type, trigger.index, input, traceId === origin.traceId, lane, attempt, hops, message])).to.have.deep.members([
      ['acme.mqtt', 2, { n: 1 }, true, 'delivery', 1, 4, undefined], ['acme.mqtt', 1, 'text', false, 'delivery', 1, 1, undefined],
    ]);
  });

  it('waits until a worker is there, in a subscription of its own', async () => {
    await start([mqtt('a')]);
    await deliver('a', 1);
    expect((await rows()).map(({ step, topic, waiting }) => [step, topic, waiting])).to.deep.equal([['A', 'acme.mqtt A a', 1]]);
    const seen: unknown[] = [];
    rig.worker({ A: (input) => void seen.push(input) });
    await rig.clock.advance(0);
    expect(seen).to.deep.equal([1]);
    expect((await rows())[0]?.waiting).to.equal(0);
  });

  it('is tried again by the config of its trigger, and then a dead letter that can be redriven', async () => {
    let attempts = 0;
    let broken = true;
    await start([mqtt('a', { maxAttempts: 3, ...once }), mqtt('b')], () => {
      attempts++;
      if (broken) throw new Error('no');
    });
    await deliver('a', { n: 1 });
    await rig.clock.advance(500);
    expect(attempts).to.equal(1);
    await rig.clock.advance(10_000);
    expect(attempts).to.equal(3);
    expect((await letters()).map(({ step, topic, kind, reason, attempts: of, data }) => [step, topic, kind, reason, of, data])).to.deep.equal([
      ['A', 'acme.mqtt A a', 'trigger', 'max_attempts', 3, { n: 1 }],
    ]);
    broken = false;
    expect(await rig.admin('POST', '/dead-letters/redrive', { body: { step: 'A' } })).to.deep.equal({ redriven: 1 });
    await rig.clock.advance(0);
    expect([attempts, await letters()]).to.deep.equal([4, []]);
  });

  it('runs as many at a time as the trigger says, and in order within a group', async () => {
    const order: string[] = [];
    const ends: (() => void)[] = [];
    await start([mqtt('a', { type: 'fifo' })], async (input) => {
      order.push(String(input));
      await new Promise<void>((resolve) => void ends.push(resolve));
    });
    for (const [input, groupId] of [['x1', 'x'], ['x2', 'x'], ['y1', 'y']] as const) await deliver('a', input, { groupId });
    await rig.clock.advance(0);
    expect(order).to.deep.equal(['x1', 'y1']);
    ends[0]?.();
    await rig.clock.advance(0);
    expect(order).to.deep.equal(['x1', 'y1', 'x2']);
    for (const end of ends) end();
  });

  it('is written once for a dedupeKey, per trigger', async () => {
    await start([mqtt('a'), mqtt('b')]);
    const first = await deliver('a', 1, { dedupeKey: 'k' });
    expect(await deliver('a', 2, { dedupeKey: 'k' })).to.deep.equal(first);
    expect(await deliver('b', 3, { dedupeKey: 'k' })).to.not.deep.equal(first);
    expect((await rows()).map(({ waiting }) => waiting)).to.deep.equal([1, 1]);
  });

  it('finds its trigger by the key after a deployment with another order', async () => {
    await start([mqtt('a'), mqtt('b')]);
    await deliver('b', 1);
    const seen: unknown[] = [];
    rig.test.engine.dispatch.catalog.publish([stepRecord('A', [mqtt('c'), mqtt('x'), mqtt('b'), mqtt('a')])]);
    rig.worker({ A: (input, { trigger }) => void seen.push([input, trigger.index]) });
    await rig.clock.advance(0);
    expect(seen).to.deep.equal([[1, 2]]);
  });

  it('is refused, with nothing stored, where there is no such trigger', async () => {
    await start([mqtt('a'), mqtt('broken'), { type: 'acme.once', topic: 'o' }]);
    const none = (type: string, key: string): string => `NoSuchTrigger: Step "A" has no ${type} trigger with the key "${key}"; nothing was stored`;
    expect(await refusal(deliver('z', 1))).to.equal(none('acme.mqtt', 'z'));
    expect(await refusal(deliver('broken', 1))).to.equal(none('acme.mqtt', 'broken'));
    expect(await refusal(deliver('o', 1, { trigger: { type: 'acme.once', key: 'o' } }))).to.equal(none('acme.once', 'o'));
    expect(await refusal(deliver('a', undefined as never))).to.match(/^InvalidValue: /);
    expect(await refusal(deliver('a', 1, { groupId: '' }))).to.match(/^QueueInvalidArgument: groupId must be text/);
    expect((await rows()).map(({ topic, waiting }) => [topic, waiting])).to.deep.equal([['acme.mqtt A a', 0]]);
  });

  it('cannot be enqueued to as a topic', async () => {
    await start([mqtt('a')]);
    expect(await refusal(rig.port.enqueue([{ topic: 'acme.mqtt A a', data: 1 }]))).to.match(/^QueueInvalidArgument: /);
  });

  it('reaches a Step that comes in the same turn', async () => {
    await start([]);
    rig.test.engine.dispatch.catalog.publish([stepRecord('A', [mqtt('a')])]);
    await deliver('a', 1);
    expect((await rows()).map(({ waiting }) => waiting)).to.deep.equal([1]);
  });

  it('becomes a dead letter when its trigger is gone for good', async () => {
    const catalogs = new FakeSteps();
    rig = await startRig({ ...plugin, catalogs, mode: 'development' });
    const named = async (...triggers: TriggerRecord[]): Promise<void> => {
      catalogs.set([{ application: 'app', steps: [stepRecord('A', triggers)], complete: true }]);
      await rig.clock.advance(0);
    };
    await named(mqtt('a'), mqtt('b'));
    await deliver('a', 1);
    await named(mqtt('b'));
    expect((await letters()).map(({ topic, reason }) => [topic, reason])).to.deep.equal([['acme.mqtt A a', 'subscription_retired']]);
  });

  it('ends a chain of triggers that cause each other', async () => {
    let runs = 0;
    await start([mqtt('a')], async (_input, { traceId, spanId, sampled, hops = 0 }) => {
      runs++;
      await rig.port.deliver({ step: 'A', trigger: { type: 'acme.mqtt', key: 'a' }, input: runs }, { traceId, spanId, sampled, hops });
    });
    await deliver('a', 0);
    for (let turn = 0; turn < 150; turn++) await rig.clock.advance(0);
    expect([runs, (await letters()).map(({ reason }) => reason)]).to.deep.equal([100, ['loop_limit']]);
  });
});
