import { expect } from 'chai';
import { cronAdapterSuite } from './cron-adapter-suite.js';
import { CRON_FLAWS, type CronFlaw, MapCron } from './cron-suite/map-cron.fixture.js';
import { kitProof } from './suite/kit-proof.fixture.js';

const TARGET = { adapter: MapCron, plugin: new URL('./cron-suite/map-cron.fixture.ts', import.meta.url).href };

/** Which test has to find which flaw. */
const FINDERS: Readonly<Record<Exclude<CronFlaw, 'none'>, readonly string[]>> = {
  claims_twice: ['never gives one tick to both', 'answers for each of many runs'],
  no_second_user: ['gives a tick to the first', 'does what the model does'],
  forgets_ticks: ['keeps the last 100 runs'],
  drops_running: ['forgets no run that goes on'],
  no_fencing: ['passes over runs', 'takes a run for an orphan when its lease', 'does what the model does'],
  endless_leases: ['takes a run for an orphan when its lease', 'does what the model does'],
  never_orphans: ['gives a run that was given back', 'does what the model does'],
  attempt_stays: ['gives a run that was given back', 'does what the model does'],
  old_attempts: ['keeps the attempt that a run is given back with', 'does what the model does'],
  manual_moves_tick: ['tells the newest tick'],
  resume_keeps_since: ['keeps pauses', 'does what the model does'],
  joined_names: ['mixes up no triggers'],
  unordered_runs: ['keeps the last 100 runs', 'does what the model does'],
  claims_durable: ['keeps everything over a restart', 'loses no acknowledged claim', 'does not let a second engine', 'does what the model does'],
  overlaps: ['writes no run beside one', 'takes a run for one that goes on', 'does what the model does'],
  overlaps_at_once: ['lets one of two users'],
  claims_paused: ['writes nothing of a paused trigger', 'does what the model does'],
  pauses_for_good: ['pauses a trigger until a time', 'does what the model does'],
  forgets_end_of_pause: ['keeps the end of a pause', 'pauses a trigger until a time', 'does what the model does'],
  resume_forgets_end_of_pause: ['takes what comes after the end of a pause', 'does what the model does'],
  forgets_skips: ['keeps a tick that was skipped by hand', 'gives no tick again that was skipped by hand'],
  shared: [],
  shared_in_name: ['gives a tick to one of two engines', 'gives a tick to the first'],
  shared_tells_nobody: ['tells an engine that another one'],
  shared_own_time: ['tells engines one time of day'],
  shared_nobody_leaves: ['keeps the runs of a living engine'],
  shared_overlaps_at_once: ['lets one of two engines begin'],
  renews_in_name: ['takes a run for an orphan when its lease', 'does what the model does'],
  judges_at_once: ['keeps runs over a time in which the machine stood still'],
  anyone_renews: ['takes a run for an orphan when its lease', 'does what the model does'],
};

describe('cronAdapterSuite', function () {
  this.timeout(240_000);
  const testsOf = kitProof({ runKit: cronAdapterSuite, target: TARGET, classId: 'testing::cron::adapters::MapCron', flaws: CRON_FLAWS, finders: FINDERS });

  for (const variant of ['none', 'shared'] as const) {
    it(`passes a store that does everything right (${variant})`, async () => {
      for (const run of testsOf(variant).values()) await run();
    });
  }

  it('tests what is not declared the other way round', () => {
    expect([...testsOf('none').keys()]).to.include('keeps nothing over a restart').and.not.include('does not let a second engine open the same store');
  });
});
