import { expect } from 'chai';
import fc from 'fast-check';
import type { DeadLetterSelection, QueueDelivery, Settlement, StoredSubscription, SubscriptionKey, SubscriptionStatistics } from '@treadle/api';
import { asDeclared, inPlace, keeps, type MessageDraft, type QueueUnderTest, subscriptionOf } from './queue-under-test.js';
import type { ModelDelivery, ReferenceQueue } from './reference-queue.js';

/** The queue with what is claimed of it. */
export interface RealQueue {
  readonly queue: QueueUnderTest;
  claims: { readonly claim: QueueDelivery; readonly model: ModelDelivery }[];
  readonly epochs: Set<string>;
}

type Command = fc.AsyncCommand<ReferenceQueue, RealQueue>;

/* Few, so that operations meet. */
const KEYS: readonly SubscriptionKey[] = [{ step: 'a', topic: 't' }, { step: 'b', topic: 't' }, { step: 'c', topic: 'u' }, { step: 'a', topic: '' }];
const key = fc.constantFrom(...KEYS);
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });
const selection: fc.Arbitrary<DeadLetterSelection> = fc.record({
  step: maybe(fc.constantFrom('a', 'b', 'c')), topic: maybe(fc.constantFrom('t', 'u', '')),
  reason: maybe(fc.constantFrom('subscription_retired' as const, 'max_attempts' as const)),
});
const draft = fc.record({
  target: fc.constantFrom('t', 't', 't', 'u', 'v', 'to'), group: maybe(fc.constantFrom('x', 'y')), later: fc.constantFrom(0, 0, 0, 3, 50),
  dedupe: maybe(fc.constantFrom('k', 'l')), data: fc.constantFrom('1', '{"__proto__":1}', '"😀"'),
});
type Draft = typeof draft extends fc.Arbitrary<infer D> ? D : never;

const SUBSCRIBING: readonly fc.Arbitrary<Command>[] = [
  fc.array(fc.tuple(key, fc.boolean(), fc.constantFrom(0, 0, 20), fc.constantFrom(false, false, true)), { minLength: 1, maxLength: 3 }).map((all) =>
    command(`put ${all.map(([{ step, topic }, ...rest]) => `${step}/${topic} ${rest.join()}`).join(' and ')}`, async (model, { queue }) => {
      const stored = unique(all.map(([{ step, topic }, fifo, delayMs, paused]) => (
        subscriptionOf(step, topic, { ...asDeclared(queue.capabilities, { fifo, delayMs }), paused }))));
      await queue.put(...stored);
      model.put(stored);
    })),
  key.map((k) => command(`retire ${k.step}/${k.topic}`, async (model, { queue }) => {
    await queue.retire(k);
    model.retire(k);
  })),
];

const WRITING: readonly fc.Arbitrary<Command>[] = [
  fc.tuple(fc.array(draft, { minLength: 1, maxLength: 4 }), fc.constantFrom(4, 1_000)).map(([drafts, limit]) =>
    command(`enqueue ${JSON.stringify(drafts)} of ${limit}`, async (model, { queue }) => {
      const batch = drafts.map((one) => queue.message(messageOf(one, queue)));
      const [outcome] = await queue.adapter.enqueueMany([batch], { maxWaiting: limit });
      const expected = model.enqueue(batch, limit);
      if ('ids' in expected) expect(outcome).to.deep.equal({ ok: true, ids: expected.ids });
      else expect(outcome?.ok === false && expected.full).to.deep.include(outcome?.ok === false && outcome.full);
    })),
  fc.tuple(key, fc.integer({ min: 1, max: 4 })).map(([k, max]) => command(`claim ${max} of ${k.step}/${k.topic}`, async (model, real) => {
    const claims = await real.queue.claim(k.step, max, k.topic);
    const expected = keeps(real.queue.capabilities, 'places') ? model.claim(k, max) : model.claimOf(k, max, claims);
    expect(claims.map(({ messageId, progress }) => [messageId, progress])).to.deep.equal(expected.map(({ message, progress }) => [message.id, progress]));
    claims.forEach((claim, index) => {
      expect(real.epochs.has(claim.epoch), 'epoch used before').to.equal(false);
      real.epochs.add(claim.epoch);
      real.claims.push({ claim, model: expected[index] as ModelDelivery });
    });
  })),
  fc.tuple(fc.array(fc.nat(9), { minLength: 1, maxLength: 3 }), fc.constantFrom('done', 'done', 'return', 'dead'), fc.constantFrom(0, 10)).map(([which, action, wait]) =>
    command(`${action} ${which.join()} in ${wait}`, async (model, real) => {
      const chosen = [...new Set(which.map((index) => index % Math.max(1, real.claims.length)))].flatMap((index) => real.claims[index] ?? []);
      const settlements = chosen.map(({ claim }) => settlementOf(action, claim, { now: model.now, wait }));
      expect(await real.queue.adapter.settleMany(settlements)).to.deep.equal(chosen.map(() => true));
      expect(await real.queue.adapter.settleMany(settlements), 'again').to.deep.equal(chosen.map(() => false));
      chosen.forEach((one, index) => model.settle(one.model, settlements[index] as Settlement));
      real.claims = real.claims.filter((one) => !chosen.includes(one));
    })),
];

const READING: readonly fc.Arbitrary<Command>[] = [
  fc.constant(command('statistics', async (model, { queue }) => {
    const ages = keeps(queue.capabilities, 'ages');
    const known = ({ oldest, ...counts }: SubscriptionStatistics): SubscriptionStatistics => (ages && oldest !== undefined ? { ...counts, oldest } : counts);
    expect((await queue.adapter.statistics()).map(known)).to.have.deep.members(model.statistics().map(known));
    expect(await queue.adapter.subscriptions()).to.have.deep.members(model.live());
    const unrouted = await queue.adapter.unrouted();
    expect(unrouted.reduce((sum, { count }) => sum + count, 0)).to.equal(model.unrouted.length);
  })),
  key.map((k) => command(`peek ${k.step}/${k.topic}`, async (model, { queue }) => {
    const seen = await queue.adapter.peek(k, 100);
    const expected = model.deliveries.filter(({ of }) => of.step === k.step && of.topic === k.topic);
    inPlace(queue.capabilities, seen.map(({ messageId, active, dueAt }) => [messageId, active, active ? undefined : dueAt]),
      expected.map(({ message, active, dueAt }) => [message.id, active, !active && dueAt > model.now ? dueAt : undefined]));
  })),
  fc.tuple(selection, fc.integer({ min: 1, max: 3 })).map(([chosen, limit]) => command(`letters ${JSON.stringify(chosen)} by ${limit}`, async (model, { queue }) => {
    const letters = await queue.letters(chosen, limit);
    expect(letters.map(({ step, topic, messageId, reason, deadAt }) => [step, topic, messageId, reason, deadAt])).to.deep.equal(
      model.select(chosen).reverse().map(({ of, message, reason, at }) => [of.step, of.topic, message.id, reason, at]));
  })),
];

const EVENTS: readonly fc.Arbitrary<Command>[] = [
  key.map((k) => command(`purge ${k.step}/${k.topic}`, async (model, { queue }) => {
    expect(await queue.adapter.purge(k)).to.equal(model.purge(k));
  })),
  fc.tuple(selection, fc.integer({ min: 1, max: 3 }), maybe(fc.constantFrom('a', 'b'))).map(([chosen, limit, step]) =>
    command(`redrive ${limit} of ${JSON.stringify(chosen)} to ${step ?? '-'}`, async (model, { queue }) => {
      expect(await queue.adapter.redrive({ selection: chosen, limit, step, now: model.now })).to.equal(model.redrive(chosen, limit, step));
    })),
  fc.tuple(selection, fc.integer({ min: 1, max: 3 })).map(([chosen, limit]) => command(`discard ${limit} of ${JSON.stringify(chosen)}`, async (model, { queue }) => {
    expect(await queue.adapter.discard(chosen, limit)).to.equal(model.discard(chosen, limit));
  })),
  fc.tuple(fc.constantFrom(30, 1_000_000), fc.constantFrom(1, 1_000)).map(([age, maxDead]) => command(`expire ${age} ms, ${maxDead} letters`, async (model, { queue }) => {
    const expiry = { deadBefore: model.now - age, maxDead, unroutedBefore: model.now - age };
    const { dead, unrouted } = await queue.adapter.expire(expiry);
    const sum = (counts: readonly { readonly count: number }[]): number => counts.reduce((all, { count }) => all + count, 0);
    expect({ dead: sum(dead), unrouted: sum(unrouted) }).to.deep.equal(model.expire(expiry));
  })),
  fc.constantFrom(1, 7, 25, 600).map((ms) => command(`wait ${ms} ms`, async (model, { queue }) => {
    await queue.clock.advance(ms);
    model.now = queue.clock.now();
  })),
  fc.constant(command('restart', async (model, real) => {
    await real.queue.restart();
    model.restart(real.queue.capabilities.durable);
    real.claims = [];
    if (!real.queue.capabilities.durable) real.epochs.clear();
  })),
];

/** Everything that can be done to a queue, with arguments that get in each other's way; what wipes much comes seldom. */
export const COMMANDS: readonly fc.Arbitrary<Command>[] = [...SUBSCRIBING, ...WRITING, ...WRITING, ...WRITING, ...WRITING, ...READING, ...READING, ...EVENTS];

function command(name: string, run: (model: ReferenceQueue, real: RealQueue) => Promise<void>): Command {
  return { check: () => true, run, toString: () => name };
}

function messageOf({ target, group, later, dedupe, data }: Draft, { clock, capabilities }: QueueUnderTest): MessageDraft {
  return {
    ...target === 'to' ? { to: 'a', topic: '' } : { topic: target }, data, groupId: group,
    ...later > 0 && capabilities.delayed && { dueAt: clock.now() + later }, ...capabilities.dedupe && { dedupeKey: dedupe },
  };
}

function settlementOf(action: string, claim: QueueDelivery, { now, wait }: { readonly now: number; readonly wait: number }): Settlement {
  const progress = { attempts: claim.progress.attempts + 1, deaths: claim.progress.deaths, history: `[${wait}]` };
  if (action === 'done') return { action, claim };
  if (action === 'dead') return { action, claim, progress, reason: 'max_attempts', at: now };
  return { action: 'return', claim, progress, dueAt: wait > 0 ? now + wait : undefined };
}

function unique(subscriptions: readonly StoredSubscription[]): StoredSubscription[] {
  return [...new Map(subscriptions.map((one) => [`${one.step}/${one.topic}`, one])).values()];
}
