import { expect } from 'chai';
import type { StreamEvent } from '@treadle/api';
import type { Suite } from '../runner.js';
import { changeLeadTests } from '../suite/change-lead-tests.js';
import { eventually } from '../eventually.js';
import { twoEngines, type WithTwo } from '../suite/two-engines.js';
import { GROUP, pairs, replayed, type StreamTests, StreamsUnderTest } from './stream-under-test.js';

const OTHER = { stream: 's', groupId: 'h' };
type Two = WithTwo<StreamsUnderTest>;

/** Two engines with clocks of their own on one store. */
export function sharingTests({ suite, withFresh, declared }: StreamTests): void {
  suite.test(`has ${declared.multiEngine ? 'what' : 'nothing that'} several engines have in common`, () => withFresh(async ({ adapter }) => {
    expect(adapter.shared === undefined).to.equal(!declared.multiEngine);
  }));
  if (!declared.multiEngine) return;
  const withTwo = twoEngines(withFresh, StreamsUnderTest);

  suite.test('counts every one of 50 updates of two engines at the same time', withTwo(async (first, second) => {
    await Promise.all(Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? first : second).add('n', 1)));
    for (const { adapter } of [first, second]) expect((await adapter.get(GROUP, 'n'))?.value).to.equal(50);
  }));

  followTests(suite, withTwo);
  orderTests(suite, withTwo);
  pastTests(suite, withTwo);
  changeLeadTests(suite, withTwo, {
    shared: ({ adapter }) => adapter.shared?.changes,
    write: (streams) => streams.write('changed', () => ({ action: 'set', value: 1 }), { change: () => ({ origin: 'o' }) }),
    pending: async ({ adapter }) => (await adapter.pendingChanges(10)).map(({ id }) => id),
    settle: ({ adapter }, ids) => adapter.settleChanges(ids),
  });
}

/** What an engine is told of others, from when until when. */
function followTests(suite: Suite, withTwo: Two): void {
  suite.test('tells an engine of every event of another one from when it follows a group', withTwo(async (first, second) => {
    await first.set('before', 1);
    await follow(second);
    const { length: before } = first.events;
    for (let count = 0; count < 20; count += 1) {
      await Promise.all([first.set(`i${count % 3}`, count), first.send('e', count)]);
      if (count % 5 === 0) await first.delete('i0');
    }
    await first.set('elsewhere', 1, OTHER);
    const sent = first.eventsOf().slice(before);
    await eventually('the events of another engine', () => second.eventsOf().length >= sent.length);
    expect(second.events).to.deep.equal(sent);
  }));

  suite.test('tells it no more when all of its uses have ended', withTwo(async (first, second) => {
    const [one, two] = [await follow(second), await follow(second)];
    one();
    await first.set('a', 1);
    await eventually('an event while one use goes on', () => second.eventsOf().length === 1);
    two();
    await first.set('a', 2);
    await follow(second, OTHER);
    await first.set('a', 3, OTHER);
    await eventually('an event of another group', () => second.eventsOf(OTHER).length === 1);
    await second.set('a', 4);
    expect(second.eventsOf().map(({ seq }) => seq)).to.deep.equal([1, 3]);
  }));
}

/** The one order of a group. */
function orderTests(suite: Suite, withTwo: Two): void {
  suite.test('tells both of one order without a gap while both write, with rising times', withTwo(async (first, second) => {
    await Promise.all([follow(first), follow(second)]);
    for (let round = 0; round < 10; round += 1) {
      const writes = [first, second].flatMap((engine, index) => Array.from({ length: 10 }, (_, count) => (count % 3 === 0 ? engine.send('e', count) : engine.set(`${index}`, count))));
      await Promise.all(writes);
    }
    await eventually('all events at both', () => first.eventsOf().length >= 200 && second.eventsOf().length >= 200);
    expect(first.events.map(({ seq }) => seq)).to.deep.equal(Array.from({ length: 200 }, (_, index) => index + 1));
    expect(second.events).to.deep.equal(first.events);
    first.events.forEach(({ timestamp }, index) => expect(timestamp, `time of event ${index}`).to.be.above(first.events[index - 1]?.timestamp ?? 0));
  }));

  suite.test('tells an engine of its own event before the write resolves, behind those of others', withTwo(async (first, second) => {
    await follow(second);
    for (let round = 0; round < 30; round += 1) {
      await Promise.all([first.set('a', round), first.send('e', round)]);
      await second.set('b', round);
      expect(second.events.map(({ seq }) => seq)).to.deep.equal(Array.from({ length: 3 * (round + 1) }, (_, index) => index + 1));
      expect(second.events.at(-1)).to.deep.include({ id: 'b', event: { type: round === 0 ? 'create' : 'update', data: round } });
    }
  }));
}

/** What happened before. */
function pastTests(suite: Suite, withTwo: Two): void {
  suite.test('lets the events that are told continue a snapshot that is taken after that', withTwo(async (first, second) => {
    for (let round = 0; round < 10; round += 1) {
      const writing = Promise.all(Array.from({ length: 20 }, (_, index) => first.set(`i${index % 4}`, [round, index])));
      const end = await follow(second);
      const snapshot = await second.adapter.snapshot(GROUP);
      await writing;
      const { seq } = await first.position();
      await eventually(`event ${seq}`, () => seq === snapshot.position.seq || second.events.at(-1)?.seq === seq);
      expect(replayed(snapshot, second.events)).to.deep.equal(pairs(await first.items()));
      end();
      second.events = [];
    }
  }));

  suite.test('gives the events after a position, of all engines and ephemeral ones with them, also where the group is not followed', withTwo(async (first, second) => {
    await follow(first);
    const { epoch } = await first.position();
    for (let round = 0; round < 10; round += 1) await Promise.all([first.set('a', round), second.send('e', round), second.set('b', round)]);
    await eventually('all events', () => first.eventsOf().length === 30);
    const past = (seq: number, limit: number): Promise<readonly StreamEvent[] | undefined> | undefined => second.adapter.shared?.eventsAfter(GROUP, { epoch, seq }, limit);
    for (const seq of [0, 1, 17, 29]) expect(await past(seq, 100), `after ${seq}`).to.deep.equal(first.events.slice(seq));
    expect(await past(4, 3)).to.deep.equal(first.events.slice(4, 7));
    expect(await past(30, 100)).to.deep.equal([]);
    expect(await past(31, 100), 'a position that has not come').to.equal(undefined);
    expect(await second.adapter.shared?.eventsAfter(GROUP, { epoch: `not ${epoch}`, seq: 1 }, 100)).to.equal(undefined);
  }));

  suite.test('says of a past that is too long that it is not known, rather than leave something out', withTwo(async (first, second) => {
    const { epoch } = await first.position();
    for (let round = 0; round < 6; round += 1) await Promise.all(Array.from({ length: 500 }, (_, index) => first.send('e', index)));
    const past = await second.adapter.shared?.eventsAfter(GROUP, { epoch, seq: 0 }, 10_000);
    if (past) expect(past.map(({ seq }) => seq)).to.deep.equal(Array.from({ length: 3_000 }, (_, index) => index + 1));
    expect(await second.adapter.shared?.eventsAfter(GROUP, { epoch, seq: 2_990 }, 10_000)).to.have.length(10);
  }));
}

async function follow({ adapter }: StreamsUnderTest, group = GROUP): Promise<() => void> {
  return await adapter.shared?.follow(group) ?? expect.fail('it cannot follow a group');
}
