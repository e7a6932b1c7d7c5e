import { type AdapterSpec, adapterSpecOf, type StateAdapter, type StateCapabilities } from '@treadle/api';
import { expect } from 'chai';
import type { AdapterTarget } from './adapter-target.js';
import { type Runner, Suite } from './runner.js';
import { basicTests, nameTests, valueTests } from './state-suite/basic-tests.js';
import { durabilityTests, openingTests } from './state-suite/durability-tests.js';
import { expiryTests, sweepTests } from './state-suite/expiry-tests.js';
import { groupTests, listProperty, listTests } from './state-suite/list-tests.js';
import { modelTests } from './state-suite/model-tests.js';
import { type StateTarget, stateOf } from './state-suite/state-under-test.js';
import { changeTests, writeTests } from './state-suite/write-tests.js';

const GROUPS = [
  basicTests, nameTests, valueTests, writeTests, changeTests, listTests, groupTests, expiryTests, sweepTests, durabilityTests, openingTests,
];

/** Fixed, so that a failure comes back; fast-check prints the failing sequence. */
const SEED = 20_260_101;
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
 * A variant that declares `durable` is restarted, killed and, unless it declares `multiEngine`, opened twice.
 * @param runner default: the globals of mocha, vitest or jest
 */
export function stateAdapterSuite(
  target: AdapterTarget<StateAdapter, unknown, StateCapabilities>, runner: Runner = globalThis as unknown as Runner,
): void {
  const spec = adapterSpecOf(target.adapter);
  if (!spec) throw new Error(`${target.adapter.name} has no @Adapter declaration`);
  for (const variant of Object.keys(spec.variants)) {
    runner.describe(`${spec.id} (${variant})`, () => variantSuite(target, variant, runner));
  }
}

function variantSuite(target: StateTarget, variant: string, runner: Runner): void {
  const suite = new Suite(runner, target.skip ?? []);
  const declared = capabilitiesOf(target, variant);
  const tests = { suite, declared, withState: stateOf(target, variant) };
  const runs = target.tune?.runs ?? RUNS;
  suite.test('can do in an engine what it declares', () => tests.withState(async ({ capabilities }) => {
    expect(capabilities).to.deep.equal(declared);
  }));
  for (const register of GROUPS) register(tests);
  listProperty(tests, { seed: SEED, runs });
  modelTests(tests, { seed: SEED, runs: declared.durable ? Math.ceil(runs / 10) : runs });
  suite.checkSkips();
}

/** As the declaration has it for the variant's config. */
function capabilitiesOf({ adapter }: StateTarget, variant: string): StateCapabilities {
  const { capabilities, variants } = adapterSpecOf(adapter) as AdapterSpec<unknown, StateCapabilities>;
  return typeof capabilities === 'function' ? capabilities(variants[variant]) : capabilities;
}
