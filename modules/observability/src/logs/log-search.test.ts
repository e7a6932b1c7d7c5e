import type { LogRecord } from '@treadle/api';
import { expect } from 'chai';
import type { LogFilter } from './log-filter.js';
import { LogRing } from './log-ring.js';
import { logFacets, logHistogram, searchLogs } from './log-search.js';

const BASE = 1_000_000;
const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const record = (at: number, members: Partial<LogRecord> = {}): LogRecord => ({
  timestamp: new Date(BASE + at * 1000).toISOString(), level: LEVELS[at % 4] as 'info', message: `message ${at}`, traceId: String(at).repeat(32).slice(0, 32), spanId: 's'.repeat(16),
  service: 'shop', stepName: at % 2 === 0 ? 'Even' : '', ...members,
});
const LIMITS = { maxCount: 100, maxBytes: 1_000_000, retentionMs: 60_000 };

function ringOf(...records: readonly LogRecord[]): LogRing {
  const ring = new LogRing(LIMITS);
  for (const one of records) ring.add(one);
  return ring;
}

describe('the log store', () => {
  const ring = ringOf(
    ...[0, 1, 2, 3].map((at) => record(at)),
    record(4, { fields: { order: { id: 7, tags: ['red'] }, 'dotted.name': 'x', ms: 12 } }), record(5, { fields: { order: { id: 8 }, ms: 12 } }),
  );
  const find = (filter: LogFilter): string => searchLogs(ring, { limit: 100, order: 'asc', ...filter }).items.map(({ id }) => id).join('');

  const cases: readonly (readonly [string, LogFilter, string])[] = [
    ['everything', {}, '012345'], ['a level and those above', { level: 'warn' }, '23'], ['a Step', { step: 'Even' }, '024'], ["the engine's lines", { step: '' }, '135'],
    ['a trace', { traceId: '3'.repeat(32) }, '3'], ['the beginning of a trace id', { traceId: '33333333' }, '3'], ['a text in the message', { text: 'MESSAGE 2' }, '2'], ['a text in a field', { text: 'RED' }, '4'],
    ['a name of a field', { text: 'tags' }, '4'], ['a time', { from: BASE + 1000, to: BASE + 3000 }, '12'], ['a field by its path', { fields: { 'order.id': 7 } }, '4'],
    ['a field with dots', { fields: { 'dotted.name': 'x' } }, '4'], ['nothing by what every object has', { fields: { constructor: 'x' } }, ''], ['several', { fields: { ms: 12, 'order.id': '8' } }, '5'],
  ];
  for (const [name, filter, found] of cases) {
    it(`finds ${name}`, () => expect(find(filter)).to.equal(found));
  }

  it('goes from page to page in both directions', () => {
    const first = searchLogs(ring, { limit: 4, order: 'desc' });
    expect([first.items.map(({ id }) => id), first.total, first.cursor]).to.deep.equal([[5, 4, 3, 2], 6, 2]);
    expect(searchLogs(ring, { limit: 4, order: 'desc', cursor: first.cursor }).items.map(({ id }) => id)).to.deep.equal([1, 0]);
    expect(searchLogs(ring, { limit: 4, order: 'asc', cursor: 3 }).items.map(({ id }) => id)).to.deep.equal([4, 5]);
  });

  it('counts the values of fields', () => {
    const facets = new Map(logFacets(ring, {}).map((facet) => [facet.field, facet]));
    expect(facets.get('ms')).to.deep.equal({ field: 'ms', count: 2, truncated: false, values: [{ value: '12', count: 2 }] });
    expect(facets.get('level')?.values).to.deep.include({ value: 'info', count: 2 });
    expect(facets.has('order')).to.equal(false);
    const shadowed = ringOf(record(0, { fields: { level: 'of the author', service: 'other' } }));
    expect(logFacets(shadowed, {}).map(({ field, values }) => [field, values[0]?.value])).to.deep.equal([['level', 'debug'], ['stepName', 'Even'], ['service', 'shop']]);
  });

  it('counts by level over time', () => {
    const { widthMs, buckets } = logHistogram(ring, {}, 3);
    expect(widthMs).to.equal(1667);
    expect(buckets.map(({ debug, info, warn, error }) => [debug, info, warn, error])).to.deep.equal([[1, 1, 0, 0], [0, 0, 1, 1], [1, 1, 0, 0]]);
    expect(logHistogram(ring, { text: 'none' }, 3)).to.deep.equal({ widthMs: 0, buckets: [] });
  });

  it('is bounded by count, bytes and age, and says what it let go', () => {
    const few = new LogRing({ ...LIMITS, maxCount: 3 });
    for (let at = 0; at < 5; at += 1) few.add(record(at));
    expect([few.oldest, few.end, few.evicted]).to.deep.equal([2, 5, { count: 2, bytes: 0, age: 0 }]);
    few.expire(BASE + 63_500);
    expect([few.oldest, few.evicted.age]).to.deep.equal([4, 2]);
    const small = new LogRing({ ...LIMITS, maxBytes: 10_000 });
    for (let at = 0; at < 9; at += 1) small.add(record(at, { fields: { list: ['x'.repeat(3000)] } }));
    expect(small.usedBytes).to.be.within(3000, 10_000);
    expect(small.evicted.bytes).to.equal(small.oldest);
  });

  it('tells followers until they leave', () => {
    const followed = ringOf();
    const heard: number[] = [];
    const leave = followed.follow(({ id }) => heard.push(id));
    followed.add(record(0));
    followed.add(record(1));
    leave();
    followed.add(record(2));
    expect(heard).to.deep.equal([0, 1]);
  });
});
