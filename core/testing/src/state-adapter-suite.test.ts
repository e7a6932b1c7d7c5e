import { expect } from 'chai';
import { stateAdapterSuite } from './state-adapter-suite.js';
import { FLAWS, MapStore, type Flaw } from './state-suite/map-store.fixture.js';
import { collectedTests, kitProof } from './suite/kit-proof.fixture.js';
import { LEAD_FINDERS } from './suite/shared-lead.fixture.js';

const TARGET = { adapter: MapStore, plugin: new URL('./state-suite/map-store.fixture.ts', import.meta.url).href };

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
  origin_lost: ['keeps with a change the origin', 'records the clearing of the keys that are wanted'],
  always_silent: ['does what a write always decides'],
  shared: [],
  shared_lost_updates: ['counts every one of 50 updates of two engines'],
  shared_in_name: ['shows an engine at once', 'lets one of two engines lead'],
  ...LEAD_FINDERS,
  clear_silent: ['records the clearing of the keys that are wanted'],
  delete_of_missing_counts: ['writes nothing for "keep" and for deleting', 'does what the model does'],
};

describe('stateAdapterSuite', function () {
  this.timeout(240_000);
  const testsOf = kitProof({ runKit: stateAdapterSuite, target: TARGET, classId: 'testing::state::adapters::MapStore', flaws: FLAWS, finders: FINDERS });

  for (const variant of ['none', 'shared'] as const) {
    it(`passes a store that does everything right (${variant})`, async () => {
      for (const run of testsOf(variant).values()) await run();
    });
  }

  it('tests what is not declared the other way round', () => {
    expect([...testsOf('none').keys()]).to.include('keeps nothing over a restart').and.not.include('loses no acknowledged write when its process is killed');
    expect([...testsOf('claims_durable').keys()]).to.include('keeps everything over a restart').and.include('loses no acknowledged write when its process is killed');
  });

  it('prints its seed in the names of what is random', () => {
    expect([...testsOf('none').keys()].filter((name) => name.includes('(seed 20260101)'))).to.have.length(2);
  });

  it('leaves out what is skipped and refuses a skip of nothing', () => {
    const tests = collectedTests(stateAdapterSuite, { ...TARGET, skip: [{ test: 'gives fresh objects', reason: 'x' }] }).get('testing::state::adapters::MapStore (none)');
    expect(() => tests?.get('skips only tests that exist, each with a reason')?.()).to.throw('there is no test "gives fresh objects" to skip');
  });
});
