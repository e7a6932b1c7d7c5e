import type { Logger, QueueDelivery, Settlement, StepRecord } from '@treadle/api';
import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import type { PendingCommit } from './commit-writer.js';
import { Consumers } from './consumers.js';
import { DeliveryPump } from './delivery-pump.js';
import type { DeliveryPumpParts } from './delivery-pump-parts.js';
import type { DeliveryRun } from './delivery-run.js';

const atomicStep = (...topics: readonly string[]): StepRecord =>
  ({ id: 'A', config: { name: 'A', atomic: true, triggers: topics.map((topic) => ({ type: 'queue', topic, config: { concurrency: 2 } })) } }) as unknown as StepRecord;

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('an atomic Step whose trigger goes', () => {
  it('hands back the delivery that came too late and waits for a slot of it', async () => {
    const waiting = ['d1', 'd2', 'd3', 'd4'].map((deliveryId) => ({
      deliveryId, step: 'A', topic: 'gone', kind: 'queue', data: '{}', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`, progress: { attempts: 0, deaths: 0, history: '' },
    }) as unknown as QueueDelivery);
    const [runs, commits, settled]: [DeliveryRun[], PendingCommit[], Settlement[]] = [[], [], []];
    const consumers = new Consumers({ error: () => undefined } as unknown as Logger, () => undefined, true, () => 0);
    const pump = new DeliveryPump({
      adapter: { claimMany: ([wanted]: readonly { topic: string; max: number }[]) => Promise.resolve(wanted?.topic === 'gone' ? waiting.splice(0, wanted.max) : []) },
      invoker: { servers: () => 1, start: (run: DeliveryRun) => void runs.push(run), cancel: () => undefined },
      settlements: { add: (settlement: Settlement) => void settled.push(settlement) }, commits: { add: (commit: PendingCommit) => void commits.push(commit) },
      turn: { at: (_phase: string, run: () => void) => () => void queueMicrotask(run) },
      consumers, clock: fakeClock(), random: () => 0, maxWaiting: () => 1, claimGoodMs: Infinity,
    } as unknown as DeliveryPumpParts);
    consumers.put(atomicStep('stays', 'gone'));
    pump.start();
    await turn();
    const [first] = runs;
    first?.atomic?.part('changed', () => ({ writes: () => [], committed: () => undefined }));
    first?.succeeded({});
    await turn();
    expect(runs.map(({ delivery }) => delivery.deliveryId), 'another one has its slot').to.deep.equal(['d1', 'd2', 'd3']);
    commits[0]?.answered({ ok: false, why: 'conflict', at: 0 });
    expect([runs.length, settled]).to.deep.equal([3, []]);
    for (const consumer of consumers.put(atomicStep('stays'))) pump.consider(consumer);
    expect(settled.map(({ action, claim }) => [action, claim.deliveryId])).to.deep.equal([['return', 'd1']]);
    for (const run of runs.slice(1)) run.succeeded({});
    await pump.drain(new AbortController().signal);
  });
});

describe('a Step that leaves and returns while its handlers run', () => {
  const clock = fakeClock();
  const consumers = (): Consumers => new Consumers({ error: () => undefined } as unknown as Logger, () => undefined, true, () => clock.monotonic());
  const step = (topics: readonly string[], more: object = {}): StepRecord => (
    { id: 'A', config: { name: 'A', triggers: topics.map((topic) => ({ type: 'queue', topic, config: { concurrency: 2, ...more } })) } }) as unknown as StepRecord;
  const free = (all: Consumers, topic: string): number | undefined => all.get('A', topic)?.free(clock.monotonic());

  it('has the slots that they leave, and all of them when they have ended', () => {
    const all = consumers();
    all.put(step(['t', 'u']));
    const before = all.get('A', 't');
    before?.began(0);
    before?.ask(1);
    all.delete('A');
    all.put(step(['u']));
    expect(free(all, 'u'), 'of the Step').to.equal(0);
    all.delete('A');
    all.put(step(['t', 'u']));
    expect([free(all, 't'), free(all, 'u')]).to.deep.equal([0, 0]);
    before?.ask(-1);
    expect([free(all, 't'), free(all, 'u')]).to.deep.equal([1, 1]);
    before?.ended(false);
    expect([free(all, 't'), free(all, 'u'), before?.gone]).to.deep.equal([2, 2, false]);
  });

  it('has them also where its config could not be served meanwhile, and counts commits that are on their way', () => {
    const all = consumers();
    all.put(step(['t']));
    const before = all.get('A', 't');
    before?.began(0);
    if (before) before.ahead = 1;
    all.put({ ...step(['t']), config: { ...step(['t']).config, triggers: [{ type: 'queue', topic: 't', input: { type: 'nothing' } }] } } as unknown as StepRecord);
    expect(all.get('A', 't')).to.equal(undefined);
    before?.ended(false);
    all.put(step(['t']));
    expect(all.get('A', 't')?.ahead).to.equal(1);
  });

  it('keeps its rate limit, and begins anew when nothing of it counts any more', async () => {
    const all = consumers();
    const limited = step(['t'], { rateLimit: { max: 1, perMs: 1_000 } });
    all.put(limited);
    const before = all.get('A', 't');
    before?.began(clock.monotonic());
    before?.ended(false);
    all.delete('A');
    all.put(limited);
    expect(free(all, 't')).to.equal(0);
    all.delete('A');
    await clock.advance(1_000);
    all.put(limited);
    expect(free(all, 't')).to.equal(1);
    expect(all.get('A', 't')).not.to.equal(before);
  });
});
