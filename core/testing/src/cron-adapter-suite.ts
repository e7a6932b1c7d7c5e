import type { CronAdapter, CronCapabilities } from '@treadle/api';
import type { AdapterTarget } from './adapter-target.js';
import { claimTests, finishTests, historyTests, skippedHistoryTests } from './cron-suite/claim-tests.js';
import { CronUnderTest } from './cron-suite/cron-under-test.js';
import { durabilityTests, openingTests } from './cron-suite/durability-tests.js';
import { modelTests } from './cron-suite/model-tests.js';
import { leaseTests, orphanTests, standstillTests } from './cron-suite/orphan-tests.js';
import { overlapTests, pauseTests } from './cron-suite/refusal-tests.js';
import { pauseScheduleTests, scheduleTests } from './cron-suite/schedule-tests.js';
import { sharingTests } from './cron-suite/sharing-tests.js';
import type { Runner } from './runner.js';
import { copyTests } from './cron-suite/transfer-tests.js';
import { adapterSuite, SEED } from './suite/adapter-suite.js';

const GROUPS = [
  scheduleTests, pauseScheduleTests, claimTests, overlapTests, pauseTests, historyTests, skippedHistoryTests, finishTests, orphanTests, leaseTests, standstillTests, durabilityTests, openingTests, sharingTests, copyTests,
];

const RUNS = 60;

/**
 * Runs everything that a cron adapter promises, on each variant of its declaration, through YAML and the real pipeline.
 * Every test has two adapters over one opened store; leases are driven by a fake clock through `ModuleContext.clock`. A variant
 * that declares `durable` is restarted, killed and, unless it declares `multiEngine`, opened twice. One that declares `multiEngine` is
 * opened by two engines whose clocks are ten minutes apart.
 *
 * ```ts
 * // my-cron.conformance.test.ts
 * cronAdapterSuite({ adapter: MyCron, plugin: new URL('./index.ts', import.meta.url).href });
 * ```
 * @param runner default: the globals of mocha, vitest or jest
 */
export function cronAdapterSuite(
  target: AdapterTarget<CronAdapter, unknown, CronCapabilities>, runner: Runner = globalThis as unknown as Runner,
): void {
  const runs = target.tune?.runs ?? RUNS;
  adapterSuite(target, runner, {
    create: CronUnderTest,
    register: (tests) => {
      for (const register of GROUPS) register(tests);
      modelTests(tests, { seed: SEED, runs: tests.declared.durable ? Math.ceil(runs / 10) : runs });
    },
  });
}
