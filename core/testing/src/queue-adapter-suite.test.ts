import { expect } from 'chai';
import { queueAdapterSuite } from './queue-adapter-suite.js';
import { type Flaw, FlawedQueue, FLAWS } from './queue-suite/flawed-queue.fixture.js';
import { collectedTests, kitProof } from './suite/kit-proof.fixture.js';

const TARGET = { adapter: FlawedQueue, plugin: new URL('./queue-suite/flawed-queue.fixture.ts', import.meta.url).href };

/** Which test has to find which flaw. */
const FINDERS: Readonly<Record<Exclude<Flaw, 'none'>, readonly string[]>> = {
  claims_durable: ['keeps everything over a restart', 'loses no acknowledged message', 'does not let a second engine', 'does what the model does'],
  stale_claims: ['refuses a settlement of a claim that has ended', 'refuses claims of what never was'],
  epochs_repeat: ['gives no claim the epoch of another', 'does what the model does'],
  batch_torn: ['stores a batch as a whole', 'does what the model does'],
  first_subscriber_only: ['gives every subscription of the topic its own', 'does what the model does'],
  newest_first: ['delivers in the order of enqueueing', 'does what the model does'],
  early: ['claims nothing before it is due', 'does what the model does'],
  fifo_passes_waiting: ['lets a group wait', 'does not pass a message that is not due', 'does what the model does'],
  dedupe_forgets_done: ['writes nothing for a repeat'],
  dedupe_everywhere: ['writes nothing for a repeat', 'does what the model does'],
  redrive_new_id: ['puts letters back at the end of the order', 'does what the model does'],
  redrive_keeps_progress: ['puts letters back at the end of the order'],
  retire_drops: ['makes dead letters of what waits', 'retires 2,500', 'does what the model does'],
  unrouted_lost: ['keeps what nobody has subscribed to', 'does what the model does'],
  unrouted_to_first: ['keeps what nobody has subscribed to'],
  silent: ['wakes whoever can claim', 'claims nothing before it is due'],
  paused_claimed: ['claims nothing of a paused', 'does what the model does'],
  purge_takes_claimed: ['removes what waits and leaves what is claimed'],
  progress_lost: ['puts what comes back in its place', 'does what the model does'],
  letters_oldest_first: ['pages through dead letters'],
  expire_counts_retired: ['gives up dead letters that are too old or too many'],
  oldest_wrong: ['counts deliveries by where they stand', 'does what the model does'],
  proto_group: ['takes any text as Step, group'],
  limit_ignored: ['stores a batch as a whole', 'refuses what is unrouted beyond the limit', 'counts against the limit', 'does what the model does'],
  calls_overtake: ['keeps the order of calls that are under way together'],
};

describe('queueAdapterSuite', function () {
  this.timeout(240_000);
  const testsOf = kitProof({ runKit: queueAdapterSuite, target: TARGET, classId: 'testing::queue::adapters::FlawedQueue', flaws: FLAWS, finders: FINDERS });

  it('tests what is not declared the other way round', () => {
    expect([...testsOf('none').keys()]).to.include('keeps nothing over a restart').and.not.include('remembers keys over a restart');
    expect([...testsOf('claims_durable').keys()]).to.include('keeps everything over a restart').and.include('remembers keys over a restart');
  });

  it('leaves out what is skipped and refuses a skip of nothing', () => {
    const tests = collectedTests(queueAdapterSuite, { ...TARGET, skip: [{ test: 'no such', reason: 'x' }] }).get('testing::queue::adapters::FlawedQueue (none)');
    expect(() => tests?.get('skips only tests that exist, each with a reason')?.()).to.throw('there is no test "no such" to skip');
  });
});
