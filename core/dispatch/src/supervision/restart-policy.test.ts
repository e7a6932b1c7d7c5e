import { expect } from 'chai';
import { RestartPolicy } from './restart-policy.js';

describe('RestartPolicy', () => {
  it('doubles the pause from 100 ms to 30 s', () => {
    const policy = new RestartPolicy();
    const pauses = Array.from({ length: 11 }, () => policy.crashed());
    expect(pauses).to.deep.equal([100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
  });

  it('calls five crashes in a row a loop, until the worker was healthy', () => {
    const policy = new RestartPolicy();
    for (let i = 0; i < 4; i++) policy.crashed();
    expect(policy.looping).to.equal(false);
    policy.crashed();
    expect(policy.looping).to.equal(true);
    policy.reset();
    expect([policy.looping, policy.crashed()]).to.deep.equal([false, 100]);
  });
});
