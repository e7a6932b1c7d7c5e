import { expect } from 'chai';
import { stopAllEngines } from '../support/engine-process.js';
import { runWay } from './src/damage-run.js';
import { runShortLives } from './src/short-lives.js';
import { WAYS } from './src/ways.js';

/** One of each kind; all of them in the long form. */
const SHORT = ['running treadle.db is removed', 'start treadle.db is emptied', 'start treadle.db-wal has another byte in its middle', 'start treadle.db-shm is removed'];

describe('an engine whose files somebody damages', function () {
  this.timeout(120_000);
  afterEach(stopAllEngines);

  for (const way of WAYS.filter(({ when, name }) => SHORT.includes(`${when} ${name}`))) {
    it(`loses nothing silently when ${way.name} (${way.when === 'running' ? 'while it runs' : 'before a start'})`, async () => {
      const { verdict, text } = await runWay(way);
      expect(verdict, text).to.equal(way.name.startsWith('treadle.db-shm') ? 'recovered' : way.when === 'running' ? 'told' : 'refused');
    });
  }

  it('knows more than 60 ways', () => {
    expect(WAYS.length).to.be.at.least(60);
  });

  it('keeps its log small however often it is killed', async () => {
    const { largestLogBytes, acknowledged } = await runShortLives(3, 50);
    expect(acknowledged).to.be.at.least(750);
    expect(largestLogBytes).to.be.lessThan(32_000_000);
  });
});
