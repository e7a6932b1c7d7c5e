import { expect } from 'chai';
import { stopAllEngines } from '../support/engine-process.js';
import { runJoins } from './src/join-run.js';
import { wrongAnswers } from './src/route-probe.js';
import { runStale } from './src/stale-run.js';

/** The short form; `npm run restarts` is the long one. */
describe('the stream clients of the family', function slow() {
  this.timeout(400_000);
  afterEach(stopAllEngines);

  it('show what is stored after many writes of an item at once', async () => {
    expect(await runStale({ rounds: 10, times: 20 })).to.deep.equal({ stale: 0, rounds: 10 });
  });

  it('are not left behind by restarts, whenever they join', async () => {
    const { joined, leftBehind, answers } = await runJoins(2);
    expect(joined).to.be.above(0);
    expect(leftBehind).to.equal(0);
    expect(wrongAnswers(answers), JSON.stringify(answers)).to.deep.equal([]);
    expect(answers['200']).to.be.above(0);
  });
});
