import { expect } from 'chai';
import { Activity } from './activity.js';
import { FakeTime } from './fake-time.js';

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('the time of a test engine', () => {
  it('goes to the next timer and no further, and runs all that are due there, in order', () => {
    const time = new FakeTime(1_000);
    const ran: string[] = [];
    time.after(20, () => ran.push(`b ${time.now()}`));
    time.after(10, () => ran.push(`a ${time.now()}`));
    time.after(20, () => ran.push(`c ${time.now()}`));
    time.after(10, () => ran.push('never')).cancel();
    expect([time.step(50, 0), time.moved, time.step(50, 0), time.moved, ran]).to.deep.equal([false, 10, false, 20, ['a 1010', 'b 1020', 'c 1020']]);
    expect([time.step(50, 0), time.now()]).to.deep.equal([true, 1_050]);
  });

  it('lets one timer cancel another that is due with it', () => {
    const time = new FakeTime(0);
    let ran = false;
    time.after(5, () => other.cancel());
    const other = time.after(5, () => { ran = true; });
    time.step(5, 0);
    expect(ran).to.equal(false);
  });

  it('runs what is due at once without being moved', async () => {
    const time = new FakeTime(0);
    let ran = 0;
    time.after(0, () => { ran++; });
    expect(time.hasDue).to.equal(true);
    await turn();
    expect([ran, time.hasDue, time.now()]).to.deep.equal([1, false, 0]);
  });

  it('lets repeated timers be late, once each, but no others', () => {
    const time = new FakeTime(0);
    const [every, after]: [number[], number[]] = [[], []];
    time.every(10, () => every.push(time.now()));
    time.after(105, () => after.push(time.now()));
    while (!time.step(200, 50));
    expect([every, after]).to.deep.equal([[60, 105, 160, 200], [105]]);
  });

  it('passes by itself once it may', async () => {
    const time = new FakeTime(0);
    const ran = new Promise<void>((resolve) => void time.after(20, resolve));
    time.goOn();
    const awake = setTimeout(() => undefined, 10_000);
    await ran;
    clearTimeout(awake);
    expect(time.now()).to.be.greaterThan(0);
    time.stop();
  });
});

describe('what is under way', () => {
  it('is waited for, and what comes of it', async () => {
    const activity = new Activity(() => false);
    const [first, second] = [{}, {}];
    activity.begin(first, 'first');
    setTimeout(() => {
      activity.end(first);
      setImmediate(() => activity.begin(second, 'second'));
      setTimeout(() => activity.end(second), 10);
    }, 10);
    expect(await activity.quiet({ limitMs: 10_000, of: 'all' })).to.equal(true);
    expect(activity.names()).to.deep.equal([]);
  });

  it('is given up after a time, or after a time of silence, and may be left out', async () => {
    const activity = new Activity(() => false);
    const work = {};
    activity.begin(work, 'work');
    const noise = setInterval(() => activity.touch(), 5);
    expect(await activity.quiet({ limitMs: 50, of: 'all' })).to.equal(false);
    setTimeout(() => clearInterval(noise), 200);
    let silent = false;
    setTimeout(() => { silent = true; }, 150);
    expect([await activity.quiet({ limitMs: 100, of: 'silent' }), silent]).to.deep.equal([false, true]);
    expect(await activity.quiet({ limitMs: 10_000, of: 'all', without: new Set([work]) })).to.equal(true);
  });
});
