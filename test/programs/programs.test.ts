import { expect } from 'chai';
import { stopAllEngines } from '../support/engine-process.js';
import { Expectation } from './src/expectation.js';
import { type Program, ProgramWriter } from './src/program.js';
import { type ProgramsRun, runPrograms } from './src/programs-run.js';

const SEED = 20_261_123;
const SHORT: ProgramsRun = { seed: SEED, programs: 1200, keys: 120, rate: 200, engineEveryMs: 1500, workerEveryMs: 400, mostKills: { engine: 8, worker: 30 } };

/** The short form; `npm run programs` is the long one. */
describe('random programs under kills', function () {
  this.timeout(400_000);
  afterEach(stopAllEngines);

  it('leave exactly what they add up to', async () => {
    const result = await runPrograms(SHORT);
    expect(result.faults, JSON.stringify(result)).to.deep.equal([]);
    expect(result.programs).to.be.at.least(SHORT.programs);
    expect(result.engineKills, JSON.stringify(result)).to.be.greaterThan(0);
    expect(result.workerKills, JSON.stringify(result)).to.be.greaterThan(0);
    expect(result.runsRepeated, 'runs that kills have repeated').to.be.greaterThan(0);
  });

  const symptoms = { AckFirst: 'lost', Forgetful: 'counted twice', Unordered: 'mixed up' } as const;
  for (const control of Object.keys(symptoms) as (keyof typeof symptoms)[]) {
    it(`show what is ${symptoms[control]} by an engine whose queue adapter is ${control}`, async () => {
      let faults: readonly string[] = [];
      for (let round = 1; round <= 20 && faults.length === 0; round++) {
        ({ faults } = await runPrograms({ ...SHORT, seed: SEED + round, programs: 300, keys: 30, engineEveryMs: 400, quietMs: 3000, control }));
      }
      expect(faults).to.not.deep.equal([]);
    });
  }
});

describe('the writer of programs', () => {
  const sizes = { seed: SEED, programs: 300, keys: 40 };

  it('writes the same programs for a seed, and others for another', () => {
    const programs = new ProgramWriter(sizes).write();
    expect(new ProgramWriter(sizes).write()).to.deep.equal(programs);
    expect(new ProgramWriter({ ...sizes, seed: SEED + 1 }).write()).to.not.deep.equal(programs);
    expect(new Expectation(programs).programs).to.be.at.least(sizes.programs);
  });

  it('knows what programs add up to, and tells what differs', () => {
    const child: Program = { id: 'p2', operations: [{ do: 'update', key: 'k1', by: 3 }, { do: 'update', key: 'k1', by: 4 }] };
    const programs: readonly Program[] = [
      { id: 'p1', operations: [{ do: 'throw', until: 2 }, { do: 'enqueue', program: child }, { do: 'throw', until: 1 }], place: { group: 'g1', n: 1, by: 5 } },
      { id: 'p3', operations: [{ do: 'set', value: 9 }, { do: 'compareAndSet', key: 'k1', by: 2 }], place: { group: 'g1', n: 2, by: 6 } },
    ];
    const expected = new Expectation(programs);
    expect(expected).to.include({ programs: 3, failures: 2, size: 4 });
    const right = new Map([['compared', new Map([['k1', 2]])], ['updated', new Map([['k1', 7]])], ['own', new Map([['p3', 9]])], ['folds', new Map([['g1', 5 * 31 + 6]])]]);
    expect(expected.differences(right)).to.deep.equal([]);
    expect(expected.differences(new Map([...right, ['updated', new Map([['k1', 10], ['k2', 1]])], ['own', new Map<string, number>()]]))).to.deep.equal([
      'updated/k1: 10 instead of 7', 'updated/k2: 1 instead of undefined', 'own/p3: undefined instead of 9',
    ]);
  });
});
