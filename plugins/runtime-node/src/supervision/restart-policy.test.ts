import { expect } from 'chai';
import { RestartPolicy } from './restart-policy.js';

describe('RestartPolicy', () => {
  it('doubles the pause from 100 ms to 30 s', () => {
    const policy = new RestartPolicy();
    const pauses = Array.from({ length: 11 }, (_, i) => policy.crashed(i * 100_000));
    expect(pauses).to.deep.equal([100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
    expect(policy.looping).to.equal(false);
  });

  it('calls ten crashes within a minute a loop, which stays one until the worker was healthy', () => {
    const policy = new RestartPolicy();
    for (let i = 0; i < 9; i++) policy.crashed(i * 6000);
    expect(policy.looping).to.equal(false);
    policy.crashed(59_000);
    expect(policy.looping).to.equal(true);
    policy.crashed(500_000);
    expect(policy.looping).to.equal(true);
    policy.reset();
    expect([policy.looping, policy.crashed(600_000)]).to.deep.equal([false, 100]);
  });
});
