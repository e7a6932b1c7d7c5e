import { expect } from 'chai';
import { moduleSuite } from './module-suite.js';
import { type Runner, Suite } from './runner.js';
import { undescribed } from './schema-rules.js';
import { kindOf, type KitSteps, moduleTarget, TriggerLife } from './trigger-suite/trigger-life.js';
import type { TriggerSource, TriggerTarget } from './trigger-suite/trigger-target.js';

export type { TriggerKeys, TriggerSource, TriggerTarget, Which } from './trigger-suite/trigger-target.js';

/** How many events follow each other in the test of their order. */
const IN_ORDER = 20;

/**
 * Conformance of a trigger kind: events of its source start the Steps that want them, whatever comes and goes meanwhile. The module runs in an engine made from
 * YAML, with a queue and Steps of the kit. Runs `moduleSuite` first: what that tests holds for every module.
 */
export function triggerSuite(target: TriggerTarget, runner: Runner = globalThis as unknown as Runner): void {
  moduleSuite(moduleTarget(target), runner);
  runner.describe(`trigger kind ${target.type}`, () => {
    const suite = new Suite(runner, target.skip ?? []);
    addDeclarationTests(suite, target);
    addStartTests(suite, target);
    addLossTests(suite, target);
    suite.checkSkips();
  });
}

function addDeclarationTests(suite: Suite, target: TriggerTarget): void {
  suite.test('describes every key of its triggers, and takes no others', () => {
    const { schema } = kindOf(target);
    expect(undescribed(schema)).to.deep.equal([]);
    expect(schema.additionalProperties, 'additionalProperties of its schema').to.equal(false);
  });
  suite.test('tells two triggers apart by their delivery keys', withSource(target, ({ triggers }) => {
    const { deliveryKey } = kindOf(target);
    if (!deliveryKey) return;
    const [first = '', second = ''] = triggers.map((keys) => deliveryKey({ ...keys, type: target.type }));
    expect(first).to.not.equal(second);
    for (const key of [first, second]) expect(key.length, `length of "${key}"`).to.be.within(1, 500);
  }));
}

function addStartTests(suite: Suite, target: TriggerTarget): void {
  suite.test('starts every Step that wants an event once, and no other', withLife(target, { A: [0], B: [1], C: [0, 1] }, async (life) => {
    const before = life.heard.length;
    await life.source.send(0, 'one');
    await life.source.send(1, 'two');
    await Promise.all([life.gets('A', 0, 'one'), life.gets('C', 0, 'one'), life.gets('B', 1, 'two'), life.gets('C', 1, 'two')]);
    await life.quiet();
    const [one, two] = [life.source.input(0, 'one'), life.source.input(1, 'two')];
    expect(life.heard.slice(before)).to.have.deep.members([
      { step: 'A', trigger: 0, input: one }, { step: 'C', trigger: 0, input: one }, { step: 'B', trigger: 1, input: two }, { step: 'C', trigger: 1, input: two },
    ]);
  }));
  suite.test('starts a Step with events in the order in which they came', withLife(target, { A: [0] }, async (life) => {
    const texts = Array.from({ length: IN_ORDER }, (_, index) => `number ${index}`);
    for (const text of texts) await life.source.send(0, text);
    await life.gets('A', 0, texts.at(-1) as string);
    const inputs = texts.map((text) => life.source.input(0, text));
    expect(life.heard.slice(-IN_ORDER).map(({ input }) => input)).to.deep.equal(inputs);
  }));
  suite.test('hears for Steps that come while it runs', withLife(target, { A: [0] }, (life) => life.has({ A: [0], B: [1] })));
  suite.test('hears no longer for Steps that have gone', withLife(target, { A: [0], B: [1] }, async (life) => {
    life.publish({ B: [1] });
    await life.quiet();
    await life.source.send(0, 'late');
    await life.source.send(1, 'last');
    await life.gets('B', 1, 'last');
    await life.quiet();
    expect(life.count('A', 0, 'late')).to.equal(0);
  }));
  suite.test('starts nothing after its stop', withSource(target, async (source) => {
    const life = await TriggerLife.start(target, source, { A: [0] });
    await life.stop();
    await source.send(0, 'late');
    await life.quiet();
    expect(life.count('A', 0, 'late')).to.equal(0);
  }));
}

function addLossTests(suite: Suite, target: TriggerTarget): void {
  if (kindOf(target).deliveryKey === undefined) return;
  suite.test('goes on with the others when one Step is gone', withLife(target, { A: [0], C: [0] }, async (life) => {
    life.queue.next('NoSuchTrigger');
    await life.source.send(0, 'one');
    await life.source.send(0, 'two');
    await Promise.all([life.gets('A', 0, 'two'), life.gets('C', 0, 'two')]);
    await life.quiet();
    expect(life.count('A', 0, 'one') + life.count('C', 0, 'one')).to.equal(1);
  }));
  if (target.keeps) addKeepingTests(suite, target);
}

function addKeepingTests(suite: Suite, target: TriggerTarget): void {
  suite.test('gives again what the queue had no room for', withLife(target, { A: [0] }, async (life) => {
    life.queue.next('QueueFull', 'QueueFull');
    await life.source.send(0, 'refused');
    await life.gets('A', 0, 'refused');
    await life.source.send(0, 'next');
    await life.gets('A', 0, 'next');
  }));
  suite.test('repeats what may be stored with the same dedupe key', withLife(target, { A: [0] }, async (life) => {
    const before = life.queue.asked.length;
    life.queue.next('QueueUnavailable');
    await life.source.send(0, 'unknown');
    await life.gets('A', 0, 'unknown', 2);
    const keys = life.queue.asked.slice(before).map(({ dedupeKey }) => dedupeKey);
    expect(keys[0]).to.be.a('string');
    expect(keys[1]).to.equal(keys[0]);
  }));
  suite.test('gets what happened while the engine was away', withSource(target, async (source) => {
    const first = await TriggerLife.start(target, source, { A: [0] });
    await first.stop();
    await source.send(0, 'meanwhile');
    await got(target, source, 'meanwhile');
  }));
  suite.test('acknowledges nothing before the queue has it', withSource(target, async (source) => {
    const first = await TriggerLife.start(target, source, { A: [0] });
    first.queue.next('never');
    const before = first.queue.asked.length;
    await source.send(0, 'unfinished');
    await first.quiet();
    expect(first.queue.asked.length, 'what the queue was asked for').to.be.above(before);
    await first.end();
    await got(target, source, 'unfinished');
  }));
}

/** Starts an engine, which is given the event of that text. */
async function got(target: TriggerTarget, source: TriggerSource, text: string): Promise<void> {
  await during(target, source, { A: [0] }, (life) => life.gets('A', 0, text));
}

function withLife(target: TriggerTarget, steps: KitSteps, test: (life: TriggerLife) => Promise<void>): () => Promise<void> {
  return withSource(target, (source) => during(target, source, steps, test));
}

async function during(target: TriggerTarget, source: TriggerSource, steps: KitSteps, test: (life: TriggerLife) => Promise<void>): Promise<void> {
  const life = await TriggerLife.start(target, source, steps);
  try {
    await test(life);
  } finally {
    await life.end();
  }
}

function withSource(target: TriggerTarget, test: (source: TriggerSource) => Promise<void> | void): () => Promise<void> {
  return async () => {
    const source = await target.source();
    try {
      await test(source);
    } finally {
      await source.close();
    }
  };
}
