import { expect } from 'chai';
import type { Runner, Skip } from './runner.js';
import { stateAdapterSuite } from './state-adapter-suite.js';
import { FLAWS, MapStore, type Flaw } from './state-suite/map-store.fixture.js';

type Tests = ReadonlyMap<string, () => Promise<void> | void>;

/** The tests of each variant, registered but not run. */
function collected(skip: readonly Skip[] = []): ReadonlyMap<string, Tests> {
  const suites = new Map<string, Map<string, () => Promise<void> | void>>();
  let tests = new Map<string, () => Promise<void> | void>();
  const runner: Runner = {
    describe: (name, define) => {
      suites.set(name, tests = new Map());
      define();
    },
    it: (name, run) => tests.set(name, run),
  };
  stateAdapterSuite({ adapter: MapStore, plugin: new URL('./state-suite/map-store.fixture.ts', import.meta.url).href, skip, tune: { runs: 30 } }, runner);
  return suites;
}

/** Which test has to find which flaw. */
const FINDERS: Readonly<Record<Exclude<Flaw, 'none'>, readonly string[]>> = {
  lost_updates: ['counts every one of 50 updates', 'lets one of several compare-and-sets win'],
  aliases: ['gives fresh objects'],
  like_clear: ['clears a group and no other', 'does what the model does'],
  utf16_order: ['lists keys in the order of their bytes', 'pages through any keys', 'does what the model does'],
  null_is_missing: ['knows null from missing', 'does what the model does'],
  joined_names: ['takes any text as group and as key'],
  offset_cursor: ['loses nothing when keys are deleted'],
  revisions_restart: ['goes on counting upwards', 'does what the model does'],
  expired_listed: ['lets a value expire everywhere', 'does what the model does'],
  expiry_dropped: ['keeps the time to live with keepExpiry', 'does what the model does'],
  change_ids_restart: ['gives no change the id of another'],
  change_before_decision: ['changes nothing when the decision throws', 'keeps recorded changes'],
  claims_durable: ['keeps everything over a restart', 'loses no acknowledged write', 'does not let a second engine', 'does what the model does'],
  delete_of_missing_counts: ['writes nothing for "keep" and for deleting', 'does what the model does'],
};

describe('stateAdapterSuite', function () {
  this.timeout(60_000);
  const suites = collected();
  const testsOf = (flaw: Flaw): Tests => suites.get(`testing::state::adapters::MapStore (${flaw})`) as Tests;

  it('has a suite for each variant', () => {
    expect(suites.size).to.equal(FLAWS.length);
  });

  it('passes a store that does everything right', async () => {
    for (const run of testsOf('none').values()) await run();
  });

  for (const [flaw, names] of Object.entries(FINDERS)) {
    for (const name of names) {
      it(`finds the flaw "${flaw}" with "${name}…"`, async () => {
        const run = [...testsOf(flaw as Flaw)].find(([test]) => test.startsWith(name))?.[1];
        if (!run) throw new Error('there is no such test');
        const error = await Promise.resolve().then(run).then(() => undefined, (reason: unknown) => reason);
        expect(error, 'the test passed').to.be.instanceOf(Error);
      });
    }
  }

  it('tests what is not declared the other way round', () => {
    expect([...testsOf('none').keys()]).to.include('keeps nothing over a restart').and.not.include('loses no acknowledged write when its process is killed');
    expect([...testsOf('claims_durable').keys()]).to.include('keeps everything over a restart').and.include('loses no acknowledged write when its process is killed');
  });

  it('prints its seed in the names of what is random', () => {
    expect([...testsOf('none').keys()].filter((name) => name.includes('(seed 20260101)'))).to.have.length(2);
  });

  it('leaves out what is skipped and refuses a skip of nothing', () => {
    const tests = collected([{ test: 'gives fresh objects', reason: 'x' }]).get('testing::state::adapters::MapStore (none)') as Tests;
    expect(() => tests.get('skips only tests that exist, each with a reason')?.()).to.throw('there is no test "gives fresh objects" to skip');
  });

  it('refuses a class without a declaration', () => {
    class Bare {}
    expect(() => stateAdapterSuite({ adapter: Bare as never, plugin: 'none' }, { describe: () => 0, it: () => 0 })).to.throw('Bare has no @Adapter declaration');
  });
});
