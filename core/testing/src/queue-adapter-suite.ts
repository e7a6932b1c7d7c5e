import type { QueueAdapter, QueueCapabilities } from '@treadle/api';
import type { AdapterTarget } from './adapter-target.js';
import { adoptionTests, adoptRuleTests, adoptTests } from './queue-suite/adopt-tests.js';
import { basicTests, batchTests, orderTests, payloadTests, routingTests } from './queue-suite/basic-tests.js';
import { claimTests, leaseTests, returnTests, volumeTests } from './queue-suite/claim-tests.js';
import { commitKillTests } from './queue-suite/commit-kill-tests.js';
import { commitDedupeTests, commitRefusalTests, commitTests, commitWriteTests } from './queue-suite/commit-tests.js';
import { durabilityTests, killTests, openingTests } from './queue-suite/durability-tests.js';
import { fifoRetirementTests, fifoStorageTests, fifoTests, fifoTimeTests } from './queue-suite/fifo-tests.js';
import { inspectionTests, pageTests, purgeAfterClaimsTests, purgeTests } from './queue-suite/inspection-tests.js';
import { discardTests, expiryTests, letterTests, redriveTests } from './queue-suite/letter-tests.js';
import { modelTests } from './queue-suite/model-tests.js';
import { QueueUnderTest } from './queue-suite/queue-under-test.js';
import { sharedLeaseTests, takeOverTests } from './queue-suite/sharing-lease-tests.js';
import { sharedPauseTests, sharedVoteTests } from './queue-suite/sharing-subscription-tests.js';
import { sharedRuleTests, sharedWakeTests, sharedWorkTests } from './queue-suite/sharing-work-tests.js';
import { longRetirementTests, retirementTests, revivalTests, subscriptionTests } from './queue-suite/subscription-tests.js';
import { dedupeTests, dedupeTimeTests, delayTests, retryTimeTests } from './queue-suite/time-tests.js';
import type { Runner } from './runner.js';
import { copyTests } from './queue-suite/transfer-tests.js';
import { adapterSuite, SEED } from './suite/adapter-suite.js';

const GROUPS = [
  basicTests, orderTests, routingTests, payloadTests, batchTests, claimTests, returnTests, leaseTests, volumeTests, fifoTests, fifoTimeTests, fifoRetirementTests,
  fifoStorageTests, delayTests, retryTimeTests, dedupeTests, dedupeTimeTests, subscriptionTests, retirementTests, revivalTests,
  longRetirementTests, letterTests, redriveTests, discardTests, expiryTests, inspectionTests, pageTests, purgeTests, purgeAfterClaimsTests, durabilityTests, killTests,
  openingTests, commitTests, commitDedupeTests, commitWriteTests, commitRefusalTests, commitKillTests, sharedWorkTests, sharedWakeTests, sharedRuleTests,
  sharedLeaseTests, takeOverTests, sharedPauseTests, sharedVoteTests, copyTests, adoptTests, adoptionTests, adoptRuleTests,
];

const RUNS = 100;

/**
 * Runs everything that a queue adapter promises, on each variant of its declaration, through YAML and the real pipeline.
 *
 * ```ts
 * // my-queue.conformance.test.ts
 * queueAdapterSuite({ adapter: MyQueue, plugin: new URL('./index.ts', import.meta.url).href });
 * ```
 *
 * `plugin` is imported by its address because the kill test loads it in a process of its own, which is started with the
 * Node options of this one. Time is driven by a fake clock through `ModuleContext.clock`. What is declared decides what is
 * tested: a variant that is `durable` is restarted, killed and, unless it is for several engines, opened twice; one that
 * is not must have forgotten everything. A variant for several engines is used by some at a time, each in a process of its own, on the machine's time.
 * @param runner default: the globals of mocha, vitest or jest
 */
export function queueAdapterSuite(
  target: AdapterTarget<QueueAdapter, unknown, QueueCapabilities>, runner: Runner = globalThis as unknown as Runner,
): void {
  const runs = target.tune?.runs ?? RUNS;
  adapterSuite(target, runner, {
    create: QueueUnderTest,
    register: (tests) => {
      for (const register of GROUPS) register(tests);
      modelTests(tests, { seed: SEED, runs: tests.declared.durable ? Math.ceil(runs / 5) : runs });
    },
  });
}
