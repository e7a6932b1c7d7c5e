import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { StoreClock } from './store-clock.js';

describe('the estimate of the store\'s time', () => {
  const began = fakeClock().now();

  it('is the store\'s from the first measurement on, and steady when that is nearly right', () => {
    const clock = fakeClock();
    const time = new StoreClock(clock);
    time.note(clock.now(), began + 5_000);
    time.note(clock.now(), began + 5_007);
    expect([time.now(), time.toStore(began), time.fromStore(began + 5_000)]).to.deep.equal([began + 5_000, began + 5_000, began]);
  });

  it('believes a change that is measured twice, and not one that is gone the next time', () => {
    const clock = fakeClock();
    const time = new StoreClock(clock);
    time.note(clock.now(), began);
    time.note(clock.now(), began + 60_000);
    time.note(clock.now(), began);
    time.note(clock.now(), began + 70_000);
    expect(time.now()).to.equal(began);
    time.note(clock.now(), began + 80_000);
    expect(time.now()).to.equal(began + 80_000);
  });

  it('stands still rather than goes back, but follows a store whose time was put back far', async () => {
    const clock = fakeClock();
    const time = new StoreClock(clock);
    time.note(clock.now(), began + 1_000);
    expect(time.now()).to.equal(began + 1_000);
    for (let count = 0; count < 2; count += 1) time.note(clock.now(), began);
    expect(time.now()).to.equal(began + 1_000);
    await clock.advance(1_500);
    expect(time.now()).to.equal(began + 1_500);
    for (let count = 0; count < 2; count += 1) time.note(clock.now(), began - 3_600_000);
    expect(time.now()).to.equal(began - 3_600_000);
  });

  it('takes the middle of a measurement that took long', async () => {
    const clock = fakeClock();
    const time = new StoreClock(clock);
    await time.measure(async () => {
      await clock.advance(400);
      return began + 10_200;
    });
    expect(time.now()).to.equal(began + 10_400);
  });
});
