import { queueAdapterSuite } from '../queue-adapter-suite.js';
import { kitProof } from '../suite/kit-proof.fixture.js';
import { CommonQueueAdapter } from './common-queue.adapter.fixture.js';
import { SHARING_FLAWS, type SharingFlaw } from './common-queue.fixture.js';
import { QueueServer } from './queue-server.fixture.js';

const TARGET = {
  adapter: CommonQueueAdapter, plugin: new URL('./common-queue.adapter.fixture.ts', import.meta.url).href,
  env: async (variant: string) => {
    const flaw = variant as SharingFlaw;
    const server = await QueueServer.start(flaw);
    return { config: { flaw, port: server.port }, cleanup: () => server.stop() };
  },
};

const FINDERS: Readonly<Record<Exclude<SharingFlaw, 'none'>, readonly string[]>> = {
  leases_never_end: ['of several engines ends a claim with its lease'],
  others_not_woken: ['of several engines wakes the others'],
  renews_nothing: ['of several engines keeps a claim that is renewed'],
  start_voids_all: ['of several engines voids nothing when one more starts'],
  claimed_twice: ['of several engines gives each delivery to one'],
  group_held_twice: ['of several engines has one hold of a group'],
  settles_stale_claims: ['of several engines refuses what one settles that was held up'],
  votes_ignored: ['of several engines retires a subscription when the last'],
  votes_for_ever: ['of several engines counts the vote'],
  pause_written_back: ['of several engines pauses and resumes'],
  total_of_each: ['of several engines never has more claimed together'],
  time_of_engine: ['of several engines goes by the time of the store'],
  hoards: ['of several engines leaves others'],
  dead_for_ever: ['of several engines takes over what a killed one had claimed'],
};

describe('queueAdapterSuite for several engines', function () {
  this.timeout(240_000);
  const testsOf = kitProof({ runKit: queueAdapterSuite, target: TARGET, classId: 'testing::queue::adapters::CommonQueue', flaws: SHARING_FLAWS, finders: FINDERS });

  for (const [name, run] of testsOf('none')) if (name.startsWith('of several engines')) it(`passes a queue without a flaw: ${name}`, run);
});
