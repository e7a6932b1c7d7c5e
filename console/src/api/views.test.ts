import { expect } from 'chai';
import { type ShopUnderTest, startShop, until } from '../application.fixture.js';
import type { AuditEntry, ConfigAnswer, Finding, FlowGraph, GoTarget, Items, Meta, Overview, Page, RunHttp, RunRecord, StepSource, TraceComparison, TracePage, WorkersAnswer } from '../contract/index.js';

describe('what the console shows of an application', function () {
  this.timeout(90_000);
  let shop: ShopUnderTest;
  let traceId = '';
  before(async () => {
    shop = await startShop();
    const { traceId: id, outcome } = await shop.order({ id: 'o-1' });
    expect(outcome.status).to.equal(201);
    traceId = id;
    await shop.order({ id: 'o-2', fail: true });
    await until('the dead letter', async () => (await shop.json<Overview>('GET', '/overview')).queues?.dead === 1);
  });
  after(() => shop?.stop());

  it('meta: who asks, what there is, and since when', async () => {
    const meta = await shop.json<Meta>('GET', '/meta');
    expect(meta.features).to.deep.equal({ http: true, queues: true, state: true, streams: true, cron: true, steps: true, traces: true, logs: true, metrics: true });
    expect(meta).to.deep.include({ session: { name: 'local', role: 'admin', payloads: true }, notes: {}, health: { status: 'ok' } });
    expect(meta.bootId).to.match(/^[0-9a-f-]{36}$/);
    const viewer = await shop.raw(['GET /api/v1/meta HTTP/1.1', 'Host: 127.0.0.1:{}', 'Authorization: Bearer a-token-of-the-viewer']);
    expect((JSON.parse(viewer.body) as Meta).session).to.deep.equal({ name: 'viewer', role: 'viewer', payloads: true });
  });

  it('flows: declared and observed edges, with what waits on them', async () => {
    const { nodes, edges, flows } = await shop.json<FlowGraph>('GET', '/flows');
    expect(flows).to.deep.equal(['shop']);
    expect(nodes.map(({ id }) => id)).to.include.members(['step:Order', 'step:Notify', 'step:Yearly', 'topic:orders.placed', 'topic:never.used', 'state:orders', 'stream:orders']);
    const edge = (from: string, to: string): FlowGraph['edges'][number] | undefined => edges.find((one) => one.from === from && one.to === to);
    expect(edge('step:Order', 'topic:orders.placed')).to.deep.equal({ from: 'step:Order', to: 'topic:orders.placed', kind: 'enqueues', declared: true, seen: 2 });
    expect(edge('step:Order', 'topic:never.used')).to.include({ declared: true, seen: 0 });
    expect(edge('topic:orders.placed', 'step:Notify')).to.deep.include({ declared: true, kind: 'consumes', queue: { waiting: 0, active: 0, retrying: 0, dead: 1, paused: false } });
    expect(edge('step:Order', 'state:orders')).to.include({ kind: 'touches', declared: false, seen: 2 });
    const order = nodes.find(({ id }) => id === 'step:Order');
    expect(order).to.deep.include({ triggers: [{ type: 'http', label: 'POST /orders' }], file: 'steps/order.step.js', workers: 1 });
    expect(order).to.have.nested.property('runs.count', 2);
  });

  it('findings: what is not as it should be, the worst first', async () => {
    const { items } = await shop.json<Items<Finding>>('GET', '/findings');
    const codes = items.map(({ code, about }) => `${code} ${about.step ?? about.topic ?? about.module ?? ''}`);
    expect(codes).to.include.members([
      'failing_step Notify', 'dead_letters Notify', 'topic_without_consumer never.used', 'memory_adapter modules::queue::adapters::Sqlite',
    ]);
    const severities = items.map(({ severity }) => ['error', 'warning', 'info'].indexOf(severity));
    expect(severities).to.deep.equal([...severities].sort());
    expect(new Set(items.map(({ id }) => id)).size).to.equal(items.length);
  });

  it('config: every value with its origin, and no secret', async () => {
    const { items } = await shop.json<ConfigAnswer>('GET', '/config');
    const setting = (path: string): ConfigAnswer['items'][number] | undefined => items.find((one) => one.path === path);
    expect(setting('modules[0].config.port')).to.deep.include({ module: 'modules::console::ConsoleModule', value: 0, origin: { kind: 'file', line: 5 } });
    expect(setting('modules[0].config.host')).to.deep.include({ value: '127.0.0.1', secret: false, origin: { kind: 'default' } });
    expect(setting('modules[0].config.auth.tokens[0].token')).to.deep.include({ value: '[redacted]', secret: true });
    expect(setting('engine.implicit_modules')).to.deep.include({ value: false, origin: { kind: 'file', line: 2 } });
    expect(setting('modules[3].config.adapter.config.store_method')).to.deep.include({ module: 'modules::queue::adapters::Sqlite', value: 'in_memory' });
    expect(JSON.stringify(items)).not.to.contain('a-token-of-the-viewer');
    expect(new Set(items.map(({ path }) => path)).size).to.equal(items.length);
  });

  it('source: lines of a Step, and of nothing else', async () => {
    const source = await shop.json<StepSource>('GET', '/steps/Order/source?around=3&lines=2');
    expect(source).to.include({ step: 'Order', file: 'steps/order.step.js', line: 3, from: 3, language: 'javascript' });
    expect(source.text.split('\n')).to.have.length(2);
    expect(source.text).to.contain("path: '/orders'");
    expect((await shop.ask('GET', '/api/v1/steps/Nobody/source')).json).to.include({ status: 404, code: 'not_found' });
    expect((await shop.ask('GET', '/api/v1/steps/..%2f..%2fetc%2fpasswd/source')).json).to.include({ status: 404 });
    expect((await shop.ask('GET', '/api/v1/steps/Order/source?lines=0')).json).to.include({ code: 'invalid_argument' });
  });

  it('workers: processes with what they take', async () => {
    const { sessions } = await shop.json<WorkersAnswer>('GET', '/workers');
    expect(sessions[0]?.steps).to.include('Order');
    if (process.platform === 'linux') expect(sessions[0]?.memoryBytes).to.be.greaterThan(1_000_000);
  });

  it('go: what is pasted is found', async () => {
    const { items: [first] } = await shop.json<TracePage>('GET', `/traces?q=trace:${traceId}`);
    expect(first?.steps).to.include.members(['Order', 'Notify']);
    const { rows } = await shop.json<{ rows: readonly { spanId: string; attributes: Record<string, string> }[] }>('GET', `/traces/${traceId}`);
    const message = rows.flatMap(({ attributes }) => attributes['messaging.message.id'] ?? [])[0] ?? '';
    const { items: [letter] } = await shop.json<Page<{ id: string }>>('GET', '/queues/dead-letters');
    for (const [text, kind, path] of [
      ['order', 'step', '/flows?step=Order'], ['steps/order.step.js:12', 'file', '/flows?step=Order&line=12'], [traceId, 'trace', `/traces/${traceId}`], [traceId.slice(0, 8), 'trace', `/traces/${traceId}`],
      [rows[0]?.spanId ?? '', 'span', `/traces/${traceId}?span=${rows[0]?.spanId ?? ''}`], ['POST /orders', 'route', '/endpoints/Order/0'], ['orders.placed', 'topic', '/queues/orders.placed'],
      ['orders', 'stream', '/streams/orders'], ['modules::queue::QueueModule', 'module', '/modules/modules%3A%3Aqueue%3A%3AQueueModule'], [message, 'message', `/traces/${traceId}`],
      [letter?.id ?? '', 'dead letter', `/queues/orders.placed?tab=dead&msg=${encodeURIComponent(letter?.id ?? '')}`], ['orders/o-1', 'state', '/state/orders/o-1'],
    ] as const) {
      const target = await shop.json<GoTarget>('GET', `/go/${encodeURIComponent(text)}`);
      expect([target.kind, target.path], text).to.deep.equal([kind, path]);
    }
    const { items: [change] } = await shop.json<Page<AuditEntry>>('GET', '/audit?limit=1');
    expect(await shop.json<GoTarget>('GET', `/go/${change?.requestId ?? ''}`)).to.deep.include({ kind: 'request', path: `/modules?tab=audit&entry=${change?.id ?? 0}` });
    expect((await shop.ask('GET', '/api/v1/go/nothing')).json).to.include({ status: 404, code: 'not_found' });
  });

  it('run: a message, a cron run and requests, with the trace of each, and a history of them', async () => {
    const queued = await shop.json<RunRecord>('POST', '/run', { kind: 'queue', topic: 'orders.placed', data: { id: 'o-3' } });
    expect(queued.outcome).to.have.property('messageId').that.is.a('string');
    await until('the run of the message', async () => (await shop.json<TracePage>('GET', `/traces?q=trace:${queued.traceId ?? ''}`)).items[0]?.steps.includes('Notify') === true);
    const cron = await shop.json<RunRecord>('POST', '/run', { kind: 'cron', step: 'Yearly' });
    expect([cron.outcome.kind, cron.traceId?.length]).to.deep.equal(['cron', 32]);
    const missing = await shop.json<RunRecord>('POST', '/run', { kind: 'http', method: 'GET', path: '/nowhere?x=1' });
    expect(missing.outcome).to.include({ kind: 'http', status: 404, base64: false, truncated: false });
    const { items } = await shop.json<Page<RunRecord>>('GET', '/history?limit=2');
    expect(items.map(({ id }) => id)).to.deep.equal([missing.id, cron.id]);
    const rest = await shop.json<Page<RunRecord>>('GET', `/history?cursor=${cron.id}`);
    expect(rest.items[0]?.id).to.equal(queued.id);
    expect((await shop.json<Page<RunRecord>>('GET', '/history?kind=http&target=POST%20%2Forders')).items).to.have.length(2);
    expect((await shop.json<Page<RunRecord>>('GET', '/history?kind=http&target=GET%20%2F:any')).items.map(({ id }) => id), 'names of path parameters stand for any').to.deep.equal([missing.id]);
    expect((await shop.json<Page<RunRecord>>('GET', '/history?kind=http&target=GET%20%2F:any%2F:other')).items).to.deep.equal([]);
    expect(await shop.json('GET', `/history/${queued.id}`)).to.deep.equal(queued);
    const asked = await shop.json<RunRecord>('POST', '/run', { kind: 'http', method: 'GET', path: '/nowhere?api_key=k3y', headers: { Authorization: 'Bearer t0ken', Accept: '*/*' } });
    const seen = await shop.raw([`GET /api/v1/history/${asked.id} HTTP/1.1`, 'Host: 127.0.0.1:{}', 'Authorization: Bearer a-token-of-the-viewer']);
    expect(seen.body).to.contain('"Accept":"*/*"').and.contain('[redacted]').and.not.match(/t0ken|k3y/);
    expect(asked).not.to.have.property('withheld');
  });

  it('run: a Step of a span once more, as it was and with another input, and the two compared', async () => {
    const { items: [failed] } = await shop.json<TracePage>('GET', '/traces?q=status:error');
    interface Rows { readonly rows: readonly { readonly spanId: string; readonly name: string; readonly links?: readonly string[] }[] }
    const handlerOf = async (trace: string): Promise<string> => (await shop.json<Rows>('GET', `/traces/${trace}`)).rows.find(({ name }) => name === 'handler Notify')?.spanId ?? '';
    const span = await handlerOf(failed?.traceId ?? '');
    expect(await shop.json('GET', `/steps/inputs/${span}`)).to.deep.equal({ span, step: 'Notify', trigger: 'queue', input: { id: 'o-2', fail: true } });
    const again = await shop.json<RunRecord>('POST', '/run', { kind: 'replay', span });
    expect(again.outcome).to.include({ kind: 'replay', step: 'Notify' });
    const mended = await shop.json<RunRecord>('POST', '/run', { kind: 'replay', span, input: '{"id":"o-2"}' });
    const isOver = async ({ traceId: id = '' }: RunRecord): Promise<boolean> => (await shop.json<Rows>('GET', `/traces/${id}`)).rows?.some(({ name }) => name === 'replay Notify') ?? false;
    await until('both runs', async () => await isOver(again) && await isOver(mended));
    const compared = async ({ traceId: b = '' }: RunRecord): Promise<TraceComparison> => shop.json('GET', `/traces/compare?a=${failed?.traceId ?? ''}&b=${b}&aSpan=${span}&bSpan=${await handlerOf(b)}`);
    expect((await compared(again)).divergence).to.equal(undefined);
    // Which of the differences comes first is a matter of microseconds.
    const { divergence, rows: [first] } = await compared(mended);
    expect(divergence?.row.name).to.be.oneOf(['handler Notify', 'stream.set']);
    expect([first?.a?.error?.type, first?.b?.error]).to.deep.equal(['TypeError', undefined]);
    const { rows: [root] } = await shop.json<Rows>('GET', `/traces/${mended.traceId ?? ''}`);
    expect(root?.links?.[0]).to.contain(span);
    expect((await shop.json<Page<RunRecord>>('GET', `/history?kind=replay&target=${span}`)).items).to.have.length(2);
    const viewer = await shop.raw([`GET /api/v1/steps/inputs/${span} HTTP/1.1`, 'Host: 127.0.0.1:{}', 'Authorization: Bearer a-token-of-the-viewer']);
    expect(viewer.status).to.equal(403);
    // What a handler was started with is for operators, wherever it stands.
    const order = await shop.json<RunRecord>('POST', '/run', { kind: 'http', method: 'POST', path: '/orders', headers: { 'Content-Type': 'application/json' }, body: '{"id":"o-secret-of-operators"}' });
    expect(order.outcome).to.have.property('body').that.contains('o-secret-of-operators');
    const shown = async (path: string): Promise<string> => (await shop.raw([`GET /api/v1/history${path} HTTP/1.1`, 'Host: 127.0.0.1:{}', 'Authorization: Bearer a-token-of-the-viewer'])).body;
    expect(JSON.parse(await shown(`/${mended.id}`))).to.deep.equal({ ...mended, request: { kind: 'replay', span }, withheld: true });
    const { body: _body, ...request } = order.request as RunHttp;
    expect(JSON.parse(await shown(`/${order.id}`))).to.deep.equal({ ...order, request, outcome: { ...order.outcome, body: '' }, withheld: true });
    expect(await shown('?limit=200')).not.to.contain('o-secret-of-operators');
    expect(await shop.json<RunRecord>('GET', `/history/${order.id}`)).to.deep.equal(order);
  });

  for (const [body, said] of [
    [{}, '"kind" must be one of http, queue, cron, stream, replay'], [{ kind: 'replay', span: '0123456789abcdef' }, 'no input is kept of span'], [{ kind: 'http', method: 'GET', path: 'http://evil.test/' }, '"path" must begin with "/"'], [{ kind: 'http', method: 'get', path: '/' }, '"method" must be'],
    [{ kind: 'http', method: 'GET', path: '/', headers: { a: 'b\r\nc: d' } }, '"headers" must be'], [{ kind: 'http', method: 'GET', path: '/ x' }, '"path" must begin'], [{ kind: 'http', method: 'GET', path: '/', timeoutMs: 0 }, '"timeoutMs" must be'],
    [{ kind: 'queue', topic: 'a' }, '"data" is missing'], [{ kind: 'cron', step: 'Nobody' }, 'no Step "Nobody" has a cron trigger'], [{ kind: 'http', host: 'evil.test' }, 'there is no argument "host"'],
  ] as const) {
    it(`run refuses ${JSON.stringify(body)}`, async () => {
      const { status, json } = await shop.ask('POST', '/api/v1/run', body);
      expect(status).to.be.oneOf([400, 404]);
      expect((json as { detail: string }).detail).to.contain(said);
    });
  }

  it('the request that is sent reaches this engine only', async () => {
    const { outcome } = await shop.json<RunRecord>('POST', '/run', { kind: 'http', method: 'GET', path: '//evil.test/x', headers: { host: 'evil.test' } });
    expect(outcome).to.include({ kind: 'http', status: 404 });
  });
});
