import { expect } from 'chai';
import { EngineLoad } from './engine-load.js';

describe('the load of an engine', () => {
  let active: number;
  let idle: number;
  let load: EngineLoad;
  beforeEach(() => {
    [active, idle] = [1000, 1000];
    load = new EngineLoad(() => ({ active, idle }));
  });

  /** Time goes by, in which the engine computes and waits for so long. */
  const pass = (computed: number, waited: number): void => {
    active += computed;
    idle += waited;
  };

  it('is what it computes of the time since it was asked', () => {
    pass(100, 900);
    expect(load.isBusy()).to.equal(false);
    pass(300, 700);
    expect(load.isBusy()).to.equal(true);
    pass(10, 90);
    expect(load.isBusy()).to.equal(false);
  });

  it('is not what is done for who asks', () => {
    pass(800, 200);
    load.spent(790);
    expect(load.isBusy()).to.equal(false);
    pass(800, 200);
    load.spent(700);
    expect(load.isBusy()).to.equal(true);
  });

  it('is that of the stretch before while little time has passed', () => {
    pass(300, 700);
    expect(load.isBusy()).to.equal(true);
    pass(500, 0);
    load.spent(500);
    expect(load.isBusy()).to.equal(true);
    pass(0, 100);
    expect(load.isBusy()).to.equal(false);
  });
});
