import { expect } from 'chai';
import { stopAllEngines } from '../support/engine-process.js';
import { requireOrSkip } from '../support/requirement.js';
import { type BackendName, BACKENDS, type SharedBackend } from '../support/shared-backends.js';
import { runEngines } from './src/engines-run.js';

/** Together they have each slot but those of PostgreSQL, which `two-engines.test.ts` and the long form try. */
const SHORT: readonly BackendName[] = ['redis', 'nats'];

/** The short form; `npm run engines` is the long one. */
describe('two engines of which one is killed under load', function () {
  this.timeout(240_000);
  let backend: SharedBackend | undefined;
  afterEach(async () => {
    await stopAllEngines();
    await backend?.stop();
    backend = undefined;
  });

  for (const name of SHORT) {
    it(`lose nothing, keep order, run each tick once and lead stream clients over, on ${name}`, async function () {
      const missing = BACKENDS[name].missing();
      requireOrSkip(this, missing === undefined, missing ?? '');
      backend = await BACKENDS[name].start();
      const result = await runEngines({ backend, seconds: 1, accidents: ['kill'], betweenMs: [700, 1_200], lastingMs: [0, 0], keys: 4, pauseMs: 40, seed: 20_261_126 });
      expect(result.faults, JSON.stringify(result)).to.deep.equal([]);
      expect([result.accidents.kill ?? 0, result.acknowledged, result.ticks.expected, result.followers.events].every((figure) => figure > 0), JSON.stringify(result)).to.equal(true);
    });
  }
});
