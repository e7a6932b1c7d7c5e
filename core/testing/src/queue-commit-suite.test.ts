import { queueAdapterSuite } from './queue-adapter-suite.js';
import { COMMIT_FLAWS, type CommitFlaw, CommittingQueue } from './queue-suite/committing-queue.fixture.js';
import { kitProof } from './suite/kit-proof.fixture.js';

const beside = { class: '', config: {} };
const TARGET = {
  adapter: CommittingQueue, plugin: new URL('./queue-suite/committing-queue.fixture.ts', import.meta.url).href,
  beside: () => ({ state: { ...beside, class: 'testing::state::adapters::BesideState' }, stream: { ...beside, class: 'testing::stream::adapters::BesideStreams' } }),
};

const COMPARED = 'commits nothing where an entry is not as expected: ';

/** Which test has to find which flaw. */
const FINDERS: Readonly<Record<Exclude<CommitFlaw, 'none'>, readonly string[]>> = {
  settles_first: [`${COMPARED}another revision of a key`, 'lets one of several through'],
  void_writes: ['ends a claim and enqueues', 'commits nothing for a claim that has ended'],
  full_writes: ['commits nothing for a claim that has ended'],
  no_compare: [`${COMPARED}a key that is there`, `${COMPARED}an item that is there`, 'lets one of several through'],
  reads_unchecked: [`${COMPARED}a key that was only read`],
  enqueues_first: [`${COMPARED}another revision of an item`, 'lets one of several through'],
  state_first: [`${COMPARED}an item that is there`],
  items_lost: ['writes state and items'],
  wrong_at: [`${COMPARED}a key that was only read`],
  change_lost: ['writes state and items'],
  repeat_id: ['writes nothing for a repeated key of a commit'],
};

describe('queueAdapterSuite, of commits', function () {
  this.timeout(240_000);
  const testsOf = kitProof({ runKit: queueAdapterSuite, target: TARGET, classId: 'testing::queue::adapters::CommittingQueue', flaws: COMMIT_FLAWS, finders: FINDERS });

  for (const [name, run] of testsOf('none')) if (/commit|goes on with|lets one of/.test(name)) it(`finds nothing wrong without a flaw: ${name}`, () => run());
});
