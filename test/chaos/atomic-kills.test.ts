import { expect } from 'chai';
import { stopAllEngines } from '../support/engine-process.js';
import { requireOrSkip } from '../support/requirement.js';
import { runAtomicKills } from './src/atomic-run.js';
import { ATOMIC_STORES, type AtomicStore } from './src/atomic-stores.js';

/** The short form; `npm run atomic:kills` is the long one. */
const KILLS = Number(process.env['TREADLE_ATOMIC_KILLS'] ?? 3);
/** Nearly every kill of a Step that is not atomic comes between two of its writes; a slow machine may miss some. */
const MOST_CONTROLS = 8;
/** Names of stores; all that are installed. */
const ONLY = process.env['TREADLE_ATOMIC_STORES']?.split(',');

for (const [name, { isHere, open }] of Object.entries(ATOMIC_STORES).filter(([store]) => ONLY?.includes(store) ?? true)) {
  describe(`an atomic Step under kills, with the ${name} store`, function () {
    this.timeout(120_000 + KILLS * 60_000);
    let store: AtomicStore | undefined;

    beforeEach(async function () {
      requireOrSkip(this, isHere, name);
      store = await open();
    });
    afterEach(async () => {
      await stopAllEngines();
      await store?.stop();
    });

    it(`has counted in state, in a stream and by messages what was acknowledged, after each of ${KILLS} kills`, async () => {
      const { acknowledged, faults } = await runAtomicKills(store!, { kills: KILLS, messages: 3_000 });
      expect(faults).to.deep.equal([]);
      expect(acknowledged).to.be.greaterThan(KILLS);
    });

    it('is told from one that is not atomic', async () => {
      const { faults } = await runAtomicKills(store!, { kills: MOST_CONTROLS, messages: 3_000, atomic: false });
      expect(faults).to.have.length(1);
    });
  });
}
