import type { StateAdapter, StateCapabilities } from '@treadle/api';
import type { AdapterTarget } from './adapter-target.js';
import type { Runner } from './runner.js';
import { basicTests, nameTests, valueTests } from './state-suite/basic-tests.js';
import { changeTests, originTests } from './state-suite/change-tests.js';
import { durabilityTests, openingTests } from './state-suite/durability-tests.js';
import { expiryTellingTests } from './state-suite/expiry-telling-tests.js';
import { expiryTests, sweepTests } from './state-suite/expiry-tests.js';
import { groupTests, listProperty, listTests } from './state-suite/list-tests.js';
import { modelTests } from './state-suite/model-tests.js';
import { sharingTests } from './state-suite/sharing-tests.js';
import { StateUnderTest } from './state-suite/state-under-test.js';
import { certainTests, writeTests } from './state-suite/write-tests.js';
import { copyTests } from './state-suite/transfer-tests.js';
import { adapterSuite, SEED } from './suite/adapter-suite.js';

const GROUPS = [
  basicTests, nameTests, valueTests, writeTests, certainTests, changeTests, originTests, listTests, groupTests, expiryTests, expiryTellingTests, sweepTests, durabilityTests, openingTests,
  sharingTests, copyTests,
];

const RUNS = 60;

/**
 * Runs everything that a state adapter promises, on each variant of its declaration, through YAML and the real pipeline.
 *
 * ```ts
 * // my-store.conformance.test.ts
 * stateAdapterSuite({ adapter: MyStore, plugin: new URL('./index.ts', import.meta.url).href });
 * ```
 *
 * `plugin` is imported by its address because the kill test loads it in a process of its own, which is started with the
 * Node options of this one (a loader such as tsx goes along). Expiry is driven by a fake clock through `ModuleContext.clock`.
 * A variant that declares `durable` is restarted, killed and, unless it declares `multiEngine`, opened twice; one that declares that is opened by
 * two engines whose clocks are ten minutes apart.
 * @param runner default: the globals of mocha, vitest or jest
 */
export function stateAdapterSuite(
  target: AdapterTarget<StateAdapter, unknown, StateCapabilities>, runner: Runner = globalThis as unknown as Runner,
): void {
  const runs = target.tune?.runs ?? RUNS;
  adapterSuite(target, runner, {
    create: StateUnderTest,
    register: (tests) => {
      for (const register of GROUPS) register(tests);
      listProperty(tests, { seed: SEED, runs });
      modelTests(tests, { seed: SEED, runs: tests.declared.durable ? Math.ceil(runs / 10) : runs });
    },
  });
}
