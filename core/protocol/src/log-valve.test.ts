import { expect } from 'chai';
import { LogValve } from './log-valve.js';

describe('LogValve', () => {
  let waiting: number;
  let valve: LogValve;
  beforeEach(() => {
    waiting = 0;
    valve = new LogValve({ limit: 100, waiting: () => waiting });
  });
  const admitted = (at: number, level: 'info' | 'error' = 'info'): boolean => {
    waiting = at;
    return valve.admits(level);
  };

  it('drops records beyond the limit, and opens when half of it was read', () => {
    expect([admitted(0), admitted(100), admitted(101), admitted(100), admitted(51), admitted(50), admitted(100)])
      .to.deep.equal([true, true, false, false, false, true, true]);
    expect(valve.dropped).to.equal(3);
  });

  it('drops warnings and errors only when twice as much waits', () => {
    expect([admitted(150), admitted(150, 'error'), admitted(200, 'error'), admitted(201, 'error')]).to.deep.equal([false, true, true, false]);
  });

  it('tells once how many were dropped, when the log flows again', () => {
    expect(valve.untold()).to.equal(0);
    admitted(101);
    admitted(101);
    expect(valve.untold()).to.equal(0);
    waiting = 50;
    expect([valve.untold(), valve.untold()]).to.deep.equal([2, 0]);
    admitted(101);
    waiting = 0;
    expect([valve.untold(), valve.dropped]).to.deep.equal([1, 3]);
  });
});
