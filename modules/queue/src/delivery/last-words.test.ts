import type { CommitOutcome, Logger, QueueDelivery, Settlement, StepRecord } from '@treadle/api';
import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import type { PendingCommit } from './commit-writer.js';
import { Consumers } from './consumers.js';
import { DeliveryPump } from './delivery-pump.js';
import type { DeliveryPumpParts } from './delivery-pump-parts.js';
import type { DeliveryRun } from './delivery-run.js';

const STEP = { id: 'A', config: { name: 'A', atomic: true, triggers: [{ type: 'queue', topic: 't', config: { concurrency: 1 } }] } } as unknown as StepRecord;
const DELIVERY = {
  deliveryId: 'd1', step: 'A', topic: 't', kind: 'queue', data: '{}', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`, progress: { attempts: 0, deaths: 0, history: '' },
} as unknown as QueueDelivery;

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** A pump with one atomic delivery, whose store and handler answer when the test does. */
class Rig {
  readonly runs: DeliveryRun[] = [];
  readonly commits: PendingCommit[] = [];
  readonly settled: Settlement[] = [];
  readonly pump: DeliveryPump;
  isDrained = false;
  private readonly waiting = [DELIVERY];

  private constructor() {
    const consumers = new Consumers({ error: () => undefined } as unknown as Logger, () => undefined, true, () => 0);
    this.pump = new DeliveryPump({
      adapter: { claimMany: () => Promise.resolve(this.waiting.splice(0)) },
      invoker: { servers: () => 1, start: (run: DeliveryRun) => void this.runs.push(run), cancel: () => undefined },
      settlements: { add: (settlement: Settlement) => void this.settled.push(settlement) }, commits: { add: (commit: PendingCommit) => void this.commits.push(commit) },
      turn: { at: (_phase: string, run: () => void) => () => void queueMicrotask(run) },
      consumers, clock: fakeClock(), random: () => 0, maxWaiting: () => 1, claimGoodMs: Infinity,
    } as unknown as DeliveryPumpParts);
    consumers.put(STEP);
    this.pump.start();
  }

  /** Its delivery has begun. */
  static async begun(): Promise<Rig> {
    const rig = new Rig();
    await turn();
    rig.run.atomic?.part('changed', () => ({ writes: () => [], committed: () => undefined }));
    return rig;
  }

  get run(): DeliveryRun {
    return this.runs[0] ?? expect.fail('nothing has begun');
  }

  async drain(signal: AbortSignal): Promise<void> {
    void this.pump.drain(signal).then(() => { this.isDrained = true; });
    await turn();
  }

  async answer(outcome: CommitOutcome): Promise<void> {
    this.commits[0]?.answered(outcome);
    await turn();
  }

  get returned(): unknown[] {
    return this.settled.map(({ action, claim }) => [action, claim.deliveryId]);
  }
}

describe('a drain whose time is over, with an atomic delivery', () => {
  for (const outcome of [{ ok: true, ids: [] }, { ok: false, why: 'conflict', at: 0 }, { ok: false, why: 'void' }] as unknown as CommitOutcome[]) {
    const why = outcome.ok ? 'done' : outcome.why;
    const left = why === 'conflict' ? [['return', 'd1']] : [];

    it(`waits for no commit of a handler that ends then, and hands back what does not become of it (${why})`, async () => {
      const rig = await Rig.begun();
      await rig.drain(AbortSignal.abort());
      expect(rig.isDrained, 'the handler has its last word').to.equal(false);
      rig.run.succeeded({});
      await turn();
      expect([rig.isDrained, rig.commits.length, rig.returned]).to.deep.equal([true, 1, []]);
      await rig.answer(outcome);
      expect([rig.runs.length, rig.returned]).to.deep.equal([1, left]);
    });

    it(`waits no longer for a commit that is on its way (${why})`, async () => {
      const rig = await Rig.begun();
      rig.run.succeeded({});
      const over = new AbortController();
      await rig.drain(over.signal);
      expect(rig.isDrained).to.equal(false);
      over.abort();
      await turn();
      expect([rig.isDrained, rig.returned]).to.deep.equal([true, []]);
      await rig.answer(outcome);
      expect([rig.runs.length, rig.returned]).to.deep.equal([1, left]);
    });
  }

  it('hands back a delivery whose handler has ended with operations under way', async () => {
    const rig = await Rig.begun();
    let done: () => void = () => undefined;
    const operation = rig.run.atomic?.within(() => new Promise<void>((resolve) => { done = resolve; }));
    await rig.drain(AbortSignal.abort());
    rig.run.succeeded({});
    await turn();
    expect([rig.isDrained, rig.returned]).to.deep.equal([true, [['return', 'd1']]]);
    done();
    await operation;
    expect(rig.commits).to.deep.equal([]);
  });
});
