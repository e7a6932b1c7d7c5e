import { expect } from 'chai';
import { span } from '../span.fixture.js';
import { SpanRing } from './span-ring.js';
import { ActivityReader } from './step-activity.js';

describe('what spans show of Steps', () => {
  it('names topics, and takes no change of state or a stream for one', () => {
    const ring = new SpanRing(10, Infinity);
    const consumed = (number: number, topic: string): void => ring.add(span(number, { kind: 'consumer', stepName: 'A', attributes: { 'messaging.destination.name': topic } }));
    consumed(1, 'orders.placed');
    consumed(2, 'state changes');
    consumed(3, 'stream changes');
    ring.add(span(4, { kind: 'producer', stepName: 'A', attributes: { 'messaging.destination.name': 'mails' } }));
    expect(new ActivityReader(ring).read().items).to.have.length(1);
    expect(new ActivityReader(ring).read().items[0]).to.deep.include({ consumed: { 'orders.placed': 1 }, enqueued: { mails: 1 } });
  });

  it('sums up the same when it is read again and again as when it is read once', () => {
    const ring = new SpanRing(1000, Infinity);
    const often = new ActivityReader(ring);
    for (let number = 0; number < 5000; number += 1) {
      const topic = `topic.${number % 7}`;
      ring.add(span(4 * number, { kind: 'producer', stepName: `Step${number % 3}`, attributes: { 'messaging.destination.name': topic } }));
      ring.add(span(4 * number + 1, { stepName: 'Run', durationMs: number, attributes: { 'step.name': 'Run' }, ...number % 5 === 0 && { error: { type: 'E', message: 'no' } } }));
      ring.add(span(4 * number + 2, { name: 'state.set', stepName: 'Run', attributes: { 'state.group': `g${number % 300}` } }));
      if (number % 97 === 0) expect(often.read()).to.deep.equal(new ActivityReader(ring).read());
    }
    const { items, spans, from } = often.read();
    expect([spans, from]).to.deep.equal([1000, ring.start(ring.oldest)]);
    const runs = [...Array(5000).keys()].filter((number) => 3 * number + 1 >= 14_000);
    expect(items.find(({ step }) => step === 'Run')?.runs).to.deep.equal({
      count: runs.length, errors: runs.filter((number) => number % 5 === 0).length, lastAt: 1000 + 4 * 4999 + 1,
      p50Ms: runs[Math.floor(runs.length / 2)], p95Ms: runs[Math.floor(runs.length * 0.95)],
    });
  });

  it('tells reads of a group of state from writes', () => {
    const ring = new SpanRing(10, Infinity);
    for (const [number, name] of ['state.get', 'state.list', 'state.set', 'state.update', 'state.delete'].entries()) ring.add(span(number, { name, stepName: 'A', attributes: { 'state.group': 'g' } }));
    ring.add(span(9, { name: 'state.get', stepName: 'B', attributes: { 'state.group': 'g' } }));
    expect(new ActivityReader(ring).read().items.map(({ step, stateGroups, stateWrites }) => [step, stateGroups, stateWrites])).to.deep.equal([['B', { g: 1 }, {}], ['A', { g: 5 }, { g: 3 }]]);
  });
});
