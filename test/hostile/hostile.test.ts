import { expect } from 'chai';
import { stopAllEngines } from '../support/engine-process.js';
import { HOSTILE_CASES } from './src/hostile-cases.js';
import { runHostile } from './src/hostile-run.js';

/** Each of these kept an engine busy for many seconds, or ended it. */
const WORST = ['json union of filters', 'json anyOf, late', 'json uniqueItems', 'zod union', 'format url', 'pattern ^(a+)+$'];
/** Of processor time; far from what a sound engine takes on a busy machine. */
const LONGEST_MS = 2_000;

/** The short form; `npm run hostile` is the long one. */
describe('hostile values', function () {
  this.timeout(300_000);
  afterEach(stopAllEngines);

  it('sent to any Step do not hold up a real engine', async () => {
    const cases = HOSTILE_CASES.filter(({ name }) => WORST.includes(name)).map((each) => ({ ...each, bodies: each.bodies.slice(0, 4) }));
    expect(cases).to.have.length(WORST.length);
    const { results } = await runHostile(cases, ['http', 'queue', 'stream'], () => undefined, { quick: true });
    expect(results.filter(({ blocked, work }) => Math.min(blocked, work) > LONGEST_MS)).to.deep.equal([]);
    const refused = results.filter(({ way, statuses }) => way === 'http' && (statuses['400'] ?? 0) > 0);
    expect(refused.map(({ name }) => name)).to.have.members(WORST);
  });
});
