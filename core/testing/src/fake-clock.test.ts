import { expect } from 'chai';
import { fakeClock } from './fake-clock.js';

describe('fakeClock', () => {
  it('stands still until it is moved', async () => {
    const clock = fakeClock(1_000);
    expect([clock.now(), clock.monotonic()]).to.deep.equal([1_000, 0]);
    await clock.advance(250);
    expect([clock.now(), clock.monotonic()]).to.deep.equal([1_250, 250]);
  });

  it('runs timers at their own time, in order, each once', async () => {
    const clock = fakeClock(0);
    const ran: string[] = [];
    clock.after(20, () => ran.push(`b ${clock.now()}`));
    clock.after(10, () => ran.push(`a ${clock.now()}`));
    clock.after(20, () => ran.push(`c ${clock.now()}`));
    clock.after(99, () => ran.push('never'));
    await clock.advance(50);
    expect(ran).to.deep.equal(['a 10', 'b 20', 'c 20']);
    expect(clock.pending).to.equal(1);
  });

  it('repeats until it is cancelled', async () => {
    const clock = fakeClock(0);
    const ran: number[] = [];
    const timer = clock.every(10, () => {
      ran.push(clock.now());
      if (ran.length === 3) timer.cancel();
    });
    await clock.advance(100);
    expect(ran).to.deep.equal([10, 20, 30]);
    expect(clock.pending).to.equal(0);
  });

  it('runs timers that promises of earlier ones set', async () => {
    const clock = fakeClock(0);
    const ran: number[] = [];
    clock.after(10, () => void Promise.resolve().then(() => clock.after(5, () => ran.push(clock.now()))));
    await clock.advance(15);
    expect(ran).to.deep.equal([15]);
  });
});
