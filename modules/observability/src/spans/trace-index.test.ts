import fc from 'fast-check';
import { expect } from 'chai';
import { span } from '../span.fixture.js';
import { SpanRing } from './span-ring.js';
import { TraceIndex } from './trace-index.js';
import { summarize } from './trace-summary.js';

const ROOM = 12;
const TRACES = 6;

describe('the index of traces', () => {
  it('knows what the ring keeps, however many spans come between two questions', () => {
    const step = fc.oneof(
      fc.record({ add: fc.array(fc.integer({ min: 0, max: TRACES - 1 }), { maxLength: 3 * ROOM }) }), fc.record({ ask: fc.integer({ min: 0, max: TRACES - 1 }) }), fc.constant({ all: true } as const),
    );
    fc.assert(fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const ring = new SpanRing(ROOM, Infinity);
      const index = new TraceIndex(ring);
      for (const one of steps) {
        if ('add' in one) for (const trace of one.add) ring.add(span(ring.end, { traceId: idOf(trace), durationMs: ring.end }));
        else if ('ask' in one) expect(index.trace(idOf(one.ask))?.summary).to.deep.equal(kept(ring).get(idOf(one.ask)));
        else expect(new Map([...index.traces()].map(({ traceId, summary }) => [traceId, summary]))).to.deep.equal(kept(ring));
      }
    }));
  });
});

const idOf = (trace: number): string => String(trace).repeat(32);

/** Every trace with its sum, reckoned from the ring alone. */
function kept(ring: SpanRing): ReadonlyMap<string, unknown> {
  const rows = new Map<string, number[]>();
  for (let row = ring.oldest; row < ring.end; row += 1) rows.set(ring.traceId(row), [...rows.get(ring.traceId(row)) ?? [], row]);
  return new Map([...rows].map(([traceId, own]) => [traceId, summarize(ring, traceId, own)]));
}
