import { expect } from 'chai';
import { ChangeLog } from './change-log.js';
import type { Entry, JetLog, Stored } from './jet-log.js';
import type { NatsStore } from './nats-store.js';

interface Change {
  readonly id: string;
}

const CREATED = '2026-01-01T00:00:00Z';

/** A log in memory whose messages have changes: as many as `counts` says of each sequence from 1 on. */
class World {
  record: { readonly seq: number; readonly text: string } | undefined;
  /** Headers that were read. */
  looks = 0;
  readonly told: string[] = [];
  /** What happens before each look at the record; it can wait. */
  looking: () => Promise<unknown> = async () => undefined;

  constructor(readonly counts: number[], private readonly subjectOf = (seq: number): string => `s.${seq}`) {}

  open(): ChangeLog<Change> {
    const { counts, told } = this;
    const records = {
      last: async () => {
        await this.looking();
        return this.record && { ...this.record, subject: '', header: () => undefined };
      },
      append: async (_subject: string, { text, after }: Entry) => {
        if ((this.record?.seq ?? 0) !== after) return undefined;
        this.record = { seq: after + 1, text };
        return after + 1;
      },
    };
    const message = (seq: number): Stored => ({ seq, subject: this.subjectOf(seq), text: '', header: () => { this.looks += 1; return String(counts[seq - 1]); } });
    const log = {
      created: CREATED, end: async () => counts.length, at: async (seq: number) => message(seq),
      async *read({ from }: { from: number }) { for (let seq = from; seq <= counts.length; seq += 1) yield message(seq); },
    };
    const store = { prefix: 'p', engine: 'e', listen: () => () => undefined, tell: () => undefined };
    return new ChangeLog<Change>(store as unknown as NatsStore, records as unknown as JetLog, log as unknown as JetLog, {
      kind: 'state', filter: '>', changesOf: async ({ seq }) => idsOf(seq, counts[seq - 1] ?? 0).map((id) => ({ id })),
      settled: ({ subject, seq, quietUpTo }) => void told.push(`${subject} ${seq} ${quietUpTo}`),
    });
  }
}

const idsOf = (seq: number, count: number): string[] => Array.from({ length: count }, (_, index) => `${seq}.${index}`);
const ones = (count: number): number[] => Array.from({ length: count }, () => 1);
const pendingOf = async (log: ChangeLog<Change>, limit: number, after?: string): Promise<string[]> => (await log.pending(limit, after)).map(({ id }) => id);

describe('ChangeLog', function () {
  this.timeout(180_000);

  it('keeps a small record, and little in mind, of whatever was settled behind a change that is left', async () => {
    const world = new World(ones(20_000));
    const log = world.open();
    for (let seq = 2; seq <= world.counts.length; seq += 500) {
      const page = await pendingOf(log, 500, '1.0');
      expect(page[0]).to.equal(`${seq}.0`);
      await log.settle(page);
    }
    expect(world.record?.text.length).to.be.below(1_000);
    expect(world.looks, 'each header is read once').to.equal(world.counts.length);
    expect(await pendingOf(log, 10)).to.deep.equal(['1.0']);
    expect(await pendingOf(world.open(), 10), 'to an engine that begins').to.deep.equal(['1.0']);
    await log.settle(['1.0']);
    expect(await pendingOf(log, 10)).to.deep.equal([]);
    expect(log.mark.known).to.equal(world.counts.length);
    expect(world.told).to.have.length(world.counts.length);
  });

  it('reads no further when what is left makes the record large, and goes on when some of it is settled', async () => {
    const world = new World(ones(140_000));
    const log = world.open();
    const isOdd = (id: string): boolean => Number(id.split('.')[0]) % 2 === 1;
    const page = await pendingOf(log, 130_000);
    const after = page.at(-2);
    await log.settle(page.filter((id) => !isOdd(id)));
    expect(await pendingOf(log, 1_000, after), 'behind 65,000 that are left').to.deep.equal([]);
    expect(await pendingOf(log, 1)).to.deep.equal(['1.0']);
    expect(world.record?.text.length).to.be.below(700_000);
    await log.settle(await pendingOf(log, 5_000));
    expect((await pendingOf(log, 1_000, after)).length).to.be.above(0);
  });

  it('gives what is left in its order, after each id that is left, whatever was settled and by which engine', async () => {
    const world = new World(Array.from({ length: 60 }, (_, index) => index % 4));
    const [first, second] = [world.open(), world.open()];
    let left = world.counts.flatMap((count, index) => idsOf(index + 1, count));
    let state = 1;
    const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
    while (left.length > 0) {
      const log = random(2) === 0 ? first : second;
      expect(await pendingOf(log, 1_000)).to.deep.equal(left);
      const at = random(left.length);
      expect(await pendingOf(log, 3, left[at])).to.deep.equal(left.slice(at + 1, at + 4));
      const done = new Set(Array.from({ length: 5 }, () => left[random(left.length)] ?? ''));
      await log.settle([...done]);
      left = left.filter((id) => !done.has(id));
    }
    expect([await pendingOf(first, 10), await pendingOf(second, 10), await pendingOf(world.open(), 10)]).to.deep.equal([[], [], []]);
  });

  it('loses nothing of what another engine has left that came after the last look', async () => {
    const world = new World(ones(3));
    const [first, second] = [world.open(), world.open()];
    await first.pending(10);
    let looks = 0;
    world.looking = async () => {
      looks += 1;
      if (looks !== 2) return;
      world.counts.push(1, 2, 1);
      await second.pending(10);
      await second.settle(['5.1', '6.0']);
    };
    await first.settle(['1.0', '2.0', '3.0']);
    expect(looks).to.be.above(2);
    for (const log of [first, second, world.open()]) expect(await pendingOf(log, 10)).to.deep.equal(['4.0', '5.0']);
  });

  it('says of a subject that its changes are settled, only when none before them is left', async () => {
    const world = new World([1, 1, 1, 1], (seq) => (seq === 2 ? 'b' : 'a'));
    const log = world.open();
    await log.pending(10);
    await log.settle(['2.0', '3.0']);
    expect(world.told).to.deep.equal([]);
    await log.settle(['1.0']);
    expect(world.told.sort()).to.deep.equal(['a 3 0', 'b 2 4']);
    await log.settle(['4.0']);
    expect(world.told.at(-1)).to.equal('a 4 4');
  });

  it('goes on from the record of an engine of a former version', async () => {
    const world = new World(ones(6));
    world.record = { seq: 1, text: JSON.stringify({ created: CREATED, upTo: 1, settled: ['3.0', '5.0'] }) };
    const log = world.open();
    expect(await pendingOf(log, 10)).to.deep.equal(['2.0', '4.0', '6.0']);
    await log.settle(['4.0']);
    expect([await pendingOf(log, 10), await pendingOf(world.open(), 10)]).to.deep.equal([['2.0', '6.0'], ['2.0', '6.0']]);
  });
});
