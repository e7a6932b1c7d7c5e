import { expect } from 'chai';
import { span } from '../span.fixture.js';
import type { ErrorKind } from './error-kinds.js';
import { SpanRing } from './span-ring.js';
import { ActivityReader } from './step-activity.js';

const kinds = (ring: SpanRing, reader = new ActivityReader(ring)): readonly ErrorKind[] => reader.read().items.find(({ step }) => step === 'Order')?.errors ?? [];
const told = (found: readonly ErrorKind[]): readonly string[] => found.map(({ trigger, type, message, count, firstAt, lastAt, now }) => `${trigger} ${type}: ${message} ${count}x ${firstAt}-${lastAt}${now ? ' now' : ''}`);

describe('errors of a Step by their kinds', () => {
  let ring: SpanRing;
  beforeEach(() => void (ring = new SpanRing(2_000, Infinity)));

  const run = (number: number, message?: string, trigger = 'http'): void => ring.add(span(number, {
    stepName: 'Order', startTime: number, attributes: { 'step.name': 'Order', 'step.trigger': trigger }, ...message !== undefined && { error: { type: 'E', message } },
  }));

  it('are one each for errors that differ in numbers, with count, first and last', () => {
    run(1, 'no order 17');
    run(2, 'no order 18');
    run(3, 'no mail');
    expect(told(kinds(ring))).to.deep.equal(['http E: no mail 1x 3-3 now', 'http E: no order <n> 2x 1-2 now']);
    expect(kinds(ring)[1]).to.include({ spanId: span(2).spanId, traceId: span(2).traceId });
  });

  it('are over once a run succeeds that was started in the same way', () => {
    run(1, 'no mail');
    run(2, undefined, 'queue');
    expect(told(kinds(ring))).to.deep.equal(['http E: no mail 1x 1-1 now']);
    run(3);
    expect(told(kinds(ring))).to.deep.equal(['http E: no mail 1x 1-1']);
    run(4, 'no mail');
    expect(told(kinds(ring)), 'it came back').to.deep.equal(['http E: no mail 2x 1-4 now']);
  });

  it('are the latest 20, and without secrets', () => {
    run(0, 'password=hunter2');
    expect(JSON.stringify(kinds(ring))).not.to.contain('hunter2');
    for (let number = 1; number < 50; number += 1) run(number, `no ${'x'.repeat(number)}`);
    expect(kinds(ring).map(({ lastAt }) => lastAt)).to.deep.equal(Array.from({ length: 20 }, (_, at) => 49 - at));
    run(50, 'y'.repeat(1_000));
    expect(kinds(ring)[0]?.message).to.equal(`${'y'.repeat(200)}…`);
  });

  it('are the same when they are read again and again as when they are read once', () => {
    const often = new ActivityReader(ring);
    for (let number = 0; number < 5_000; number += 1) {
      run(number, number % 7 === 0 ? undefined : `no ${'x'.repeat(number % 5)}`, number % 2 === 0 ? 'http' : 'queue');
      if (number % 97 === 0) expect(kinds(ring, often)).to.deep.equal(kinds(ring));
    }
  });
});
