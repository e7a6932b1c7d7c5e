import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AdapterSpec, adapterSpecOf } from '@treadle/api';
import { expect } from 'chai';
import type { HarnessOptions } from '../adapter-harness.js';
import type { AdapterTarget } from '../adapter-target.js';
import { type FakeClock, fakeClock } from '../fake-clock.js';
import { type Runner, Suite } from '../runner.js';
import type { AdapterUnderTest } from './adapter-under-test.js';
import { clockWithStore } from './clock-with-store.js';

/** Of what is random: fixed, so that a failure comes back; fast-check prints the failing sequence. */
export const SEED = 20_260_101;

/** Runs a test on a fresh adapter, started, and removes it with all it stored. */
export type WithFresh<U> = (body: (fresh: U) => Promise<void>) => Promise<void>;

/** Runs a test on an empty store that nobody uses yet, whose time is the machine's, and removes it. */
export type WithStore = (body: (options: HarnessOptions) => Promise<void>) => Promise<void>;

/** What the tests of one variant are registered with. */
export interface VariantTests<U, Caps> {
  readonly suite: Suite;
  readonly withFresh: WithFresh<U>;
  readonly withStore: WithStore;
  /** What the variant declares. */
  readonly declared: Caps;
  /** The adapter has `openTransfer`. */
  readonly transfers: boolean;
}

/** The conformance kit of one slot. */
export interface AdapterKit<U extends AdapterUnderTest<unknown, Caps>, Caps> {
  readonly create: new (options: HarnessOptions, clock?: FakeClock) => U;
  /** Registers all tests of a variant. */
  readonly register: (tests: VariantTests<U, Caps>) => void;
}

/**
 * Runs a slot's kit on each variant of an adapter's declaration.
 * @throws an `Error` when the class has no declaration
 */
export function adapterSuite<U extends AdapterUnderTest<unknown, Caps>, Caps>(
  target: AdapterTarget<unknown, unknown, Caps>, runner: Runner, { create, register }: AdapterKit<U, Caps>,
): void {
  const spec = adapterSpecOf(target.adapter) as AdapterSpec<unknown, Caps> | undefined;
  if (!spec) throw new Error(`${target.adapter.name} has no @Adapter declaration`);
  for (const [variant, config] of Object.entries(spec.variants)) {
    runner.describe(`${spec.id} (${variant})`, () => {
      const suite = new Suite(runner, target.skip ?? []);
      const declared = typeof spec.capabilities === 'function' ? (spec.capabilities as (config: unknown) => Caps)(config) : spec.capabilities;
      const withStore = storeOf(target, variant);
      const withFresh = freshOf(target, withStore, create);
      suite.test('can do in an engine what it declares', () => withFresh(async ({ capabilities }) => {
        expect(capabilities).to.deep.equal(declared);
      }));
      register({ suite, withFresh, withStore, declared, transfers: 'openTransfer' in (target.adapter.prototype as object) });
      suite.checkSkips();
    });
  }
}

function freshOf<U extends AdapterUnderTest<unknown, unknown>>(
  target: AdapterTarget<unknown, unknown, unknown>, withStore: WithStore, Create: new (options: HarnessOptions, clock?: FakeClock) => U,
): WithFresh<U> {
  return (body) => withStore(async (options) => {
    const moveStore = (now: number | undefined): Promise<void> => target.storeTime?.(options.config, now) ?? Promise.resolve();
    const fresh = new Create(options, clockWithStore(fakeClock(), moveStore));
    fresh.useMachineTime = () => moveStore(undefined);
    try {
      await moveStore(fresh.clock.now());
      await fresh.start();
      await body(fresh);
    } finally {
      await fresh.stop();
    }
  });
}

function storeOf(target: AdapterTarget<unknown, unknown, unknown>, variant: string): WithStore {
  const { id: classId, slot, variants } = adapterSpecOf(target.adapter) as AdapterSpec<unknown, unknown>;
  return async (body) => {
    const root = mkdtempSync(join(tmpdir(), `treadle-${slot.id}-`));
    const env = await target.env?.(variant);
    try {
      const config = env ? env.config : variants[variant];
      await body({ plugin: target.plugin, classId, slot: slot.id, config, root, beside: target.beside?.(config) });
    } finally {
      await env?.cleanup();
      rmSync(root, { recursive: true, force: true });
    }
  };
}
