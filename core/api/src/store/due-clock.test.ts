import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { DueClock } from './due-clock.js';
import { StoreClock } from './store-clock.js';

describe('the clock of what is due', () => {
  function started(): { readonly clock: ReturnType<typeof fakeClock>; readonly due: DueClock; readonly told: number[][]; readonly began: number } {
    const clock = fakeClock();
    const told: number[][] = [];
    return { clock, told, began: clock.now(), due: new DueClock(clock, new StoreClock(clock), (subs) => void told.push([...subs])) };
  }

  it('tells of each subscription once, at the earliest moment that it knows of', async () => {
    const { clock, due, told, began } = started();
    due.note(1, began + 500);
    due.note(2, began + 100);
    due.note(1, began + 300);
    due.note(2, began + 900);
    await clock.advance(99);
    expect(told).to.deep.equal([]);
    await clock.advance(1);
    expect(told).to.deep.equal([[2]]);
    await clock.advance(10_000);
    expect(told).to.deep.equal([[2], [1]]);
  });

  it('tells of what is past in a turn of its own, and of nothing after its end', async () => {
    const { clock, due, told, began } = started();
    due.note(1, began - 1_000);
    expect(told).to.deep.equal([]);
    await clock.advance(1);
    due.note(2, began + 100);
    due.close();
    await clock.advance(1_000);
    expect([told, clock.pending]).to.deep.equal([[[1]], 0]);
  });

  it('goes by the time of the store, which may change', async () => {
    const clock = fakeClock();
    const time = new StoreClock(clock);
    const told: number[][] = [];
    const due = new DueClock(clock, time, (subs) => void told.push([...subs]));
    due.note(1, clock.now() + 1_000);
    time.note(clock.now(), clock.now() - 5_000);
    await clock.advance(1_500);
    expect(told).to.deep.equal([]);
    await clock.advance(5_000);
    expect(told).to.deep.equal([[1]]);
  });
});
