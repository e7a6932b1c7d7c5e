import { expect } from 'chai';
import type { Runner } from './runner.js';
import { triggerSuite } from './trigger-suite.js';
import { brokerTarget, type Flaw } from './trigger-suite/broker.module.fixture.js';
import type { TriggerTarget } from './trigger-suite/trigger-target.js';

/** The test that has to find each flaw. */
const FINDERS: Readonly<Record<Flaw, string>> = {
  'starts twice': 'starts every Step that wants an event once, and no other',
  'starts everybody': 'starts every Step that wants an event once, and no other',
  'is out of order': 'starts a Step with events in the order in which they came',
  'knows only its first Steps': 'hears for Steps that come while it runs',
  'forgets nobody': 'hears no longer for Steps that have gone',
  'runs on': 'starts nothing after its stop',
  'stops at a Step that is gone': 'goes on with the others when one Step is gone',
  'drops what is refused': 'gives again what the queue had no room for',
  'makes a new key each time': 'repeats what may be stored with the same dedupe key',
  'acknowledges first': 'acknowledges nothing before the queue has it',
  'acknowledges what comes before the Steps': 'gets what happened while the engine was away',
  'describes nothing': 'describes every key of its triggers, and takes no others',
  'has one key': 'tells two triggers apart by their delivery keys',
};

/** The tests of the suite by name, registered but not run. */
function testsOf(target: TriggerTarget): ReadonlyMap<string, () => Promise<void> | void> {
  const tests = new Map<string, () => Promise<void> | void>();
  const runner: Runner = { describe: (_name, define) => define(), it: (name, run) => tests.set(name, run) };
  triggerSuite(target, runner);
  return tests;
}

describe('triggerSuite', function () {
  this.timeout(240_000);
  triggerSuite(brokerTarget());

  for (const [flaw, test] of Object.entries(FINDERS)) {
    it(`finds a module that ${flaw}`, async () => {
      const run = testsOf(brokerTarget(flaw as Flaw)).get(test);
      const error: unknown = await Promise.resolve().then(run).then(() => undefined, (reason: unknown) => reason);
      expect(error, 'the test passed').to.be.instanceOf(Error);
    });
  }

  it('has no test of loss for a source that keeps nothing', () => {
    expect([...testsOf({ ...brokerTarget(), keeps: false }).keys()]).to.include('starts nothing after its stop')
      .and.not.include('acknowledges nothing before the queue has it');
  });

  it('refuses a module that does not declare the kind', () => {
    expect(() => testsOf({ ...brokerTarget(), type: 'acme.tock' })).to.throw('Flawed declares no trigger kind "acme.tock"; it declares acme.tick');
  });
});
