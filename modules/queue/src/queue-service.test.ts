import { type CallAnswer, type Catalog, type Invoker, type InvokeRequest, LAST_WORD_MS, type Logger, type QueueAdapter, StepFailure } from '@treadle/api';
import { EngineTurn } from '@treadle/kernel';
import { fakeClock, type FakeClock, mapQueue } from '@treadle/testing';
import { expect } from 'chai';
import { stepRecord } from './queue-rig.fixture.js';
import { QueueService } from './queue-service.js';

const SILENT: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined, child: () => SILENT };

describe('QueueService', () => {
  it('goes over to other limits while it runs', async () => {
    const clock = fakeClock();
    const nobody = { steps: () => [], onChange: () => () => undefined, onServing: () => () => undefined, servers: () => 0 } as unknown as Catalog & Invoker;
    const queue = new QueueService({ adapter: await mapQueue(clock), catalog: nobody, invoker: nobody, clock, turn: new EngineTurn(clock), log: SILENT, retireDelayMs: 10_000, maxWaiting: 1, random: () => 0 });
    await queue.open();
    queue.start();
    queue.follow([{ application: 'app', steps: [stepRecord('A', ['t'])], complete: true }]);
    await clock.advance(0);
    const sent = (data: string): Promise<unknown> => {
      const outcome = queue.enqueue([{ topic: 't', data }]).then(() => 'stored', ({ code }: { code: string }) => code);
      return clock.advance(0).then(() => outcome);
    };
    expect([await sent('1'), await sent('2')]).to.deep.equal(['stored', 'QueueFull']);
    queue.reconfigure({ maxWaiting: 2, retireDelayMs: 100 });
    expect([await sent('2'), await sent('3')]).to.deep.equal(['stored', 'QueueFull']);
    queue.follow([{ application: 'app', steps: [], complete: true }]);
    await clock.advance(50);
    queue.reconfigure({ maxWaiting: 2, retireDelayMs: 200 });
    await clock.advance(199);
    expect(queue.subscriptions.all()).to.have.length(1);
    await clock.advance(1);
    expect(queue.subscriptions.all()).to.have.length(0);
    await queue.stop(AbortSignal.abort());
  });

  describe('that stops without a drain, as when a later module does not start', () => {
    /** One delivery whose handler runs. `cancel`: what the invoker does when it is given up. */
    const running = async (clock: FakeClock, cancel: (answer: CallAnswer | undefined) => void): Promise<{ queue: QueueService; adapter: QueueAdapter }> => {
      const steps = [stepRecord('A', ['t'])];
      const begun: CallAnswer[] = [];
      const dispatch = {
        steps: () => steps, onChange: () => () => undefined, onServing: () => () => undefined, servers: () => 1, cancel: () => cancel(begun[0]),
        start: (_request: InvokeRequest, answer: CallAnswer) => void begun.push(answer),
      } as unknown as Catalog & Invoker;
      const adapter = await mapQueue(clock);
      const queue = new QueueService({ adapter, catalog: dispatch, invoker: dispatch, clock, turn: new EngineTurn(clock), log: SILENT, retireDelayMs: 0, maxWaiting: 100, random: () => 0 });
      await queue.open();
      queue.start();
      queue.follow([{ application: 'app', steps, complete: false }]);
      await clock.advance(0);
      const sent = queue.enqueue([{ topic: 't', data: '1' }]);
      await clock.advance(0);
      await sent;
      expect(begun).to.have.length(1);
      return { queue, adapter };
    };

    it('has handed back what runs', async () => {
      const clock = fakeClock();
      const { queue, adapter } = await running(clock, (answer) => void clock.after(LAST_WORD_MS, () => answer?.failed(new StepFailure('cancelled', 'drain'))));
      const again = queue.stop(new AbortController().signal).then(() => adapter.claimMany([{ step: 'A', topic: 't', max: 1 }], 1));
      await clock.advance(LAST_WORD_MS);
      expect((await again).map(({ data, progress }) => [data, progress.attempts])).to.deep.equal([['"1"', 0]]);
      await adapter.stop?.({ log: SILENT, signal: new AbortController().signal });
      expect(clock.pending).to.equal(0);
    });

    it('waits for it no longer than it may', async () => {
      const clock = fakeClock();
      const { queue, adapter } = await running(clock, () => undefined);
      const over = new AbortController();
      let isStopped = false;
      const stopping = queue.stop(over.signal).then(() => { isStopped = true; });
      await clock.advance(1_000);
      expect(isStopped).to.equal(false);
      over.abort();
      await stopping;
      await adapter.stop?.({ log: SILENT, signal: over.signal });
    });
  });

  it('tells its observer what was published, what became of it, and what died', async () => {
    const clock = fakeClock();
    const steps = [stepRecord('A', ['t'])];
    const dispatch = {
      steps: () => steps, onChange: () => () => undefined, onServing: () => () => undefined, servers: () => 1, cancel: () => undefined,
      start: ({ input, attempt }: InvokeRequest, answer: CallAnswer) => {
        if (input === 'good' || attempt > 1) answer.succeeded({});
        else answer.failed(new StepFailure('unhandled_exception', 'no', { nonRetryable: input === 'worst' }));
      },
    } as unknown as Catalog & Invoker;
    const adapter = await mapQueue(clock);
    const queue = new QueueService({ adapter, catalog: dispatch, invoker: dispatch, clock, turn: new EngineTurn(clock), log: SILENT, retireDelayMs: 0, maxWaiting: 100, random: () => 0 });
    const told: string[] = [];
    queue.observer = {
      published: (count) => told.push(`published ${count}`), delivered: (outcome, ms) => told.push(`${outcome} ${ms}`), dead: (reason) => told.push(reason),
      conflicted: () => undefined, stale: (count) => told.push(`stale ${count}`), unrouted: () => told.push('unrouted'), expired: (what, count) => told.push(`${what} ${count}`),
    };
    await queue.open();
    queue.start();
    queue.follow([{ application: 'app', steps, complete: false }]);
    await clock.advance(0);
    const sent = queue.enqueue([{ topic: 't', data: 'good' }, { topic: 't', data: 'bad' }, { topic: 't', data: 'worst' }]);
    await clock.advance(1_000);
    await sent;
    expect(told).to.deep.equal(['published 3', 'done 0', 'retry 0', 'dead 0', 'non_retryable', 'done 0']);
    const [claim] = await adapter.claimMany([{ step: 'A', topic: 't', max: 1 }], 1);
    expect(claim).to.equal(undefined);
    queue.settlements.add({ action: 'done', claim: { step: 'A', topic: 't', deliveryId: 1, epoch: 'old' } });
    await clock.advance(0);
    expect(told.at(-1)).to.equal('stale 1');
    await queue.stop(AbortSignal.abort());
    await adapter.stop();
    expect(clock.pending).to.equal(0);
  });
});
