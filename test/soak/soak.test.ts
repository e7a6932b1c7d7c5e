import { platform } from 'node:os';
import { expect } from 'chai';
import { stopAllEngines } from '../support/engine-process.js';
import { requireOrSkip } from '../support/requirement.js';
import { soak } from './src/soak-run.js';

const SECONDS = 60;
const CONTROL_SECONDS = 30;

/** The short form; `npm run soak` is the long one. */
describe('memory under half load', function () {
  this.timeout(SECONDS * 4000);
  before(function () { requireOrSkip(this, platform() === 'linux', 'the memory of other processes is read from /proc'); });
  afterEach(stopAllEngines);

  it('stays flat in the engine and its worker', async () => {
    const { growing, trends, failures, answered } = await soak({ seconds: SECONDS });
    expect(growing, JSON.stringify(trends)).to.deep.equal([]);
    expect(failures).to.deep.equal({});
    expect(answered).to.be.greaterThan(1000);
  });

  for (const [leak, measure] of [['engine', 'engineAlive'], ['worker', 'workerAlive']] as const) {
    it(`is seen to grow when the ${leak} leaks`, async () => {
      const { growing, trends } = await soak({ seconds: CONTROL_SECONDS, leak });
      expect(growing, JSON.stringify(trends)).to.contain(measure);
    });
  }
});
