import { expect } from 'chai';
import { id, REQUEST, span } from '../span.fixture.js';
import { criticalPath } from './critical-path.js';
import { spanTree } from './span-tree.js';
import { childRows, traceView } from './trace-view.js';

const path = (spans: Parameters<typeof spanTree>[0]): ReturnType<typeof criticalPath> => criticalPath(spanTree(spans));
const lines = (spans: Parameters<typeof spanTree>[0]): readonly string[] =>
  (path(spans)?.segments ?? []).map(({ kind, name, startTime, durationMs }) => `${startTime}-${startTime + durationMs} ${kind}: ${name}`);

describe('a trace', () => {
  it('is a tree by parents and links, with attempts and waits', () => {
    const { rows } = traceView('t', [...REQUEST].reverse(), 100);
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

  it('leaves out what is over the limit and says how much', () => {
    const { rows, omitted } = traceView('t', REQUEST, 3);
    expect([rows.length, omitted]).to.deep.equal([3, 5]);
  });

  it('gives the children of one span', () => {
    expect(childRows(REQUEST, undefined).map(({ name }) => name)).to.deep.equal(['POST /orders']);
    expect(childRows(REQUEST, id(5)).map(({ name, depth }) => [name, depth])).to.deep.equal([['state.set', 4], ['publish audit', 4]]);
    expect(childRows(REQUEST, 'unknown')).to.deep.equal([]);
  });

  it('shows spans whose parent is not there, or that go in a circle', () => {
    const { rows } = traceView('t', [span(1, { parent: 2 }), span(2, { parent: 1 }), span(3, { parent: 99 }), span(4, { parent: 4 })], 10);
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
    expect([found?.startTime, found?.durationMs]).to.deep.equal([0, 80]);
    expect(Object.values(found?.byKind ?? {}).reduce((sum, ms) => sum + ms, 0)).to.equal(80);
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
    expect(traceView('t', deep, 20_000).rows.at(-1)?.depth).to.equal(9999);
    expect(traceView('t', wide, 20_000).path?.durationMs).to.equal(30_000);
  });
});
