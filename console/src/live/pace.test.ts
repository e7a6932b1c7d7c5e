import { expect } from 'chai';
import { fakeClock, type FakeClock } from '@treadle/testing';
import { Pace, type PaceOptions } from './pace.js';

describe('the pace of the live channel', () => {
  let clock: FakeClock;
  let busy: boolean;
  /** Milliseconds that went by in pieces of work. */
  let worked: number;
  let told: number;
  let pace: Pace;
  let done: string[];
  beforeEach(() => {
    [clock, busy, worked, told, done] = [fakeClock(), true, 0, 0, []];
    pace = paceOf();
  });
  const paceOf = (options: Pick<PaceOptions, 'part' | 'longestRestMs'> = {}): Pace => new Pace({
    clock: { now: () => clock.now(), monotonic: () => clock.monotonic() + worked, after: (ms, task) => clock.after(ms, task), every: (ms, task) => clock.every(ms, task) },
    load: { isBusy: () => busy, spent: (ms) => void (told += ms) }, ...options,
  });

  /** Work that takes so long. */
  const work = (name: string, ms: number) => (): void => {
    done.push(name);
    worked += ms;
  };
  const settle = async (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 5));
  const pass = async (ms: number): Promise<void> => {
    await clock.advance(ms);
    await settle();
  };

  it('begins one after the other, each a hundred times as long after the last one as that took', async () => {
    for (const name of ['a', 'b']) pace.inTurn(work(name, 5));
    await pass(0);
    await pass(499);
    expect(done).to.deep.equal(['a']);
    await pass(1);
    expect(done).to.deep.equal(['a', 'b']);
  });

  it('rests less while the engine has little to do', async () => {
    busy = false;
    for (const name of ['a', 'b']) pace.inTurn(work(name, 5));
    await pass(0);
    await pass(50);
    expect(done).to.deep.equal(['a', 'b']);
  });

  it('rests longer with a part of the time alone, and tells what was done', async () => {
    const half = paceOf({ part: 0.5 });
    for (const name of ['a', 'b']) half.inTurn(work(name, 5));
    await pass(0);
    await pass(999);
    expect([done, told]).to.deep.equal([['a'], 5]);
    await pass(1);
    expect([done, told]).to.deep.equal([['a', 'b'], 10]);
  });

  for (const [words, options, longest] of [['three seconds', {}, 3_000], ['it is told to', { longestRestMs: 700 }, 700]] as const) {
    it(`rests no longer than ${words}, however long the last one took`, async () => {
      const paced = paceOf(options);
      for (const name of ['a', 'b']) paced.inTurn(work(name, 700));
      await pass(0);
      await pass(longest - 1);
      expect(done).to.deep.equal(['a']);
      await pass(1);
      expect(done).to.deep.equal(['a', 'b']);
    });
  }

  it('does not let wait who looks on, but whose turn it would be', async () => {
    await Promise.all([pace.now(work('first', 3)), settle()]);
    pace.inTurn(work('turn', 1));
    await pace.now(work('second', 1));
    await pass(200);
    expect(done).to.deep.equal(['first', 'second']);
    await pass(100);
    expect(done).to.deep.equal(['first', 'second', 'turn']);
  });
});
