import { expect } from 'chai';
import { streamAdapterSuite } from './stream-adapter-suite.js';
import { MapStreams, STREAM_FLAWS, type StreamFlaw } from './stream-suite/map-streams.fixture.js';
import { kitProof } from './suite/kit-proof.fixture.js';
import { LEAD_FINDERS } from './suite/shared-lead.fixture.js';

const TARGET = { adapter: MapStreams, plugin: new URL('./stream-suite/map-streams.fixture.ts', import.meta.url).href };

/** Which tests have to find which flaw. */
const FINDERS: Readonly<Record<Exclude<StreamFlaw, 'none'>, readonly string[]>> = {
  lost_updates: ['counts every one of 50 updates'],
  aliases: ['gives fresh objects'],
  joined_names: ['takes any text as stream'],
  told_late: ['tells of each write before it resolves'],
  gap: ['counts the events of each group from 1', 'does what the model does'],
  duplicate: ['tells every watcher once', 'does what the model does'],
  same_epoch: ['begins a new epoch'],
  keep_tells: ['changes and tells nothing'],
  id_order: ['lists items in the order of their creation', 'does what the model does'],
  snapshot_ahead: ['takes snapshots that the events behind'],
  change_ids_restart: ['gives no change the id of another'],
  delete_without_item: ['tells of each write before it resolves', 'does what the model does'],
  sends_stored: ['tells of events that are sent', 'does what the model does'],
  revisions_restart: ['gives back what was written', 'does what the model does'],
  claims_durable: ['keeps items, their order', 'loses no acknowledged item', 'does not let a second engine', 'does what the model does'],
  utf16_order: ['lists the groups that hold'],
  one_watcher: ['tells every watcher once'],
  shared: [],
  shared_in_name: ['tells an engine of every event', 'gives the events after a position'],
  shared_lost_updates: ['counts every one of 50 updates of two engines'],
  shared_unordered: ['tells an engine of its own event before', 'tells both of one order'],
  shared_never_unfollows: ['tells it no more'],
  shared_gap_in_past: ['says of a past that is too long'],
  shared_any_position: ['gives the events after a position'],
  shared_follows_late: ['tells an engine of every event'],
  shared_same_times: ['tells both of one order'],
  ...LEAD_FINDERS,
  seq_over_groups: ['counts the events of each group from 1', 'does what the model does'],
};

describe('streamAdapterSuite', function () {
  this.timeout(240_000);
  const testsOf = kitProof({ runKit: streamAdapterSuite, target: TARGET, classId: 'testing::stream::adapters::MapStreams', flaws: STREAM_FLAWS, finders: FINDERS });

  for (const variant of ['none', 'shared'] as const) {
    it(`passes streams that do everything right (${variant})`, async () => {
      for (const run of testsOf(variant).values()) await run();
    });
  }

  it('tests what is not declared the other way round', () => {
    expect([...testsOf('none').keys()]).to.include('keeps nothing over a restart').and.include('begins a new epoch with each start');
    expect([...testsOf('claims_durable').keys()]).to.include('loses no acknowledged item and gives no position twice when its process is killed');
  });
});
