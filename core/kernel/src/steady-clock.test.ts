import { expect } from 'chai';
import { SteadyClock } from './steady-clock.js';

const [HOUR, BEGAN] = [3_600_000, Date.UTC(2026, 0, 1)];

describe('the time of an engine', () => {
  const made = () => {
    const machine = { wallShift: 0, asleep: 0, passed: 0 };
    const timers = { after: () => ({ cancel: () => undefined }), every: () => ({ cancel: () => undefined }) };
    const clock = new SteadyClock({
      wall: () => BEGAN + machine.passed + machine.asleep + machine.wallShift, monotonic: () => machine.passed, uptime: () => 5_000 + machine.passed + machine.asleep,
    }, timers);
    const jumps: number[] = [];
    clock.onJump = (ms) => void jumps.push(ms);
    const since = (): number => clock.now() - BEGAN;
    return { machine, clock, jumps, since };
  };

  it('is that of the wall clock while that does not jump, also when it is corrected a little', () => {
    const { machine, since, jumps } = made();
    machine.passed = 1_000;
    expect(since()).to.equal(1_000);
    machine.wallShift = 400;
    expect(since()).to.equal(1_400);
    machine.wallShift = 0;
    expect(since(), 'it never goes back').to.equal(1_400);
    machine.passed = 2_000;
    expect([since(), jumps]).to.deep.equal([2_000, []]);
  });

  for (const [name, jump] of [['put back', -HOUR], ['put ahead', HOUR], ['put back by years', -20_000 * HOUR]] as const) {
    it(`goes on with what has passed when the wall clock is ${name}`, () => {
      const { machine, clock, since, jumps } = made();
      since();
      machine.wallShift = jump;
      expect(since()).to.equal(0);
      machine.passed = 10_000;
      expect(since()).to.be.within(9_899, 10_101);
      expect(jumps).to.deep.equal([jump]);
      expect(clock.wall()).to.equal(BEGAN + 10_000 + jump);
    });
  }

  it('comes back to the wall clock by a hundredth of what passes', () => {
    const { machine, clock } = made();
    clock.now();
    machine.wallShift = -HOUR;
    clock.now();
    machine.passed = 50 * HOUR;
    expect(clock.now() - clock.wall()).to.be.within(HOUR / 2 - 10, HOUR / 2 + 10);
    machine.passed = 101 * HOUR;
    expect(clock.now()).to.equal(clock.wall());
  });

  it('has passed while the machine slept', () => {
    const { machine, since, jumps } = made();
    since();
    machine.asleep = 8 * HOUR;
    expect([since(), jumps]).to.deep.equal([8 * HOUR, []]);
    machine.wallShift = -HOUR;
    expect([since(), jumps]).to.deep.equal([8 * HOUR, [-HOUR]]);
  });

  it('is not before what a former run has seen', () => {
    const { clock, since } = made();
    clock.notBefore(BEGAN - 5);
    expect(since()).to.equal(0);
    clock.notBefore(BEGAN + HOUR);
    expect(since()).to.equal(HOUR);
  });
});
