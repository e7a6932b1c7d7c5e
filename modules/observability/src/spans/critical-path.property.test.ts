import type { SpanRecord } from '@treadle/api';
import { expect } from 'chai';
import fc from 'fast-check';
import { id, span, TRACE, treeOf } from '../span.fixture.js';
import { criticalPath } from './critical-path.js';
import { SpanRing } from './span-ring.js';
import { summarize } from './trace-summary.js';

/** Times as they are: milliseconds since the epoch, with fractions. */
const EPOCH = 1_795_469_251_128.25;
const RUNS = { numRuns: 2_000, seed: 20_261_123 };

/** What one handler does, in the order of time; numbers are shares of what is left, or milliseconds. */
interface Work {
  readonly ms: number;
  readonly gap: number;
  /** State writes, calls and the like: some beside each other, some longer than the handler that did not wait for them. */
  readonly children: readonly { readonly at: number; readonly ms: number; readonly name: string }[];
  /** Messages and what becomes of them. */
  readonly messages: readonly Message[];
}

interface Message {
  readonly at: number;
  readonly wait: number;
  /** The consumer's span is found by a link instead of its parent. */
  readonly linked: boolean;
  /** Clock of the consumer's process against that of the producer's. */
  readonly skew: number;
  readonly failed: readonly { readonly ms: number; readonly backoff: number }[];
  readonly work: Work;
}

const millis = fc.double({ min: 0, max: 5_000, noNaN: true });
const share = fc.double({ min: 0, max: 1.2, noNaN: true });
const arbitraryWork = (hops: number): fc.Arbitrary<Work> => fc.record({
  ms: millis, gap: millis,
  children: fc.array(fc.record({ at: share, ms: millis, name: fc.constantFrom('state.set', 'stream.set', 'fetch', 'own') }), { maxLength: 4 }),
  messages: hops === 0 ? fc.constant([]) : fc.array(fc.record({
    at: share, wait: millis, linked: fc.boolean(), skew: fc.oneof(fc.constant(0), fc.double({ min: -3_000, max: 3_000, noNaN: true })),
    failed: fc.array(fc.record({ ms: millis, backoff: millis }), { maxLength: 2 }), work: arbitraryWork(hops - 1),
  }), { maxLength: 2 }),
});

/** The spans of a request whose messages go over at most two queues. */
function spansOf(root: Work): SpanRecord[] {
  const spans: SpanRecord[] = [];
  let last = 0;
  const add = (members: Partial<SpanRecord> & { readonly parent?: number }): number => {
    spans.push(span(last += 1, members));
    return last;
  };
  const handle = ({ ms, gap, children, messages }: Work, parent: number, start: number, step: string): void => {
    const handler = add({ name: step, parent, startTime: start + gap, durationMs: ms, stepName: step, attributes: { 'step.name': step } });
    for (const { at, ms: took, name } of children) add({ name, kind: name === 'fetch' ? 'client' : 'internal', parent: handler, startTime: start + gap + at * ms, durationMs: took });
    for (const message of messages) send(message, handler, start + gap + message.at * ms);
  };
  const send = ({ wait, linked, skew, failed, work }: Message, parent: number, at: number): void => {
    const producer = add({ name: 'queue.publish t', kind: 'producer', parent, startTime: at, durationMs: 0.5 });
    const step = `Step${producer}`;
    let start = at + wait + skew;
    const consume = (attempt: number, ms: number): number => add({
      name: 'queue.consume t', kind: 'consumer', startTime: start, durationMs: ms, stepName: step, ...linked ? { links: [`00-${TRACE}-${id(producer)}-01`] } : { parent: producer },
      attributes: { 'messaging.message.id': `m${producer}`, 'messaging.destination.name': 't', 'queue.enqueued_at': at, 'step.attempt': attempt },
    });
    for (const [before, { ms, backoff }] of failed.entries()) {
      consume(before + 1, ms);
      start += ms + backoff;
    }
    handle(work, consume(failed.length + 1, work.gap + work.ms), start, step);
  };
  handle(root, add({ name: 'POST /orders', kind: 'server', startTime: EPOCH, durationMs: root.gap + root.ms }), EPOCH, 'Order');
  return spans;
}

/** Spans that name each other in any way, circles and missing ones too. */
const soup = fc.array(fc.record({
  number: fc.integer({ min: 1, max: 12 }), parent: fc.option(fc.integer({ min: 1, max: 14 }), { nil: undefined }), link: fc.option(fc.integer({ min: 1, max: 14 }), { nil: undefined }),
  kind: fc.constantFrom('internal', 'consumer', 'producer', 'client', 'server'), start: fc.oneof(millis, fc.constantFrom(0, 10, 20)), ms: fc.oneof(millis, fc.constantFrom(0, 10)),
  message: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }), enqueued: fc.option(millis, { nil: undefined }),
}), { minLength: 1, maxLength: 12 }).map((all) => [...new Map(all.map((one) => [one.number, one])).values()].map(({ number, parent, link, kind, start, ms, message, enqueued }) => span(number, {
  kind: kind as SpanRecord['kind'], startTime: EPOCH + start, durationMs: ms, ...parent !== undefined && { parent }, ...link !== undefined && { links: [`00-${TRACE}-${id(link)}-01`] },
  attributes: { ...message !== undefined && { 'messaging.message.id': `m${message}` }, ...enqueued !== undefined && { 'queue.enqueued_at': EPOCH + enqueued - 100 } },
})));

function settledMs(spans: readonly SpanRecord[]): number {
  const ring = new SpanRing(spans.length, Infinity);
  for (const one of spans) ring.add(one);
  return summarize(ring, TRACE, [...spans.keys()]).durationMs;
}

/** What holds of the path of any trace. */
function check(spans: readonly SpanRecord[], turned: readonly SpanRecord[]): void {
  const { segments, startTime, durationMs, byKind } = criticalPath(treeOf(spans));
  const settled = settledMs(spans);
  expect(durationMs, 'the settled time').to.equal(settled);
  expect(segments.reduce((sum, segment) => sum + segment.durationMs, 0), 'the sum').to.equal(settled);
  expect(Object.values(byKind).reduce((sum, ms) => sum + ms, 0), 'the sum by kind').to.equal(settled);
  let at = startTime;
  for (const segment of segments) {
    expect(segment.startTime, 'no gap').to.equal(at);
    expect(segment.durationMs, 'no time that runs backwards').to.be.greaterThan(0);
    at += segment.durationMs;
  }
  const reply = criticalPath(treeOf(spans), 'reply');
  expect(reply.segments.reduce((sum, segment) => sum + segment.durationMs, 0), 'the sum until the reply').to.equal(reply.durationMs);
  expect(reply.durationMs, 'not after the last effect').to.be.at.most(settled);
  expect(criticalPath(treeOf(turned)).segments, 'whatever order they come in').to.deep.equal(segments);
}

describe('the critical path of any trace', function () {
  this.timeout(180_000);

  it('sums exactly to the settled time: two queues, retries, parallel children, gaps, clocks that differ', () => {
    fc.assert(fc.property(arbitraryWork(2), (work) => {
      const spans = spansOf(work);
      check(spans, [...spans].reverse());
    }), RUNS);
  });

  it('does so where spans are missing', () => {
    fc.assert(fc.property(arbitraryWork(2), fc.infiniteStream(fc.boolean()), (work, kept) => {
      const spans = spansOf(work).filter(() => kept.next().value as boolean);
      if (spans.length > 0) check(spans, [...spans].reverse());
    }), RUNS);
  });

  it('does so whatever spans say of each other', () => {
    fc.assert(fc.property(soup, (spans) => check(spans, [...spans].reverse())), RUNS);
  });
});
