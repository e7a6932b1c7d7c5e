import { expect } from 'chai';
import { fakeClock, type FakeClock } from '@treadle/testing';
import { HIDDEN_MS, Sampler } from './sampler.js';

describe('a sampled value', () => {
  let clock: FakeClock;
  let reads: number;
  let value: unknown;
  let hidden: boolean;
  let failures: string[];
  const sampler = (): Sampler => new Sampler({
    clock, everyMs: 1000, failed: (error) => failures.push(String(error)), pace: { now: async (work) => void await work(), inTurn: (work) => void work() },
    read: () => {
      reads += 1;
      if (value instanceof Error) throw value;
      return value;
    },
  });
  const listener = (told: string[], isHidden = (): boolean => hidden): { tell: (text: string) => void; isHidden: () => boolean } => ({ tell: (text) => void told.push(text), isHidden });
  beforeEach(() => {
    [clock, reads, value, hidden, failures] = [fakeClock(), 0, { n: 1 }, false, []];
  });

  it('is told at first and when it has changed, as the same text to all', async () => {
    const [own, told, others]: [Sampler, string[], string[]] = [sampler(), [], []];
    own.listen(listener(told));
    await clock.advance(2000);
    own.listen(listener(others));
    expect([reads, told, others]).to.deep.equal([3, ['{"n":1}'], ['{"n":1}']]);
    value = { n: 2 };
    await clock.advance(1000);
    expect([told.at(-1), others.at(-1), reads]).to.deep.equal(['{"n":2}', '{"n":2}', 4]);
  });

  it('is read seldom while all who listen are hidden, and not at all without any', async () => {
    const own = sampler();
    const leave = own.listen(listener([]));
    hidden = true;
    await clock.advance(2 * HIDDEN_MS);
    expect(reads).to.equal(3);
    const leaveToo = own.listen(listener([], () => false));
    await clock.advance(3000);
    expect(reads).to.equal(6);
    leave();
    leaveToo();
    await clock.advance(HIDDEN_MS);
    expect([reads, clock.pending]).to.deep.equal([6, 0]);
  });

  it('says once that it cannot be read, and goes on when it can', async () => {
    const [own, told]: [Sampler, string[]] = [sampler(), []];
    value = new Error('gone');
    own.listen(listener(told));
    await clock.advance(3000);
    value = 7;
    await clock.advance(1000);
    expect([failures, told]).to.deep.equal([['Error: gone'], ['7']]);
  });
});
