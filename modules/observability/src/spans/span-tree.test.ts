import type { SpanRecord } from '@treadle/api';
import { expect } from 'chai';
import { id, REQUEST, span, treeOf } from '../span.fixture.js';
import { criticalPath, type CriticalPath } from './critical-path.js';
import { childRows, traceJson, type TraceView } from './trace-view.js';

const view = (spans: readonly SpanRecord[], limit: number): TraceView => JSON.parse(Buffer.concat([...traceJson('t', treeOf(spans), limit)]).toString()) as TraceView;
const path = (spans: readonly SpanRecord[]): CriticalPath => criticalPath(treeOf(spans));
const lines = (spans: readonly SpanRecord[]): readonly string[] =>
  path(spans).segments.map(({ kind, name, startTime, durationMs }) => `${startTime}-${startTime + durationMs} ${kind}: ${name}`);

describe('a trace', () => {
  it('is a tree by parents and links, with attempts and waits', () => {
    const { rows } = view([...REQUEST].reverse(), 100);
    expect(rows.map(({ depth, name, attempt, wait }) => [depth, name, attempt, wait])).to.deep.equal([
      [0, 'POST /orders', undefined, undefined],
      [1, 'Order', undefined, undefined],
      [2, 'publish orders', undefined, undefined],
      [3, 'consume orders', 1, { kind: 'queue', startTime: 5, durationMs: 15 }],
      [3, 'consume orders', 2, { kind: 'backoff', startTime: 24, durationMs: 30 }],
      [4, 'state.set', undefined, undefined],
      [4, 'publish audit', undefined, undefined],
      [5, 'consume audit', 1, { kind: 'queue', startTime: 59, durationMs: 11 }],
    ]);
  });

  it('has a path until the reply of its request, without what came later', () => {
    const { segments, durationMs } = criticalPath(treeOf(REQUEST), 'reply');
    expect([durationMs, segments.reduce((sum, one) => sum + one.durationMs, 0), segments.map(({ spanId }) => spanId)]).to.deep.equal([10, 10, [id(1), id(2), id(3), id(2), id(1)]]);
    const noRequest = REQUEST.filter(({ kind }) => kind !== 'server');
    expect(criticalPath(treeOf(noRequest), 'reply')).to.deep.equal(criticalPath(treeOf(noRequest)));
  });

  it('leaves out what is over the limit and says how much', () => {
    const { rows, omitted } = view(REQUEST, 3);
    expect([rows.length, omitted]).to.deep.equal([3, 5]);
  });

  it('is written as JSON in pieces, with all that a span has and none of its secrets', () => {
    const rich = span(1, { name: 'a "name"', attributes: { apiKey: 'x', n: 1 }, events: [{ name: 'e', time: 5 }], links: ['00-a-b-01'] });
    const plain = { spanId: id(1), traceId: rich.traceId, kind: 'internal', startTime: 1001, durationMs: 1, stepName: '', depth: 0, children: 0 };
    expect(view([rich], 10)).to.deep.equal({
      traceId: 't', omitted: 0,
      rows: [{ ...plain, name: 'a "name"', attributes: { apiKey: '[redacted]', n: 1 }, events: [{ name: 'e', time: 5 }], links: ['00-a-b-01'], critical: true }],
      path: { segments: [{ kind: 'other', spanId: id(1), name: 'a "name"', startTime: 1001, durationMs: 1 }], startTime: 1001, durationMs: 1, byKind: { other: 1 } },
    });
    const many = Array.from({ length: 600 }, (_, at) => span(at));
    expect([...traceJson('t', treeOf(many), 600)]).to.have.length(7);
    expect(view(many, 600).rows.map(({ spanId }) => spanId)).to.deep.equal(many.map(({ spanId }) => spanId));
    expect(view(many, 512)).to.include({ omitted: 88 }).with.nested.property('rows.length', 512);
  });

  it('has the last of several spans with one id', () => {
    expect(view([span(1, { name: 'first' }), span(2, { parent: 1 }), span(1, { name: 'last' })], 10).rows.map(({ name, depth }) => [name, depth]))
      .to.deep.equal([['last', 0], ['span 2', 1]]);
  });

  it('gives the children of one span', () => {
    expect(childRows(treeOf(REQUEST), undefined).map(({ name }) => name)).to.deep.equal(['POST /orders']);
    expect(childRows(treeOf(REQUEST), id(5)).map(({ name, depth }) => [name, depth])).to.deep.equal([['state.set', 4], ['publish audit', 4]]);
    expect(childRows(treeOf(REQUEST), 'unknown')).to.deep.equal([]);
  });

  it('shows spans whose parent is not there, or that go in a circle', () => {
    const { rows } = view([span(1, { parent: 2 }), span(2, { parent: 1 }), span(3, { parent: 99 }), span(4, { parent: 4 })], 10);
    expect(rows.map(({ spanId, depth, unattached }) => [spanId, depth, unattached])).to.deep.equal([
      [id(1), 0, 'its parents go in a circle'], [id(2), 1, undefined], [id(3), 0, 'parent is not kept'], [id(4), 0, 'parent is not kept'],
    ]);
    expect(path([span(1, { parent: 2 }), span(2, { parent: 1 })])).to.be.an('object');
  });

  it('has a critical path through retries and queue waits whose sum is the settled time', () => {
    expect(lines(REQUEST)).to.deep.equal([
      '0-1 other: POST /orders', '1-4 handler: Order', '4-5 queue: publish orders',
      '5-20 queue wait: consume orders', '20-24 queue: consume orders', '24-54 retry backoff: consume orders', '54-56 queue: consume orders',
      '56-58 state: state.set', '58-58.5 queue: consume orders', '58.5-59 queue: publish audit', '59-70 queue wait: consume audit', '70-80 queue: consume audit',
    ]);
    const found = path(REQUEST);
    expect([found.startTime, found.durationMs]).to.deep.equal([0, 80]);
    expect(Object.values(found.byKind).reduce((sum, ms) => sum + ms, 0)).to.equal(80);
  });

  it('leaves overlapping siblings out of the path and names time in which nothing ran', () => {
    expect(lines([
      span(1, { startTime: 0, durationMs: 100 }), span(2, { parent: 1, startTime: 10, durationMs: 50 }), span(3, { parent: 1, startTime: 20, durationMs: 60 }),
    ])).to.deep.equal(['0-20 other: span 1', '20-80 other: span 3', '80-100 other: span 1']);
    expect(lines([span(1, { startTime: 0, durationMs: 5 }), span(2, { parent: 1, startTime: 8, durationMs: 2 })]))
      .to.deep.equal(['0-5 other: span 1', '5-8 idle: span 2', '8-10 other: span 2']);
  });

  it('has a path without gaps when clocks differ', () => {
    const skewed = [span(1, { startTime: 50, durationMs: 5 }), span(2, { parent: 1, startTime: 40, durationMs: 30, kind: 'consumer', attributes: { 'queue.enqueued_at': 60 } })];
    expect(lines(skewed)).to.deep.equal(['40-70 queue: span 2']);
  });

  it('of ten thousand spans, deep or wide, is no trouble', () => {
    const deep = Array.from({ length: 10_000 }, (_, at) => span(at, { ...at === 0 ? {} : { parent: at - 1 }, startTime: at, durationMs: 20_000 - 2 * at }));
    const wide = Array.from({ length: 10_000 }, (_, at) => span(at, { ...at === 0 ? { durationMs: 30_000, startTime: 0 } : { parent: 0, startTime: at, durationMs: 1 } }));
    expect(view(deep, 20_000).rows.at(-1)?.depth).to.equal(9999);
    expect(view(wide, 20_000).path.durationMs).to.equal(30_000);
  });
});
