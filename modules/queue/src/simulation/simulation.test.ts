import { expect } from 'chai';
import type { StoreFault } from './simulated-store.fixture.js';
import { simulate } from './simulation.fixture.js';

/** `npm run simulate` runs 10,000. */
const SEEDS = Number(process.env['TREADLE_SIMULATION_SEEDS'] ?? 200);
const FIRST = Number(process.env['TREADLE_SIMULATION_FIRST'] ?? 1);

describe('the queue service in a simulated world', function () {
  this.timeout(60_000 + SEEDS * 200);

  it(`loses, overtakes, repeats and hastens nothing, whenever its engines die (${SEEDS} seeds from ${FIRST})`, async () => {
    let engines = 0;
    for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
      const result = await simulate(seed);
      expect(result.faults, `seed ${seed}`).to.deep.equal([]);
      engines += result.engines;
    }
    expect(engines).to.be.at.least(SEEDS);
  });

  it('takes the same course for a seed', async () => {
    expect(await simulate(7, 'loses claims')).to.deep.equal(await simulate(7, 'loses claims'));
  });

  const symptoms: Readonly<Record<StoreFault, RegExp>> = {
    'acknowledges first': /is lost/, 'loses claims': /is lost/, 'keeps no order': /overtook|beside/, 'forgets dedupe keys': /had ended|twice at a time/, 'delivers early': /before its delay/,
  };
  for (const fault of Object.keys(symptoms) as StoreFault[]) {
    it(`shows a store that ${fault}`, async () => {
      let faults: readonly string[] = [];
      for (let seed = 1; seed <= 20 && !symptoms[fault].test(faults.join('\n')); seed++) ({ faults } = await simulate(seed, fault));
      expect(faults.join('\n')).to.match(symptoms[fault]);
    });
  }
});
