import type { Ctor } from '@treadle/api';
import { expect } from 'chai';
import type { AdapterTarget } from '../adapter-target.js';
import type { Runner } from '../runner.js';

/** The tests of one variant by name, in their order. */
export type CollectedTests = ReadonlyMap<string, () => Promise<void> | void>;

type RunKit<A, Caps> = (target: AdapterTarget<A, unknown, Caps>, runner: Runner) => void;

/** A kit's tests of each variant, registered but not run. */
export function collectedTests<A, Caps>(runKit: RunKit<A, Caps>, target: AdapterTarget<A, unknown, Caps>): ReadonlyMap<string, CollectedTests> {
  const suites = new Map<string, Map<string, () => Promise<void> | void>>();
  let tests = new Map<string, () => Promise<void> | void>();
  runKit({ ...target, tune: { runs: 30 } }, {
    describe: (name, define) => {
      suites.set(name, tests = new Map());
      define();
    },
    it: (name, run) => tests.set(name, run),
  });
  return suites;
}

/** An adapter each of whose variants has one flaw, but for `none`, and which tests have to find it. */
export interface KitProof<A, Caps, Flaw extends string> {
  readonly runKit: RunKit<A, Caps>;
  readonly target: AdapterTarget<A, unknown, Caps>;
  readonly classId: string;
  readonly flaws: readonly Flaw[];
  /** How the names of the tests begin. */
  readonly finders: Readonly<Record<Exclude<Flaw, 'none'>, readonly string[]>>;
}

/** Registers the tests that a kit finds every flaw. Gives what it has for each variant. */
export function kitProof<A, Caps, Flaw extends string>({ runKit, target, classId, flaws, finders }: KitProof<A, Caps, Flaw>): (flaw: Flaw) => CollectedTests {
  const suites = collectedTests(runKit, target);
  const testsOf = (flaw: string): CollectedTests => suites.get(`${classId} (${flaw})`) as CollectedTests;

  it('has a suite for each variant', () => {
    expect(suites.size).to.equal(flaws.length);
  });

  it('refuses a class without a declaration', () => {
    class Bare {}
    const bare = { adapter: Bare as unknown as Ctor<A>, plugin: 'none' };
    expect(() => runKit(bare, { describe: () => 0, it: () => 0 })).to.throw('Bare has no @Adapter declaration');
  });

  for (const [flaw, names] of Object.entries<readonly string[]>(finders)) {
    for (const name of names) it(`finds the flaw "${flaw}" with "${name}…"`, () => expectToFail(testsOf(flaw), name));
  }
  return testsOf;
}

async function expectToFail(tests: CollectedTests, name: string): Promise<void> {
  const run = [...tests].find(([test]) => test.startsWith(name))?.[1];
  if (!run) throw new Error('there is no such test');
  const error = await Promise.resolve().then(run).then(() => undefined, (reason: unknown) => reason);
  expect(error, 'the test passed').to.be.instanceOf(Error);
}
