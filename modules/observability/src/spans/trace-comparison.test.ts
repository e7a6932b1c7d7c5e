import type { SpanRecord } from '@treadle/api';
import { expect } from 'chai';
import { id, REQUEST, span, treeOf } from '../span.fixture.js';
import { compareTraces, type ComparedRow, type TraceComparison } from './trace-comparison.js';

const OTHER = 'b'.repeat(32);
/** The same request a minute later, with other ids. */
const later = (spans: readonly SpanRecord[]): readonly SpanRecord[] => spans.map((one) => ({
  ...one, traceId: OTHER, spanId: `f${one.spanId.slice(1)}`, startTime: one.startTime + 60_000, links: one.links?.map((link) => link.replace('-0', '-f')),
  ...one.parentSpanId === undefined ? {} : { parentSpanId: `f${one.parentSpanId.slice(1)}` },
}));
const compare = (a: readonly SpanRecord[], b: readonly SpanRecord[], limit = 100): TraceComparison => compareTraces(treeOf(a), treeOf(b), limit);
const told = ({ depth, name, occurrence, a, b, deltaMs }: ComparedRow): unknown => [depth, name, occurrence, a?.offsetMs, b?.offsetMs, deltaMs];
const counts = ({ matched, onlyInA, onlyInB, omitted }: TraceComparison): unknown => ({ matched, onlyInA, onlyInB, omitted });
const first = ({ divergence }: TraceComparison): unknown => divergence && [divergence.reason, divergence.row.name, divergence.row.occurrence];

describe('two traces', () => {
  it('match span by span, whatever their ids and the time of day', () => {
    const found = compare(REQUEST, later(REQUEST));
    expect(counts(found)).to.deep.equal({ matched: 8, onlyInA: 0, onlyInB: 0, omitted: 0 });
    expect(found).to.not.have.property('divergence');
    expect([found.a.traceId, found.b.traceId, found.b.spans]).to.deep.equal(['a'.repeat(32), OTHER, 8]);
    expect(found.rows.map(told)).to.deep.equal([
      [0, 'POST /orders', 1, 0, 0, 0], [1, 'Order', 1, 1, 1, 0], [2, 'publish orders', 1, 4, 4, 0], [3, 'consume orders', 1, 20, 20, 0], [3, 'consume orders', 2, 54, 54, 0],
      [4, 'state.set', 1, 56, 56, 0], [4, 'publish audit', 1, 58.5, 58.5, 0], [5, 'consume audit', 1, 70, 70, 0],
    ]);
    expect(found.rows[3]).to.deep.include({ kind: 'consumer', stepName: 'Notify', a: { spanId: id(4), offsetMs: 20, durationMs: 4, attempt: 1, error: { type: 'TypeError', message: 'no mail' }, status: undefined, state: undefined } });
  });

  it('say how much longer each span took in b', () => {
    const slower = later(REQUEST).map((one) => (one.name === 'state.set' ? { ...one, durationMs: 7.5 } : one));
    expect(compare(REQUEST, slower).rows.filter(({ deltaMs }) => deltaMs !== 0).map(told)).to.deep.equal([[4, 'state.set', 1, 56, 56, 5.5]]);
    expect(first(compare(REQUEST, slower))).to.equal(undefined);
  });

  it('show what only one of them has, below what both have, and name the earliest difference', () => {
    const mended = later(REQUEST).filter((one) => !['5', '6', '7', '8'].some((number) => one.spanId.endsWith(number)));
    const more = [...mended, span(20, { traceId: OTHER, parentSpanId: `f${id(2).slice(1)}`, name: 'state.get', startTime: 60_003 })];
    const found = compare(REQUEST, more);
    expect(counts(found)).to.deep.equal({ matched: 4, onlyInA: 4, onlyInB: 1, omitted: 0 });
    expect(found.rows.map(({ name, a, b }) => [name, a !== undefined, b !== undefined])).to.deep.equal([
      ['POST /orders', true, true], ['Order', true, true], ['state.get', false, true], ['publish orders', true, true], ['consume orders', true, true],
      ['consume orders', true, false], ['state.set', true, false], ['publish audit', true, false], ['consume audit', true, false],
    ]);
    expect(first(found)).to.deep.equal(['only in b', 'state.get', 1]);
    expect(first(compare(REQUEST, mended))).to.deep.equal(['only in a', 'consume orders', 2]);
  });

  it('differ where it began, not in what came of it', () => {
    const broken = later(REQUEST).map((one) => {
      if (one.name === 'Order') return { ...one, error: { type: 'RangeError', message: 'token=abcdef' } };
      return one.name === 'POST /orders' ? { ...one, attributes: { ...one.attributes, 'http.response.status_code': 500 } } : one;
    });
    const found = compare(REQUEST, broken);
    expect(first(found)).to.deep.equal(['error', 'Order', 1]);
    expect(found.divergence?.row.b?.error).to.deep.equal({ type: 'RangeError', message: 'token=[redacted]' });
    expect(first(compare(REQUEST.slice(0, 1), broken.slice(0, 1)))).to.deep.equal(['status', 'POST /orders', 1]);
  });

  it('differ in how a run failed, not in what it did not get to, however fast the other was', () => {
    const run = (traceId: string, ...names: readonly string[]): readonly SpanRecord[] => [
      span(1, { traceId, name: 'handler Order', durationMs: 60 }),
      ...names.map((name, at) => span(2 + at, { traceId, parentSpanId: id(1), name, startTime: 10 * (at + 1), durationMs: 5 })),
    ];
    const failed = (spans: readonly SpanRecord[], durationMs: number): readonly SpanRecord[] =>
      spans.map((one) => (one.name === 'handler Order' ? { ...one, durationMs, error: { type: 'Error', message: 'broken' } } : one));
    const whole = run(OTHER, 'state.get', 'state.set', 'publish orders');
    const early = failed(run('a'.repeat(32), 'state.get'), 50);
    expect(first(compare(early, whole))).to.deep.equal(['error', 'handler Order', 1]);
    expect(first(compare(whole, early))).to.deep.equal(['error', 'handler Order', 1]);
    const other = failed(run('a'.repeat(32), 'state.set'), 50);
    expect(first(compare(other, whole))).to.deep.equal(['only in b', 'state.get', 1]);
  });

  it('differ in what was found, where nothing else differed before', () => {
    const read = (traceId: string, revision?: number, more: Partial<SpanRecord> = {}): readonly SpanRecord[] => [
      span(1, { traceId, name: 'handler Order', durationMs: 60, ...more }),
      span(2, { traceId, parentSpanId: id(1), name: 'state.get', startTime: 5, durationMs: 5, attributes: { 'state.operation': 'get', 'state.group': 'orders', 'state.key': 'o-1', ...revision !== undefined && { 'state.rev.after': revision } } }),
      span(3, { traceId, parentSpanId: id(1), name: 'state.set', startTime: 20, durationMs: 5, attributes: { 'state.operation': 'set', 'state.group': 'orders', 'state.key': 'o-1', 'state.rev.after': revision ?? 1 } }),
    ];
    const [none, some] = [read('a'.repeat(32)), read(OTHER, 3)];
    const found = compare(none, some);
    expect(first(found)).to.deep.equal(['state', 'state.get', 1]);
    expect([found.divergence?.row.a?.state, found.divergence?.row.b?.state]).to.deep.equal([{ group: 'orders', key: 'o-1', found: false }, { group: 'orders', key: 'o-1', found: true }]);
    // Another revision is none, and an operation that failed found out nothing.
    expect(first(compare(read('a'.repeat(32), 2), some))).to.equal(undefined);
    expect(first(compare(none, some.map((one) => (one.name === 'state.get' ? { ...one, error: { type: 'Error', message: 'lost' } } : one))))).to.deep.equal(['error', 'state.get', 1]);
    // What failed in the end failed after it had read.
    expect(first(compare(read('a'.repeat(32), undefined, { error: { type: 'Error', message: 'no order' } }), some))).to.deep.equal(['state', 'state.get', 1]);
  });

  it('are compared from a span of each on, as two attempts at one message', () => {
    const [firstTry, secondTry] = [id(4), id(5)];
    const found = compareTraces(treeOf(REQUEST), treeOf(later(REQUEST)), 100, { aSpan: firstTry, bSpan: `f${secondTry.slice(1)}` });
    expect(found.rows.map(({ depth, name, a, b }) => [depth, name, a?.offsetMs, b?.offsetMs])).to.deep.equal([
      [0, 'consume orders', 0, 0], [1, 'state.set', undefined, 2], [1, 'publish audit', undefined, 4.5], [2, 'consume audit', undefined, 16],
    ]);
    expect(first(found)).to.deep.equal(['error', 'consume orders', 1]);
    expect(() => compareTraces(treeOf(REQUEST), treeOf(REQUEST), 100, { aSpan: firstTry, bSpan: 'ab' })).to.throw('has no span "ab"');
  });

  it('count all, and show as many as are wanted', () => {
    const found = compare(REQUEST, later(REQUEST.slice(0, 3)), 2);
    expect([found.rows.length, counts(found)]).to.deep.equal([2, { matched: 3, onlyInA: 5, onlyInB: 0, omitted: 6 }]);
    expect(first(found)).to.deep.equal(['only in a', 'consume orders', 1]);
  });
});
