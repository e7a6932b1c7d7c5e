import { expect } from 'chai';
import { stopAllEngines } from '../support/engine-process.js';
import { runRolling, type RollingRun } from './src/rolling-run.js';
import { SmallBalancer } from './src/small-balancer.js';

/** The short form; `npm run rolling` is the long one, behind HAProxy. */
describe('two engines behind a balancer', function () {
  this.timeout(300_000);
  afterEach(stopAllEngines);
  const run: RollingRun = { restarts: 2, connections: 8, pauseMs: 20, drainDelayMs: 4_000, balancer: (ports) => SmallBalancer.start(ports) };

  it('are restarted without a request that fails or a message that is lost, penalised or handled twice', async () => {
    const result = await runRolling(run);
    expect(result.faults, JSON.stringify(result)).to.deep.equal([]);
    expect(result.messages, JSON.stringify(result)).to.be.greaterThan(20);
  });

  it('show requests that fail when an engine is killed instead', async () => {
    const { faults } = await runRolling({ ...run, restarts: 1, connections: 32, answerMs: 200, signal: 'SIGKILL' });
    expect(faults.join('\n')).to.match(/an engine ended with SIGKILL/).and.match(/GET|POST/);
  });
});
