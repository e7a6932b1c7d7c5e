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
    const consumers = new Consumers({ error: () => undefined } as unknown as Logger, () => undefined, true);
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
