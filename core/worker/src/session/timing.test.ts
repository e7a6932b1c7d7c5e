import { Readable } from 'node:stream';
import { expect } from 'chai';
import { Backoff } from './backoff.js';
import { firstLine } from './first-line.js';
import { LoopWatch } from './loop-watch.js';

describe('Backoff', () => {
  it('doubles from 100 ms to 2 s while there is no engine, half of it at random, and begins again after success', () => {
    const longest = new Backoff(() => 1);
    expect(Array.from({ length: 7 }, () => longest.next('absent'))).to.deep.equal([100, 200, 400, 800, 1600, 2000, 2000]);
    longest.reset();
    expect(longest.next('absent')).to.equal(100);
    const shortest = new Backoff(() => 0);
    expect([shortest.next('absent'), shortest.next('absent')]).to.deep.equal([50, 100]);
  });

  it('goes up to 30 s when the engine refuses', () => {
    const longest = new Backoff(() => 1);
    expect(Array.from({ length: 11 }, () => longest.next('refused'))).to.deep.equal([100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
    expect(longest.next('absent'), 'it is away now').to.equal(2000);
  });
});

describe('LoopWatch', () => {
  it('tells how long the ticks stayed away, once', () => {
    let now = 0;
    let ticks = 0;
    const watch = new LoopWatch({ ticks: () => ticks, now: () => now, tickMs: 250 });
    const pass = (ms: number, ticking: boolean): void => {
      for (let rest = ms; rest > 0; rest -= 250) {
        now += 250;
        if (ticking) ticks++;
        watch.sample();
      }
    };
    pass(5_000, true);
    expect(watch.take()).to.equal(0);
    pass(3_000, false);
    expect(watch.take()).to.equal(2_500);
    pass(1_000, false);
    expect(watch.take()).to.equal(3_500);
    pass(2_000, true);
    watch.take();
    expect(watch.take()).to.equal(0);
  });
});

describe('LoopWatch, of a thread that stands still', () => {
  it('says so once, after five looks that found no tick, however late they came', () => {
    let [now, ticks] = [0, 0];
    const watch = new LoopWatch({ ticks: () => ticks, now: () => now, tickMs: 100 });
    const looks = (count: number, ms: number, ticking: boolean): readonly boolean[] => Array.from({ length: count }, () => {
      now += ms;
      if (ticking) ticks++;
      watch.sample();
      return watch.isHeld;
    });
    expect(looks(3, 1_000, true), 'the whole process is late').to.deep.equal([false, false, false]);
    expect(looks(7, 100, false)).to.deep.equal([false, false, false, false, true, false, false]);
    expect(looks(1, 100, true)).to.deep.equal([false]);
    expect(looks(5, 100, false)).to.deep.equal([false, false, false, false, true]);
  });
});

describe('firstLine', () => {
  it('gives the line, however it arrives, and nothing when there is none', async () => {
    expect(await firstLine(Readable.from([Buffer.from('{"a"'), Buffer.from(':1}\nrest\n')]))).to.equal('{"a":1}');
    expect(await firstLine(Readable.from([Buffer.from('no end')]))).to.equal(undefined);
    const failing = new Readable({ read() { this.destroy(new Error('gone')); } });
    expect(await firstLine(failing)).to.equal(undefined);
  });
});
