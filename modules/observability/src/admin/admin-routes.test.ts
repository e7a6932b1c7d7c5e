import type { AdminRequest } from '@treadle/api';
import { expect } from 'chai';
import { id, REQUEST, span, TRACE } from '../span.fixture.js';
import { TelemetryStore } from '../telemetry-store.js';
import { AdminRig, CONFIG } from './admin-rig.fixture.js';

describe('admin routes of observability', () => {
  let rig: AdminRig;
  beforeEach(() => {
    rig = new AdminRig();
    for (const one of REQUEST) rig.store.spans.add(one);
  });

  it('find traces, draw one, and give its path and the children of a span', async () => {
    expect(await rig.call('GET /traces', { query: { step: 'Audit', limit: '1', minDurationMs: '80' } })).to.have.nested.property('items[0].traceId', TRACE);
    expect(await rig.call('POST /traces/search', { body: { attributes: { 'http.route': '/orders' }, from: 0, to: '1970-01-01T00:00:01Z' } })).to.include({ total: 1 });
    expect(await rig.call('GET /traces/:id', { params: { id: TRACE.toUpperCase() }, query: { limit: '2' } })).to.include({ omitted: 6 });
    expect(await rig.call('GET /traces/:id/path', { params: { id: TRACE } })).to.include({ durationMs: 80 });
    const first = await rig.call('GET /traces/:id/spans', { params: { id: TRACE }, query: { parent: id(3), limit: '1' } });
    expect(first).to.include({ total: 2, cursor: 1 });
    expect(await rig.call('GET /traces/:id/spans', { params: { id: TRACE }, query: { parent: id(3), cursor: '1' } })).to.have.nested.property('items[0].spanId', id(5));
  });

  const found = async (q: string): Promise<unknown> => {
    const { total, refused, unknownFields } = await rig.call('GET /traces', { query: { q } }) as { total?: number; refused?: string; unknownFields?: unknown };
    return refused ?? (unknownFields === undefined ? total : [total, unknownFields]);
  };
  for (const [q, total] of [
    ['', 2], ['status:error', 1], ['step:Notify duration:>50ms', 1], ['duration:<50ms', 1], ['reply:10ms', 1], ['retries:>=1', 1], ['has:error', 1], ['error:*mail*', 1], ['-has:error', 1],
    ['topic:parcels', 1], ['topic:o*', 0], ['http.status:5xx', 1], ['custom.key:7', 1], ['kind:consumer', 1], ['"no mail"', 1], ['POST OR parcels', 2], ['trigger:http', 1], [`trace:${TRACE}`, 1], ['route:/orders', 1],
    ['stp:Notify', [0, [{ field: 'stp', from: 0, to: 3 }]]], ['duration:>50', '400 invalid_query: "duration" is a duration with its unit, such as 200ms, 1.5s, 2m or 1h'],
  ] as const) {
    it(`find by ${q === '' ? 'an empty query' : q}`, async () => {
      rig.store.spans.add(span(30, {
        traceId: 'b'.repeat(32), name: 'send', kind: 'producer', durationMs: 4, attributes: { 'messaging.destination.name': 'parcels', 'http.response.status_code': 503, 'custom.key': 7 },
      }));
      expect(await found(q)).to.deep.equal(total);
    });
  }

  it('find nothing by what is redacted', async () => {
    rig.store.spans.add(span(31, { traceId: 'c'.repeat(32), attributes: { password: 'hunter2hunter2' } }));
    expect([await found('hunter2hunter2'), await found('password:hunter2*')]).to.deep.equal([0, 0]);
  });

  it('show what Steps did, by the spans that are kept', async () => {
    rig.store.spans.add(span(50, { kind: 'producer', stepName: 'Order', attributes: { 'messaging.destination.name': 'orders' } }));
    rig.store.spans.add(span(51, { kind: 'consumer', stepName: 'Notify', attributes: { 'messaging.destination.name': 'orders' } }));
    rig.store.spans.add(span(52, { name: 'state.set', kind: 'client', stepName: 'Notify', attributes: { 'state.group': 'mails' } }));
    rig.store.spans.add(span(53, { stepName: 'Order', startTime: 90, durationMs: 20, attributes: { 'step.name': 'Order' }, error: { type: 'E', message: 'no' } }));
    const { items, spans, from } = await rig.call('GET /traces/activity') as unknown as { items: { step: string }[]; spans: number; from: number };
    expect([spans, from]).to.deep.equal([12, 0]);
    expect(items.find(({ step }) => step === 'Order')).to.deep.include({ runs: { count: 2, errors: 1, p50Ms: 20, p95Ms: 20, lastAt: 90 }, enqueued: { orders: 1 }, stateGroups: {} });
    expect(items.find(({ step }) => step === 'Notify')).to.deep.include({ consumed: { orders: 1 }, stateGroups: { mails: 1 } });
  });

  it('find log records by a query, count those alike, and show what is around one', async () => {
    for (const at of [1, 2, 3]) rig.log(`order ${at} of 6f1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e failed`, 'error');
    rig.log('all is well');
    expect(await rig.call('GET /logs', { query: { q: 'level:>=warn -"order 2"' } })).to.include({ total: 2 });
    expect(await rig.call('GET /logs', { query: { q: 'level:loud' } })).to.include({ refused: '400 invalid_query: "level" is one of debug, info, warn, error' });
    expect(await rig.call('GET /logs', { query: { q: 'custmer:1' } })).to.deep.include({ total: 0, unknownFields: [{ field: 'custmer', from: 0, to: 7 }] });
    expect((await rig.call('GET /logs/patterns'))['items']).to.deep.include({
      pattern: 'order <n> of <id> failed', level: 'error', count: 3, first: '1970-01-01T00:00:00.000Z', last: '1970-01-01T00:00:00.000Z', sample: 2,
    });
    const around = await rig.call('GET /logs/context', { query: { id: '2', before: '1', after: '5' } }) as unknown as { items: { id: number }[]; at: number };
    expect([around.items.map((one) => one.id), around.at]).to.deep.equal([[1, 2, 3], 1]);
    expect(await rig.call('GET /logs/context', { query: { id: '9' } })).to.include({ refused: '404 not_found: record 9 is not kept; those from 0 to 3 are' });
  });

  it('compare two traces, and say which of them is not there', async () => {
    const other = 'b'.repeat(32);
    rig.store.spans.add(span(30, { traceId: other, name: 'POST /orders', kind: 'server', durationMs: 4 }));
    const found = { matched: 1, onlyInA: 7, onlyInB: 0 };
    expect(await rig.call('GET /traces/compare', { query: { a: TRACE.toUpperCase(), b: other } })).to.include(found).with.nested.property('rows[0].deltaMs', -6);
    expect(await rig.call('POST /traces/compare', { body: { a: TRACE, b: other, limit: 1 } })).to.include({ ...found, omitted: 7 });
    const missing = 'c'.repeat(32);
    for (const query of [{ a: TRACE, b: missing }, { a: missing, b: TRACE }]) {
      expect((await rig.call('GET /traces/compare', { query }))['refused']).to.contain(`404 not_found: nothing is known of trace ${missing}`);
    }
  });

  it('give the spans of a trace as OTLP in JSON, without secrets', async () => {
    rig.store.spans.add(span(9, { parent: 8, attributes: { password: 'hunter2hunter2', n: 2 }, events: [{ name: 'e', time: 5 }] }));
    const answer = await rig.call('GET /traces/:id/otlp', { params: { id: TRACE.slice(0, 8) } });
    const [{ resource, scopeSpans: [{ scope, spans }] }] = answer['resourceSpans'] as unknown as [{
      resource: { attributes: { key: string; value: { stringValue?: string } }[] };
      scopeSpans: [{ scope: { name: string }; spans: { traceId: string; spanId: string; name: string; kind: number; startTimeUnixNano: string; status: { code: number }; attributes: unknown[]; events: { name: string }[] }[] }];
    }];
    expect([resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue, scope.name, spans.length]).to.deep.equal(['shop', 'treadle', 9]);
    expect(spans.find(({ spanId }) => spanId === id(4))).to.deep.include({ traceId: TRACE, name: 'consume orders', kind: 5, startTimeUnixNano: '20000000', status: { code: 2, message: 'no mail' } });
    expect(spans.find(({ spanId }) => spanId === id(9))?.events.map(({ name }) => name)).to.deep.equal(['e']);
    expect(JSON.stringify(answer)).to.contain('{"key":"n","value":{"intValue":2}}').and.not.to.contain('hunter2');
    expect((await rig.call('GET /traces/:id/otlp', { params: { id: 'f'.repeat(32) } }))['refused']).to.contain('404 not_found');
  });

  it('take the beginning of an id where it fits one trace, and name those that it fits otherwise', async () => {
    expect(await rig.call('GET /traces/:id/path', { params: { id: TRACE.slice(0, 8) } })).to.include({ durationMs: 80 });
    const other = `${TRACE.slice(0, 8)}${'0'.repeat(24)}`;
    rig.store.spans.add(span(30, { traceId: other, name: 'x', kind: 'server', durationMs: 4 }));
    const refused = async (beginning: string): Promise<unknown> => (await rig.call('GET /traces/:id', { params: { id: beginning } }))['refused'];
    expect(await refused(TRACE.slice(0, 8))).to.contain(`several traces begin with "${TRACE.slice(0, 8)}"`).and.contain(other).and.contain(TRACE);
    expect(await refused('fffffff')).to.equal('404 not_found: no trace that is kept begins with "fffffff"');
    expect(await rig.call('GET /traces/compare', { query: { a: TRACE, b: other.slice(0, 12) } })).to.have.property('rows');
  });

  it('name the path where no route took a request', async () => {
    const lost = 'd'.repeat(32);
    rig.store.spans.add(span(40, { traceId: lost, name: 'GET', kind: 'server', attributes: { 'url.path': '/nowhere' }, parentSpanId: undefined }));
    const { items } = await rig.call('GET /traces', { query: { text: '/nowhere' } }) as unknown as { items: { traceId: string; name: string }[] };
    expect(items.map(({ traceId, name }) => [traceId, name])).to.deep.equal([[lost, 'GET /nowhere']]);
  });

  it('say why a trace is not there', async () => {
    const why = async (own: AdminRig, traceId = 'b'.repeat(32)): Promise<string> => (await own.call('GET /traces/:id', { params: { id: traceId } }))['refused'] as unknown as string;
    expect(await why(rig, 'x')).to.equal('404 not_found: "x" is not a trace id: a trace id has 32 hex digits');
    expect(await why(rig)).to.contain('it has not begun, or none of its spans has ended');
    for (let number = 0; number < 200; number += 1) rig.store.spans.add(span(number));
    expect(await why(rig)).to.contain('108 spans are evicted, those of 1970-01-01T00:00:01.100Z and later are kept');
    expect(await why(new AdminRig({ sampling_ratio: 0.1 }, () => false))).to.contain('about 10 % of the traces are recorded (sampling_ratio: 0.1)');
    expect(await why(new AdminRig({ enabled: false }))).to.contain('telemetry is off (enabled: false)');
    expect(await why(new AdminRig({ exporter: 'otlp' }))).to.contain('spans are not kept (exporter: otlp)');
    expect(await new AdminRig({ logs_enabled: false }).call('GET /logs')).to.deep.include({ items: [], note: 'log records are not kept (logs_enabled: false)' });
  });

  it('find log records, count them by field and time', async () => {
    for (const message of ['one', 'two', 'three']) rig.log(message, message === 'two' ? 'error' : 'info');
    expect(await rig.call('GET /logs', { query: { text: 'T', order: 'asc', limit: '1' } })).to.deep.include({ total: 2, cursor: 1 });
    expect(await rig.call('POST /logs/search', { body: { level: 'error' } })).to.include({ total: 1 });
    expect(await rig.call('GET /logs/facets')).to.have.nested.property('items[0].values[0].value', 'info');
    expect(await rig.call('GET /logs/histogram', { query: { buckets: '2' } })).to.have.nested.property('buckets[0].error', 1);
    await rig.clock.advance(61_000);
    expect(await rig.call('GET /logs')).to.include({ total: 0 });
    expect(await rig.call('GET /telemetry')).to.have.nested.property('logs.evicted.age', 3);
  });

  it('give metrics as text, as they are, and over time', async () => {
    rig.store.registry.counter('c', { a: 'x' }, { description: 'C', unit: '1' }).add(2);
    rig.store.tick(rig.clock);
    expect(await rig.call('GET /metrics')).to.deep.include({ contentType: 'text/plain; version=0.0.4; charset=utf-8', text: '# HELP target_info The engine that these metrics are of\n# TYPE target_info gauge\ntarget_info{service_name="shop"} 1\n# HELP c_total C\n# TYPE c_total counter\nc_total{a="x"} 2\n' });
    expect(await rig.call('GET /metrics/now')).to.have.nested.property('items[0].series[0].value', 2);
    expect(await rig.call('GET /metrics/series', { query: { name: 'c', labels: '{"a":"x"}' } })).to.deep.include({ points: [{ time: 0, value: 2 }] });
    rig.store.registry.counter('c', { a: 'y' }, { description: 'C', unit: '1' }).add(3);
    await rig.clock.advance(10);
    rig.store.tick(rig.clock);
    expect(await rig.call('GET /metrics/lines', { query: { name: 'c', by: 'a', limit: '1' } })).to.deep.include({ by: ['a'], items: [{ labels: { a: 'y' }, points: [{ time: 10, value: 3 }] }], omitted: 1 });
    expect(await rig.call('GET /metrics/lines', { query: { name: 'c' } })).to.deep.include({ by: [], items: [{ labels: {}, points: [{ time: 0, value: 2 }, { time: 10, value: 5 }] }], omitted: 0 });
  });

  it('name a metric that is not there, and the one that was probably meant', async () => {
    rig.store.registry.counter('orders.placed', {}, { description: 'C', unit: '1' }).add(2);
    expect(await rig.call('GET /metrics/series', { query: { name: 'orders.place' } }))
      .to.deep.equal({ refused: '404 not_found: there is no metric "orders.place"; did you mean "orders.placed"?' });
    expect(await rig.call('GET /metrics/series', { query: { name: 'nope' } }))
      .to.deep.equal({ refused: '404 not_found: there is no metric "nope"; GET /metrics/now lists them' });
    expect(await rig.call('GET /metrics/series', { query: { name: 'orders.placed' } })).to.deep.include({ points: [] });
  });

  it('give the points of a metric that is no more', async () => {
    const gone = rig.store.registry.counter('c', {}, { description: 'C', unit: '1' });
    gone.add(1);
    rig.store.tick(rig.clock);
    const later = new TelemetryStore({ ...CONFIG });
    later.history.adopt(rig.store.history);
    rig = new AdminRig({}, () => true, later);
    expect(await rig.call('GET /metrics/series', { query: { name: 'c' } })).to.deep.include({ points: [{ time: 0, value: 1 }] });
  });

  const refusals: readonly (readonly [string, Partial<AdminRequest>, string])[] = [
    ['GET /traces', { query: { limit: '0' } }, 'limit must be a number from 1 to 500, got "0"'],
    ['GET /traces/groups', {}, 'by must be the field whose values are wanted, such as step or http.route'], ['GET /traces/:id/path', { params: { id: TRACE }, query: { until: 'never' } }, 'until must be one of effect, reply, got "never"'],
    ['GET /traces', { query: { limit: '1.5' } }, 'limit must be a whole number'], ['GET /traces', { query: { status: 'bad' } }, 'status must be one of ok, error, got "bad"'],
    ['GET /traces', { query: { cursor: 'x' } }, 'cursor must be one that a former page gave'], ['GET /traces', { query: { from: 'soon' } }, 'from must be a time'],
    ['POST /traces/search', { body: [] }, 'the body must be an object'], ['POST /traces/search', { body: { text: 1 } }, 'text must be a text'],
    ['POST /logs/search', { body: { fields: { a: {} } } }, 'fields must be an object of texts'], ['GET /logs', { query: { fields: '{' } }, 'fields must be an object of texts'],
    ['GET /traces/compare', { query: { a: TRACE } }, 'a and b must be the ids of the two traces'], ['GET /traces/compare', { query: { a: TRACE, b: TRACE, aSpan: 'ab' } }, 'aSpan and bSpan go together'],
    ['GET /traces/failures', {}, 'step must be the name of a Step'], ['GET /metrics/series', {}, 'name must be the name of a metric'], ['GET /metrics/lines', {}, 'name must be the name of a metric'],
  ];
  for (const [route, request, text] of refusals) {
    it(`refuse "${text.slice(0, 50)}"`, async () => {
      expect((await rig.call(route, request))['refused']).to.contain(`400 invalid_argument: ${text}`);
    });
  }
});