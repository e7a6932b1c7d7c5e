import { expect } from 'chai';
import { stopAllEngines } from '../support/engine-process.js';
import { WAYS } from './src/application.js';
import { HOSTILE_CASES } from './src/hostile-cases.js';
import { runHostile } from './src/hostile-run.js';
import { OTHER_BODIES } from './src/other-bodies.js';

/** Each of these kept an engine busy for many seconds, or ended it. */
const WORST = ['json union of filters', 'json anyOf, late', 'json uniqueItems', 'zod union', 'format url', 'pattern ^(a+)+$'];
/** Of processor time of one thread, so that others on the machine hardly count. */
const LONGEST_MS = 300;
/** 99th percentile on a way; it counts waiting for a processor. */
const HEALTH_MS = 1_000;
const MOST_MEGABYTES = 128;

/** The short form; `npm run hostile` is the long one. */
describe('hostile values', function () {
  this.timeout(300_000);
  afterEach(stopAllEngines);

  it('sent to any Step do not hold up a real engine', async () => {
    const cases = HOSTILE_CASES.filter(({ name }) => WORST.includes(name)).map((each) => ({ ...each, bodies: each.bodies.slice(0, 4) }));
    expect(cases).to.have.length(WORST.length);
    cases.push(...OTHER_BODIES.filter(({ gzip }) => gzip !== true).map((each) => ({ ...each, bodies: each.bodies.slice(0, 6) })));
    const { results, health } = await runHostile(cases, WAYS, () => undefined, { quick: true });
    expect(results.filter(({ blocked, work }) => Math.min(blocked, work) > LONGEST_MS)).to.deep.equal([]);
    expect(results.filter(({ memory }) => memory > MOST_MEGABYTES)).to.deep.equal([]);
    expect(Object.entries(health).filter(([, ms]) => ms > HEALTH_MS)).to.deep.equal([]);
    const refused = results.filter(({ way, statuses }) => way === 'http' && (statuses['400'] ?? 0) > 0);
    expect(refused.map(({ name }) => name)).to.include.members(WORST);
  });
});
