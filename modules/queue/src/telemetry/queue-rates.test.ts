import type { NewMessage, StoredSubscription, SubscriptionStatistics } from '@treadle/api';
import { fakeClock, type FakeClock } from '@treadle/testing';
import { expect } from 'chai';
import type { DeliveryOutcome } from '../delivery/delivery-outcome.js';
import type { Attempt } from '../delivery/delivery-run.js';
import { QueueRates } from './queue-rates.js';

const SUBSCRIPTIONS = [['A', 't'], ['B', 't'], ['A', '']].map(([step, topic]) => ({ step, topic }) as StoredSubscription);
const STATISTICS = [{ step: 'A', topic: 't', waiting: 6, delayed: 2, retrying: 1, active: 5 }] as SubscriptionStatistics[];

describe('rates of the queue', () => {
  let clock: FakeClock;
  let rates: QueueRates;
  beforeEach(() => {
    clock = fakeClock();
    rates = new QueueRates(clock);
  });

  const enter = (count: number, message: Partial<NewMessage> = { topic: 't' }): void => rates.entered(Array(count).fill({ topic: '', ...message }) as NewMessage[]);
  const end = (count: number, outcome: DeliveryOutcome, step = 'A', topic = 't'): void => {
    for (let at = 0; at < count; at += 1) rates.ended(outcome, { consumer: { step, topic } } as unknown as Attempt);
  };
  const read = (windowMs?: number, statistics = STATISTICS) => rates.read(SUBSCRIPTIONS, statistics, windowMs === undefined ? undefined : String(windowMs));
  const of = (step: string, topic = 't', windowMs?: number) => read(windowMs).items.find((one) => one.step === step && one.topic === topic);

  it('tells what comes and goes a second, by subscription', async () => {
    enter(20);
    enter(5, { to: 'A' });
    end(30, 'done');
    end(10, 'skipped');
    end(4, 'retry');
    end(1, 'crashed');
    end(10, 'dead');
    end(7, 'released');
    end(2, 'done', 'B');
    await clock.advance(10_000);
    expect(of('A')).to.deep.equal({ step: 'A', topic: 't', enqueuedPerSecond: 2, donePerSecond: 4, failedPerSecond: 0.5, deadPerSecond: 1, settledPerSecond: 5, drainMs: 3_000 });
    expect(of('B')).to.deep.equal({ step: 'B', topic: 't', enqueuedPerSecond: 2, donePerSecond: 0.2, failedPerSecond: 0, deadPerSecond: 0, settledPerSecond: 0.2 });
    expect(of('A', '')).to.include({ enqueuedPerSecond: 0.5, settledPerSecond: 0 });
  });

  it('looks at the window that is asked for, and forgets what is older than five minutes', async () => {
    enter(60);
    await clock.advance(60_000);
    enter(5);
    await clock.advance(4_000);
    expect(read(5_000).windowMs).to.equal(4_000);
    expect(of('A', 't', 5_000)?.enqueuedPerSecond).to.equal(5 / 4);
    expect(of('A', 't', 300_000)?.enqueuedPerSecond).to.equal(65 / 64);
    await clock.advance(295_000);
    expect(of('A', 't', 300_000)?.enqueuedPerSecond).to.be.closeTo(5 / 300, 0.001);
    await clock.advance(300_000);
    expect(of('A', 't', 300_000)?.enqueuedPerSecond).to.equal(0);
    enter(5);
    expect(of('A', 't', 300_000)?.enqueuedPerSecond).to.be.closeTo(5 / 299, 0.01);
  });

  it('tells when nothing will wait only where that is foreseeable', async () => {
    enter(20);
    end(20, 'done');
    await clock.advance(10_000);
    expect(of('A')).not.to.have.property('drainMs');
    end(20, 'done');
    expect(of('A')).to.have.property('drainMs');
    expect(read(undefined, []).items.find(({ step }) => step === 'A')).not.to.have.property('drainMs');
  });

  it('refuses a window that it has not', () => {
    for (const window of ['0', '4999', '300001', '5000.5', 'x']) expect(() => rates.read([], [], window), window).to.throw('windowMs must be a whole number from 5000 to 300000');
  });
});
