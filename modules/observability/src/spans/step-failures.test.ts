import { expect } from 'chai';
import { span } from '../span.fixture.js';
import { SpanRing } from './span-ring.js';
import { failuresOf } from './step-failures.js';

describe('runs of a Step that failed', () => {
  it('are those of its handler, the latest first', () => {
    const ring = new SpanRing(10, Infinity);
    const error = { type: 'E', message: 'no', stack: 'E: no' };
    for (const number of [1, 2, 3]) ring.add(span(number, { stepName: 'Order', startTime: number, durationMs: 5, attributes: { 'step.name': 'Order' }, error }));
    ring.add(span(4, { stepName: 'Notify', attributes: { 'step.name': 'Notify' }, error }));
    ring.add(span(5, { name: 'state.set', kind: 'client', stepName: 'Order', error }));
    ring.add(span(6, { stepName: 'Order', attributes: { 'step.name': 'Order' } }));
    expect(failuresOf(ring, 'Order', 2).map(({ startTime, durationMs, error: failed }) => [startTime, durationMs, failed])).to.deep.equal([[3, 5, error], [2, 5, error]]);
    for (const number of [11, 12, 13, 14, 15, 16, 17, 18]) ring.add(span(number));
    expect(failuresOf(ring, 'Order', 50).map(({ startTime }) => startTime), 'as far as they are kept').to.deep.equal([]);
  });
});
