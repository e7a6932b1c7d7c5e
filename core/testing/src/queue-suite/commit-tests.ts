import type { CommitOutcome, DeliveryCommit, Json, QueueDelivery, StateAdapter, StoreWrite, StreamAdapter, StreamEvent } from '@treadle/api';
import { expect } from 'chai';
import { held, type QueueTests, type QueueUnderTest } from './queue-under-test.js';

const MOST = { maxWaiting: 1_000_000 };
const GROUP = { stream: 'orders', groupId: 'all' };
const VOID: CommitOutcome = { ok: false, why: 'void' };

export const counter = (value: Json, more: Partial<StoreWrite> = {}): StoreWrite =>
  ({ slot: 'state', group: 'g', key: 'counter', decision: { action: 'set', value }, ...more }) as StoreWrite;
export const item = (value: Json, more: Partial<StoreWrite> = {}): StoreWrite =>
  ({ slot: 'stream', group: GROUP, id: 'i', decision: { action: 'set', value }, ...more }) as StoreWrite;
export const stateOf = (queue: QueueUnderTest): StateAdapter => queue.beside<StateAdapter>('state');
export const streamsOf = (queue: QueueUnderTest): StreamAdapter => queue.beside<StreamAdapter>('stream');

/** Ends the claim with what goes with it. */
async function commit(queue: QueueUnderTest, ...commits: readonly DeliveryCommit[]): Promise<readonly CommitOutcome[]> {
  return await queue.adapter.commitMany?.(commits, MOST) ?? [];
}

/** A queue with so many claimed deliveries of Step `a`; Step `b` consumes the topic `next`. */
async function claimed(queue: QueueUnderTest, count = 1): Promise<readonly DeliveryCommit[]> {
  await queue.subscribe('t', 'a');
  await queue.subscribe('next', 'b');
  await queue.enqueue(...Array.from({ length: count }, () => ({})));
  return (await queue.claim('a')).map((claim) => ({ settle: { action: 'done', claim }, enqueue: [], writes: [] }));
}

async function written(queue: QueueUnderTest): Promise<readonly [counter: unknown, item: unknown, messages: number]> {
  const [state, stream] = [await stateOf(queue).get('g', 'counter'), await streamsOf(queue).get(GROUP, 'i')];
  return [state, stream, (await queue.adapter.peek({ step: 'b', topic: 'next' }, 1_000)).length];
}

/** Ends and messages. */
export function commitTests({ suite, withFresh, declared }: QueueTests): void {
  if (!declared.commit.includes('enqueue')) return;
  suite.test('ends a claim and enqueues in one commit', () => withFresh(async (queue) => {
    const [one] = await claimed(queue);
    await queue.told();
    const messages = [queue.message({ topic: 'next', data: '1' }), queue.message({ topic: 'next', data: '2' })];
    expect(await commit(queue, { ...held(one), enqueue: messages })).to.deep.equal([{ ok: true, ids: messages.map(({ id }) => id) }]);
    expect(await queue.told()).to.include('b/next');
    expect(await queue.claimIds('b', 10, 'next')).to.deep.equal(messages.map(({ id }) => id));
    expect(await queue.statisticsOf('a')).to.include({ waiting: 0, active: 0, dead: 0 });
    expect(await commit(queue, held(one)), 'a second time').to.deep.equal([VOID]);
  }));

  suite.test('gives back and buries with what is enqueued', () => withFresh(async (queue) => {
    const [one, two] = await claimed(queue, 2);
    const progress = { attempts: 1, deaths: 0, history: '["x"]' };
    const [back, dead] = [held(one).settle.claim, held(two).settle.claim];
    const outcomes = await commit(
      queue, { settle: { action: 'return', claim: back, progress }, enqueue: [queue.message({ topic: 'next' })], writes: [] },
      { settle: { action: 'dead', claim: dead, progress, reason: 'non_retryable', at: queue.clock.now() }, enqueue: [queue.message({ topic: 'next' })], writes: [] });
    expect(outcomes.map(({ ok }) => ok)).to.deep.equal([true, true]);
    expect((await queue.letters()).map(({ reason }) => reason)).to.deep.equal(['non_retryable']);
    expect(await queue.claimIds('b', 10, 'next')).to.have.length(2);
    expect((await queue.claim('a')).map((claim) => claim.progress)).to.deep.equal([progress]);
  }));

  suite.test('commits nothing for a claim that has ended, nor where a subscription is full', () => withFresh(async (queue) => {
    const [one, two] = await claimed(queue, 2);
    await queue.done(claimOf(one));
    expect(await commit(queue, { ...held(one), enqueue: [queue.message({ topic: 'next' })] })).to.deep.equal([VOID]);
    expect(await queue.claimIds('b', 10, 'next')).to.deep.equal([]);
    await queue.enqueue({ topic: 'next' });
    const over = { ...held(two), enqueue: [queue.message({ topic: 'next' }), queue.message({ topic: 'next' })] };
    expect(await queue.adapter.commitMany?.([over], { maxWaiting: 2 })).to.deep.equal([{ ok: false, why: 'full', full: { step: 'b', topic: 'next' } }]);
    expect(await queue.claimIds('b', 10, 'next')).to.have.length(1);
    expect(await queue.done(claimOf(two)), 'the claim still holds').to.deep.equal([true]);
  }));

}

/** Keys against repeats. */
export function commitDedupeTests({ suite, withFresh, declared }: QueueTests): void {
  if (!declared.commit.includes('enqueue') || !declared.dedupe) return;
  suite.test('writes nothing for a repeated key of a commit and gives the first id', () => withFresh(async (queue) => {
    const [one, two] = await claimed(queue, 2);
    const [first, repeat] = [queue.message({ topic: 'next', dedupeKey: 'k' }), queue.message({ topic: 'next', dedupeKey: 'k' })];
    await commit(queue, { ...held(one), enqueue: [first] });
    expect(await commit(queue, { ...held(two), enqueue: [repeat] })).to.deep.equal([{ ok: true, ids: [first.id] }]);
    expect(await queue.claimIds('b', 10, 'next')).to.deep.equal([first.id]);
  }));
}

/** As it was claimed. */
const claimOf = (one: DeliveryCommit | undefined): QueueDelivery => held(one).settle.claim as QueueDelivery;

const writesAll = ({ declared }: QueueTests): boolean => declared.commit.includes('state') && declared.commit.includes('stream');

/** State and items. */
export function commitWriteTests(tests: QueueTests): void {
  const { suite, withFresh } = tests;
  if (!writesAll(tests)) return;
  suite.test('writes state and items with the end of a claim, as their adapters do', () => withFresh(async (queue) => {
    const [one, two] = await claimed(queue, 2);
    const events: StreamEvent[] = [];
    streamsOf(queue).watch((event) => events.push(event));
    const change = { origin: '{"o":1}' };
    expect((await commit(queue, { ...held(one), writes: [counter(1, { ifRevision: 0, change }), item({ n: 1 }, { ifRevision: 0, change })] }))[0]?.ok).to.equal(true);
    expect(await written(queue)).to.deep.equal([{ value: 1, revision: 1 }, { value: { n: 1 }, revision: 1 }, 0]);
    expect((await commit(queue, { ...held(two), writes: [counter(2, { ifRevision: 1 }), item(null, { decision: { action: 'delete' }, ifRevision: 1 })] }))[0]?.ok).to.equal(true);
    expect(await written(queue)).to.deep.equal([{ value: 2, revision: 2 }, undefined, 0]);
    expect(events.map(({ id, event }) => [id, event])).to.deep.equal([['i', { type: 'create', data: { n: 1 } }], ['i', { type: 'delete', data: { n: 1 } }]]);
    expect(await stateOf(queue).pendingChanges(10)).to.have.length(1);
    expect((await stateOf(queue).pendingChanges(10))[0]).to.deep.include({ key: 'counter', oldValue: undefined, newValue: 1, revision: 1, ...change });
    expect((await streamsOf(queue).pendingChanges(10)).map(({ itemId, type, origin }) => [itemId, type, origin])).to.deep.equal([['i', 'create', change.origin]]);
  }));

  suite.test('goes on with what it wrote, and keeps a time to live', () => withFresh(async (queue) => {
    const [one, two] = await claimed(queue, 2);
    const until = queue.clock.now() + 1_000;
    await commit(queue, { ...held(one), writes: [counter(1, { decision: { action: 'set', value: 1, expiresAt: until } })] });
    await commit(queue, { ...held(two), writes: [counter(2, { ifRevision: 1, decision: { action: 'set', value: 2, keepExpiry: true } })] });
    const add = await stateOf(queue).write({ group: 'g', key: 'counter', recordChange: false, next: (now) => ({ action: 'set', value: Number(now?.value) + 1, keepExpiry: true }) });
    expect(add.after).to.deep.equal({ value: 3, revision: 3 });
    await queue.clock.advance(1_000);
    expect(await stateOf(queue).get('g', 'counter')).to.equal(undefined);
  }));
}

/** What is compared. */
export function commitRefusalTests(tests: QueueTests): void {
  const { suite, withFresh } = tests;
  if (!writesAll(tests)) return;
  const refused: readonly (readonly [what: string, writes: readonly StoreWrite[], at: number])[] = [
    ['a key that is there, for none', [item(2, { ifRevision: 1 }), counter(2, { ifRevision: 0 })], 1],
    ['another revision of a key', [counter(2, { ifRevision: 2 }), item(2)], 0],
    ['an item that is there, for none', [counter(2), item(2, { ifRevision: 0 })], 1],
    ['another revision of an item', [item(2, { ifRevision: 7 }), counter(2)], 0],
    ['a key that was only read', [item(2, { ifRevision: 1 }), counter(0, { decision: { action: 'keep' }, ifRevision: 3 })], 1],
  ];
  for (const [what, writes, at] of refused) {
    suite.test(`commits nothing where an entry is not as expected: ${what}`, () => withFresh(async (queue) => {
      const [one, two] = await claimed(queue, 2);
      await commit(queue, { ...held(one), writes: [counter(1), item(1)] });
      const late = { ...held(two), enqueue: [queue.message({ topic: 'next' })], writes };
      expect(await commit(queue, late)).to.deep.equal([{ ok: false, why: 'conflict', at }]);
      expect(await written(queue)).to.deep.equal([{ value: 1, revision: 1 }, { value: 1, revision: 1 }, 0]);
      expect(await queue.statisticsOf('a')).to.include({ active: 1, waiting: 0 });
      const keep = [counter(0, { decision: { action: 'keep' }, ifRevision: 1 }), item(2, { ifRevision: 1 })];
      expect((await commit(queue, { ...late, writes: keep }))[0]?.ok, 'the claim still holds').to.equal(true);
      expect(await written(queue)).to.deep.equal([{ value: 1, revision: 1 }, { value: 2, revision: 2 }, 1]);
    }));
  }

  suite.test('lets one of several through that compare the same entry', () => withFresh(async (queue) => {
    const commits = (await claimed(queue, 5)).map((one, index) => ({ ...one, enqueue: [queue.message({ topic: 'next' })], writes: [counter(index, { ifRevision: 0 })] }));
    const outcomes = [...await commit(queue, ...commits.slice(0, 3)), ...(await Promise.all(commits.slice(3).map((one) => commit(queue, one)))).flat()];
    expect(outcomes.filter(({ ok }) => ok)).to.have.length(1);
    expect(outcomes.filter((outcome) => !outcome.ok && outcome.why === 'conflict')).to.have.length(4);
    expect((await written(queue))[2]).to.equal(1);
    expect(await queue.statisticsOf('a')).to.include({ active: 4 });
  }));
}
