import { expect } from 'chai';
import { span } from '../span.fixture.js';
import { SpanRing } from './span-ring.js';
import { TraceIndex } from './trace-index.js';

const MANY_BYTES = 1_000_000;

describe('the span ring', () => {
  it('gives back what came, member by member', () => {
    const ring = new SpanRing(3, MANY_BYTES);
    const whole = span(1, {
      parent: 9, kind: 'consumer', stepName: 'S', attributes: { a: [1, 2].map(String) }, error: { type: 'E', message: 'm', stack: 's' },
      events: [{ name: 'e', time: 1, attributes: { b: true } }], links: ['00-x-y-01'], startTime: 1.25, durationMs: 0.5,
    });
    ring.add(whole);
    ring.add(span(2));
    expect(ring.span(0)).to.deep.equal(whole);
    expect(ring.span(1)).to.deep.equal({ ...span(2), error: undefined, events: undefined, links: undefined });
  });

  it('keeps the latest and counts what went', () => {
    const ring = new SpanRing(3, MANY_BYTES);
    for (let number = 0; number < 8; number += 1) ring.add(span(number));
    expect([ring.oldest, ring.end, ring.evicted]).to.deep.equal([5, 8, { count: 5, reason: 'count' }]);
    expect([5, 6, 7].map((row) => ring.name(row))).to.deep.equal(['span 5', 'span 6', 'span 7']);
  });

  it('is bounded by bytes as well, whatever they are in', () => {
    const text = 'x'.repeat(3000);
    const large = [{ attributes: { text } }, { attributes: { list: [text] } }, { error: { type: 'E', message: '', stack: text } }, { events: [{ name: 'e', time: 0, attributes: { text } }] }];
    for (const members of large) {
      const ring = new SpanRing(100, 10_000);
      for (let number = 0; number < 50; number += 1) ring.add(span(number, members));
      expect(ring.usedBytes).to.be.within(3000, 10_000);
      expect(ring.evicted).to.deep.equal({ count: ring.oldest, reason: 'bytes' });
      expect(ring.end - ring.oldest).to.be.within(1, 3);
    }
  });

  it('takes a span that is larger than all the room there is, alone', () => {
    const ring = new SpanRing(10, 1000);
    ring.add(span(1));
    ring.add(span(2, { attributes: { text: 'x'.repeat(5000) } }));
    expect([ring.oldest, ring.end]).to.deep.equal([1, 2]);
  });

  it('finds the spans of a trace before, while and after others go', () => {
    const ring = new SpanRing(6, MANY_BYTES);
    const index = new TraceIndex(ring);
    const add = (number: number, traceId: string): void => ring.add(span(number, { traceId }));
    for (const number of [0, 1, 2, 3]) add(number, number % 2 === 0 ? 'even' : 'odd');
    expect(index.rowsOf('even')).to.deep.equal([0, 2]);
    for (const number of [4, 5, 6, 7]) add(number, 'more');
    expect(index.rowsOf('even')).to.deep.equal([2]);
    expect(all(index)).to.deep.equal([['even', [2]], ['odd', [3]], ['more', [4, 5, 6, 7]]]);
    for (let number = 8; number < 100; number += 1) add(number, 'last');
    expect(all(index)).to.deep.equal([['last', [94, 95, 96, 97, 98, 99]]]);
    expect(index.rowsOf('even')).to.deep.equal([]);
  });
});

function all(index: TraceIndex): readonly unknown[] {
  return [...index.traces()].map(({ traceId, rows }) => [traceId, rows]);
}
