import { expect } from 'chai';
import { fakeClock, type FakeClock } from '@treadle/testing';
import { HIDDEN_MS, type SampleListener, Sampler, STUCK_MS } from './sampler.js';

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
      return typeof value === 'function' ? (value as () => unknown)() : value;
    },
  });
  const listener = (told: string[], isHidden = (): boolean => hidden): SampleListener => ({ tell: (text) => void told.push(text), stale: (error) => void told.push(String(error)), isHidden });
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
    expect([failures, told]).to.deep.equal([['Error: gone'], ['Error: gone', '7']]);
  });

  it('says to all who listen that what they were told is old, and tells it again when it can be read, though it is the same', async () => {
    const [own, told, others]: [Sampler, string[], string[]] = [sampler(), [], []];
    own.listen(listener(told));
    await clock.advance(0);
    value = new Error('locked');
    await clock.advance(2000);
    own.listen(listener(others));
    expect([told, others]).to.deep.equal([['{"n":1}', 'Error: locked'], ['{"n":1}', 'Error: locked']]);
    value = { n: 1 };
    await clock.advance(1000);
    expect([told.at(-1), others.at(-1), told.length, others.length]).to.deep.equal(['{"n":1}', '{"n":1}', 3, 3]);
  });

  it('counts as one that cannot be read when its reading does not end, until it does', async () => {
    const [own, told]: [Sampler, string[]] = [sampler(), []];
    own.listen(listener(told));
    await clock.advance(0);
    let end = (): void => undefined;
    value = () => new Promise<number>((resolve) => void (end = () => resolve(8)));
    await clock.advance(STUCK_MS);
    expect(told).to.deep.equal(['{"n":1}']);
    await clock.advance(3000);
    expect([told.length, told.at(-1)]).to.deep.equal([2, 'Refusal: reading it has taken more than 30 s']);
    end();
    await clock.advance(0);
    expect(told.at(-1)).to.equal('8');
  });
});
