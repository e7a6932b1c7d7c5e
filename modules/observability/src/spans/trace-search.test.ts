import { expect } from 'chai';
import { REQUEST, span, TRACE } from '../span.fixture.js';
import { SpanRing } from './span-ring.js';
import { searchTraces, type TraceQuery } from './trace-search.js';
import { TraceIndex } from './trace-index.js';

describe('a search for traces', () => {
  const ring = new SpanRing(1000, 1_000_000);
  const index = new TraceIndex(ring);
  const other = (digit: string): string => digit.repeat(32);
  before(() => {
    for (const one of REQUEST) ring.add(one);
    ring.add(span(20, { traceId: other('b'), name: 'GET /a.b', kind: 'server', startTime: 500, durationMs: 3, attributes: { 'http.route': '/a.b', 'http.response.status_code': 200 } }));
    ring.add(span(21, { traceId: other('c'), name: 'cron', parent: 99, startTime: 500, durationMs: 300, stepName: 'Sweep', attributes: { note: 'Zürich', password: 'hunter2', url: 'http://u:pw@x.test/' } }));
  });
  const find = (query: Partial<TraceQuery>): string => searchTraces(ring, index, { limit: 10, ...query }).items.map(({ traceId }) => traceId[0]).join('');

  it('sums each trace up', () => {
    expect(searchTraces(ring, index, { limit: 10, step: 'Audit' })).to.deep.equal({
      total: 1,
      items: [{
        traceId: TRACE, name: 'POST /orders', kind: 'server', route: '/orders', trigger: 'http', startTime: 0, durationMs: 80, replyMs: 10,
        spans: 8, steps: ['Order', 'Notify', 'Audit'], errors: 1, retries: 1, partial: false,
      }],
    });
    expect(searchTraces(ring, index, { limit: 10, step: 'Sweep' }).items[0]).to.include({ partial: true, name: 'cron' });
  });

  const cases: readonly (readonly [string, Partial<TraceQuery>, string])[] = [
    ['everything, the latest first', {}, 'cba'], ['a Step', { step: 'Notify' }, 'a'], ['a route', { route: '/a.b' }, 'b'], ['failures', { status: 'error' }, 'a'],
    ['success', { status: 'ok' }, 'cb'], ['long ones', { minDurationMs: 80 }, 'ca'], ['short ones', { maxDurationMs: 80 }, 'ba'],
    ['a time', { from: 500, to: 501 }, 'cb'], ['before', { to: 500 }, 'a'], ['a text in a name', { text: 'ORDERS' }, 'a'],
    ['a text in an attribute', { text: 'zÜRICH' }, 'c'], ['a text in an error', { text: 'no mail' }, 'a'], ['an expression as text', { text: 'a.b' }, 'b'], ['nothing', { text: 'axb' }, ''],
    ['an attribute', { attributes: { 'http.response.status_code': 200 } }, 'b'], ['all at once', { step: 'Notify', text: 'audit', status: 'error' }, 'a'],
    ['no secret', { text: 'hunter2' }, ''], ['no secret by attribute', { attributes: { password: 'hunter2' } }, ''], ['no secret in a URL', { text: 'u:pw' }, ''],
  ];
  for (const [name, query, found] of cases) {
    it(`finds ${name}`, () => expect(find(query)).to.equal(found));
  }

  it('goes on from page to page', () => {
    const first = searchTraces(ring, index, { limit: 2 });
    expect([first.total, first.items.length]).to.deep.equal([3, 2]);
    const last = searchTraces(ring, index, { limit: 2, cursor: first.cursor });
    expect([last.items.map(({ traceId }) => traceId), last.cursor]).to.deep.equal([[TRACE], undefined]);
  });
});
