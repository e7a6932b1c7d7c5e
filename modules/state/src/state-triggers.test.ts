import { bind, type ChangeSubject, definePlugin, type Lifecycle, Module, type OperationContext, QueuePort, StatePort } from '@treadle/api';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import keyv from '@treadle/plugin-keyv';
import { expect } from 'chai';
import state from './index.js';
import { HeldQueue, inGroup } from './queue.fixture.js';
import { STATE_OPERATIONS, stateOperations, type WritingState } from './state-operations.js';

const ORIGIN = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: false, hops: 7 };
const YAML = `
engine: { implicit_modules: false }
modules:
  - class: modules::state::StateModule
    config: { adapter: { class: modules::state::adapters::KvStore } }
  - class: testing::queue::HeldQueueModule
`;

/** Brings a queue as its module would. */
function pluginOf(queue: HeldQueue): ReturnType<typeof definePlugin> {
  class HeldQueueModule implements Lifecycle {
    ports = (): ReturnType<NonNullable<Lifecycle['ports']>> => [bind(QueuePort, queue)];
  }
  Module({
    id: 'testing::queue::HeldQueueModule', summary: 'A queue under control', stability: 'development', since: '0.1.0',
    config: { type: 'object', additionalProperties: false }, provides: [QueuePort],
  })(HeldQueueModule);
  return definePlugin({ name: '@treadle/held-queue', version: '0.1.0', api: '*', modules: [HeldQueueModule] });
}

describe('state triggers', () => {
  let test: TestComposition | undefined;
  afterEach(async () => {
    await test?.stop();
    test = undefined;
  });

  const started = async (wanted: (subject: ChangeSubject) => boolean): Promise<{ queue: HeldQueue; port: StatePort }> => {
    const queue = new HeldQueue(wanted);
    test = await createTestComposition({ builtins: [state, keyv, pluginOf(queue)], yaml: YAML });
    return { queue, port: test.engine.port(StatePort) as StatePort };
  };

  it('hand every kind of write to the queue in order, as the handler gets it', async () => {
    const { queue, port } = await started(inGroup('g'));
    await port.set('g', 'k', { n: 1 }, { origin: ORIGIN });
    await port.set('other', 'k', 1, { origin: ORIGIN });
    await port.update('g', 'k', [{ type: 'increment', path: 'n' }], ORIGIN);
    await port.compareAndSet('g', 'k', { revision: 2, value: null }, ORIGIN);
    await port.delete('g', 'k', ORIGIN);
    await port.delete('g', 'k', ORIGIN);
    expect(queue.source?.kind).to.equal('state');
    const changes = await queue.take();
    expect(changes.map(({ input }) => input.value)).to.deep.equal([
      { type: 'create', group: 'g', key: 'k', oldValue: null, newValue: { n: 1 } },
      { type: 'update', group: 'g', key: 'k', oldValue: { n: 1 }, newValue: { n: 2 } },
      { type: 'update', group: 'g', key: 'k', oldValue: { n: 2 }, newValue: null },
      { type: 'delete', group: 'g', key: 'k', oldValue: null, newValue: null },
    ]);
    for (const { origin, subject } of changes) {
      expect(origin).to.deep.equal(ORIGIN);
      expect(subject).to.deep.equal({ kind: 'state', group: 'g', key: 'k' });
    }
    expect(queue.told, 'told of each write that was wanted').to.equal(5);
    expect(await queue.take()).to.deep.equal([]);
  });

  it('hear of each key that clear removes and a trigger matches', async () => {
    const { queue, port } = await started((subject) => subject.kind === 'state' && subject.key.startsWith('k'));
    for (const key of ['k1', 'k2', 'silent']) await port.set('g', key, key);
    await queue.take();
    expect(await port.clear('g', ORIGIN)).to.equal(3);
    expect((await queue.take()).map(({ input, origin }) => [(input.value as { type: string }).type, (input.value as { key: string }).key, origin.hops]))
      .to.deep.equal([['delete', 'k1', 7], ['delete', 'k2', 7]]);
  });

  it('begin a trace when nobody gave an origin, the same however often the change is fetched', async () => {
    const { queue, port } = await started(() => true);
    await port.set('g', 'k', 1);
    const [first] = await queue.source?.pending(1) ?? [];
    const [again] = await queue.source?.pending(1) ?? [];
    expect(first?.origin).to.deep.equal(again?.origin).and.include({ hops: 0, sampled: false });
    expect(first?.origin.traceId).to.match(/^[0-9a-f]{32}$/);
    expect(first?.origin.spanId).to.match(/^[0-9a-f]{16}$/);
  });

  it('say nothing of a write that was refused', async () => {
    const { queue, port } = await started(() => true);
    await port.compareAndSet('g', 'k', { revision: 4, value: 1 }).catch(() => undefined);
    expect(await queue.take()).to.deep.equal([]);
  });

  it('leave the queue before the adapter closes', async () => {
    const { queue } = await started(() => true);
    await test?.stop();
    test = undefined;
    expect(queue.closed).to.equal(true);
  });
});

describe('operations on state', () => {
  it('pass the origin of their handler to every write', async () => {
    const seen: unknown[][] = [];
    const note = (name: string) => async (...given: unknown[]): Promise<void> => void seen.push([name, given.at(-1)]);
    const port = Object.fromEntries(STATE_OPERATIONS.map(({ name }) => name.slice('state.'.length)).map((verb) => [verb, note(verb)]));
    const request = { ...ORIGIN, step: 's', input: null };
    const context = { call: { request } } as unknown as OperationContext;
    for (const [name, operation] of stateOperations({ ...port, put: note('put') } as unknown as WritingState)) {
      if (/get|list/i.test(name)) continue;
      const more = name === 'state.set' ? { ttlMs: 5 } : { ops: [], revision: 0 };
      await operation({ group: 'g', key: 'k', value: 1, ...more }, context);
    }
    const origin = { ...ORIGIN, step: 's' };
    expect(seen).to.deep.equal([['put', { ttlMs: 5, origin }], ['delete', origin], ['update', origin], ['clear', origin], ['compareAndSet', origin]]);
  });
});
