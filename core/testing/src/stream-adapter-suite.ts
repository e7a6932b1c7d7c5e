import type { StreamAdapter, StreamCapabilities } from '@treadle/api';
import type { AdapterTarget } from './adapter-target.js';
import type { Runner } from './runner.js';
import { durabilityTests, killTests, openingTests } from './stream-suite/durability-tests.js';
import { changeTests, eventTests, sendTests, snapshotTests } from './stream-suite/event-tests.js';
import { groupTests, itemTests, nameTests, writeTests } from './stream-suite/item-tests.js';
import { modelTests } from './stream-suite/model-tests.js';
import { sharingTests } from './stream-suite/sharing-tests.js';
import { StreamsUnderTest } from './stream-suite/stream-under-test.js';
import { copyTests } from './stream-suite/transfer-tests.js';
import { adapterSuite, SEED } from './suite/adapter-suite.js';

const GROUPS = [
  itemTests, nameTests, writeTests, groupTests, eventTests, sendTests, snapshotTests, changeTests, durabilityTests, killTests, openingTests,
  sharingTests, copyTests,
];

const RUNS = 60;

/**
 * Runs everything that a stream adapter promises, on each variant of its declaration, through YAML and the real pipeline:
 * items and their order, events and their positions, snapshots in the middle of writes, changes, restarts and `kill -9` as
 * declared (`durable`, `resumes`), and random sequences against a reference model. A variant that declares `multiEngine` is opened by two engines whose
 * clocks are ten minutes apart.
 *
 * ```ts
 * // my-streams.conformance.test.ts
 * streamAdapterSuite({ adapter: MyStreams, plugin: new URL('./index.ts', import.meta.url).href });
 * ```
 *
 * `plugin` is imported by its address because the kill test loads it in a process of its own.
 * @param runner default: the globals of mocha, vitest or jest
 */
export function streamAdapterSuite(
  target: AdapterTarget<StreamAdapter, unknown, StreamCapabilities>, runner: Runner = globalThis as unknown as Runner,
): void {
  const runs = target.tune?.runs ?? RUNS;
  adapterSuite(target, runner, {
    create: StreamsUnderTest,
    register: (tests) => {
      for (const register of GROUPS) register(tests);
      modelTests(tests, { seed: SEED, runs: tests.declared.durable ? Math.ceil(runs / 10) : runs });
    },
  });
}
