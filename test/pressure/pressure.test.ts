import { expect } from 'chai';
import { stopAllEngines } from '../support/engine-process.js';
import { runMixed } from './src/mixed-run.js';
import { runOverload } from './src/overload-run.js';
import { runSlow, slowFaults, type SlowRun } from './src/slow-run.js';

/** The short forms; `npm run pressure` is the long one. Bounds tell what is broken from what is slow on a busy machine. */
describe('an engine under pressure', function () {
  this.timeout(300_000);
  afterEach(stopAllEngines);

  it('lets go of clients that keep it waiting, and answers everybody else meanwhile', async () => {
    const run: SlowRun = {
      counts: { silent: 50, headers: 100, body: 100, stream: 8, ranges: 8 }, aloneSeconds: 1, besideSeconds: 7, slowMs: 3000, freedMs: 30_000, lookMs: 10_000, workMs: 2,
    };
    const result = await runSlow(run);
    expect(slowFaults(result, run), JSON.stringify(result)).to.deep.equal([]);
    expect(result.beside.accepted.count).to.be.greaterThan(0);
  });

  it('refuses what it cannot take, goes on with what it can, and recovers', async () => {
    const result = await runOverload({ workMs: 4, concurrency: 32, times: 5, overloadSeconds: 4, afterSeconds: 3 });
    const figures = JSON.stringify(result);
    expect(result.refused.count, figures).to.be.greaterThan(result.accepted.count);
    expect(result.goodput, figures).to.be.greaterThan(0.3);
    expect(result.failures, figures).to.deep.equal({});
    expect(result.health.bad, figures).to.deep.equal([]);
    expect(result.health.count, figures).to.be.greaterThan(0);
    expect(result.after.accepted.count, figures).to.be.greaterThan(0.5 * result.after.sent);
  });

  it('tells of its health all the time while requests, state and queue keep it busy', async () => {
    const result = await runMixed({ seconds: 3, connections: 16 });
    const figures = JSON.stringify(result);
    expect(result.health.bad, figures).to.deep.equal([]);
    expect(result.health.count, figures).to.be.greaterThan(0);
    expect(result.reads.failures + result.writes.failures, figures).to.equal(0);
    expect(result.writes.requests, figures).to.be.greaterThan(0);
  });
});
