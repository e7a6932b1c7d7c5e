import { expect } from 'chai';
import { moduleSpecOf, QueuePort, type SpanRecord, StatePort } from '@treadle/api';
import { BUILTIN_PLUGINS } from '@treadle/engine';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import { RecordingTelemetry } from '@treadle/testing';
import { RECORDER, recordingPlugin } from '../support/recording-observability.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const step = (name: string, trigger: string, body: string, more = ''): string => `
import { trace, metrics } from '@opentelemetry/api';
import { getContext } from 'treadle';
export const config = { name: '${name}', triggers: [{ ${trigger} }]${more} };
export const handler = async (input, ctx) => { ${body} };
`;

const STEPS = {
  'steps/order.step.js': step('order', "type: 'http', method: 'POST', path: '/orders/:id'", `
    ctx.logger.info('ordered');
    ctx.trace.setAttribute('order.id', input.pathParams.id);
    await trace.getTracer('app').startActiveSpan('charge', async (span) => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      span.setAttribute('trace', getContext().traceId);
      span.end();
    });
    metrics.getMeter('app').createCounter('app.orders', { unit: '{order}' }).add(1, { kind: 'test' });
    await ctx.state.set('orders', input.pathParams.id, { open: true });
    await ctx.enqueue({ topic: 'placed', data: { id: input.pathParams.id } });
    return { status: 202, body: { traceId: ctx.traceId } };`, ", enqueues: ['placed']"),
  'steps/bill.step.js': step('bill', "type: 'queue', topic: 'placed'", "await ctx.enqueue({ topic: 'billed', data: input });", ", enqueues: ['billed']"),
  'steps/ship.step.js': step('ship', "type: 'queue', topic: 'billed'", "await ctx.state.get('orders', input.id); console.log('shipped');"),
  'steps/fail.step.js': step('fail', "type: 'http', method: 'GET', path: '/fail'", "throw new TypeError('broken');"),
  'steps/again.step.js': step('again', "type: 'queue', topic: 'flaky', config: { maxAttempts: 3, backoff: { type: 'fixed', delayMs: 1, jitter: 0 } }", "if (ctx.attempt < 3 || input.dead) throw new RangeError('not yet');"),
  'steps/changed.step.js': step('changed', "type: 'state', group: 'orders'", "ctx.logger.info('changed');"),
};

/** Of the request, of three messages, of four handlers, and of what these do. */
const SPANS_OF_AN_ORDER = 13;

const yaml = (runtime: string): string => `engine: { implicit_modules: false }
modules:
  - class: ${RECORDER}
  - class: modules::steps::StepsModule
    config: { port: false, runtimes: [{ class: modules::runtime::adapters::${runtime} }] }
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::queue::QueueModule
    config: { adapter: { class: modules::queue::adapters::Sqlite, config: { store_method: in_memory } } }
  - class: modules::state::StateModule
    config: { adapter: { class: modules::state::adapters::Sqlite, config: { store_method: in_memory } } }
`;

for (const runtime of ['Node', 'InProcess']) {
  describe(`telemetry of an application with the runtime ${runtime}`, function () {
    this.timeout(120_000);
    let test: TestComposition;
    let telemetry: RecordingTelemetry;

    before(async () => {
      telemetry = new RecordingTelemetry();
      const root = tempApplication({ 'package.json': '{ "name": "traced" }', ...STEPS });
      test = await createTestComposition({ root, yaml: yaml(runtime), builtins: [...BUILTIN_PLUGINS, recordingPlugin(telemetry)] });
      await waitUntil('the Steps', () => Object.keys(STEPS).every((file) => test.engine.dispatch.invoker.servers(/(\w+)\.step/.exec(file)?.[1] ?? '') === 1));
    });
    after(() => test.stop());

    const parentOf = (span: SpanRecord): SpanRecord | undefined => telemetry.spans.find(({ spanId }) => spanId === span.parentSpanId);
    const one = (name: string, among = telemetry.spans): SpanRecord => {
      const found = among.filter((span) => span.name === name);
      expect(found, name).to.have.length(1);
      return found[0] as SpanRecord;
    };

    it('is one trace from the request over two queue hops, every span below what caused it', async () => {
      const response = await fetch(`${test.url('http')}/orders/7`, { method: 'POST' });
      const { traceId } = await response.json() as { traceId: string };
      expect(response.headers.get('x-trace-id')).to.equal(traceId);
      const names = (): string[] => telemetry.spans.filter((span) => span.traceId === traceId).map(({ name }) => name);
      await waitUntil('every span', () => names().length >= SPANS_OF_AN_ORDER);
      const spans = telemetry.spans.filter((span) => span.traceId === traceId);
      const path = (span: SpanRecord | undefined): string[] => (span ? [...path(parentOf(span)), span.name] : []);
      const request = ['POST /orders/:id', 'handler order'];
      const billed = [...request, 'queue.publish placed', 'queue.consume placed', 'handler bill'];
      const shipped = [...billed, 'queue.publish billed', 'queue.consume billed', 'handler ship'];
      expect(spans.map((span) => path(span).join(' > ')).sort()).to.deep.equal([
        request.slice(0, 1), request, [...request, 'charge'], [...request, 'state.set'], [...request, 'queue.publish placed'],
        [...request, 'state.set', 'queue.consume state changes'], [...request, 'state.set', 'queue.consume state changes', 'handler changed'],
        [...billed.slice(0, -1)], billed, [...billed, 'queue.publish billed'], shipped.slice(0, -1), shipped, [...shipped, 'state.get'],
      ].map((names_) => names_.join(' > ')).sort());
      for (const { error, name } of spans) expect(error, name).to.equal(undefined);
      for (const span of spans) expect(span.durationMs, span.name).to.be.at.least(0);
    });

    it('says what the spans are about', () => {
      expect(one('POST /orders/:id').attributes).to.deep.include({ 'http.request.method': 'POST', 'http.route': '/orders/:id', 'http.response.status_code': 202, 'step.name': 'order' });
      expect(one('handler order')).to.deep.include({ kind: 'internal', stepName: 'order' }).and.to.have.property('attributes').that.deep.includes({
        'step.name': 'order', 'step.trigger': 'http', 'step.attempt': 1, 'code.file.path': 'steps/order.step.js', 'code.line.number': 4, 'order.id': '7',
      });
      expect(one('state.set').attributes).to.deep.include({ 'state.group': 'orders', 'state.key': '7', 'state.rev.after': 1 });
      const [publish, consume] = [one('queue.publish placed'), one('queue.consume placed')];
      expect([publish.kind, consume.kind]).to.deep.equal(['producer', 'consumer']);
      expect(publish.attributes['messaging.message.id']).to.be.a('string').and.equal(consume.attributes['messaging.message.id']);
      expect(consume.attributes['queue.enqueued_at']).to.be.a('number').and.at.most(consume.startTime + 50);
      expect(one('charge')).to.deep.include({ stepName: 'order', parentSpanId: one('handler order').spanId, attributes: { trace: one('charge').traceId } });
      expect(one('charge').durationMs).to.be.at.most(one('handler order').durationMs + 1);
    });

    it('gives log lines and what handlers print the span of their handler', async () => {
      const record = (message: string) => test.logs.find((line) => line.message === message);
      // What a process prints comes by a pipe of its own.
      await waitUntil('the log', () => record('ordered') !== undefined && (runtime !== 'Node' || record('shipped') !== undefined));
      expect(record('ordered')).to.include({ traceId: one('handler order').traceId, spanId: one('handler order').spanId, stepName: 'order' });
      if (runtime === 'Node') expect(record('shipped')).to.include({ spanId: one('handler ship').spanId, stepName: 'ship' });
    });

    it('makes the handler that throws an error span and a counted error', async () => {
      expect((await fetch(`${test.url('http')}/fail`)).status).to.equal(500);
      await waitUntil('both spans', () => ['handler fail', 'GET /fail'].every((name) => telemetry.spans.some((span) => span.name === name)));
      const handler = one('handler fail');
      expect(handler.error).to.include({ type: 'TypeError', message: 'broken' });
      expect(handler.error?.stack).to.contain('fail.step');
      expect(one('GET /fail').error).to.include({ type: '500' });
      expect(handler.parentSpanId).to.equal(one('GET /fail').spanId);
    });

    it('shows retries and what died, each attempt below the same publisher', async () => {
      const queue = test.engine.port(QueuePort) as QueuePort;
      await queue.enqueue([{ topic: 'flaky', data: {} }]);
      await queue.enqueue([{ topic: 'flaky', data: { dead: true } }]);
      await waitUntil('the attempts', () => telemetry.spansOf('queue.consume flaky').length === 6);
      const publishers = telemetry.spansOf('queue.publish flaky');
      expect(publishers.map(({ parentSpanId }) => parentSpanId)).to.deep.equal([undefined, undefined]);
      const attempts = publishers.map(({ spanId }) => telemetry.spansOf('queue.consume flaky').filter(({ parentSpanId }) => parentSpanId === spanId)
        .map(({ attributes, error }) => [attributes['step.attempt'], attributes['queue.outcome'], error?.type]));
      expect(attempts).to.deep.equal([
        [[1, 'retry', 'RangeError'], [2, 'retry', 'RangeError'], [3, 'done', undefined]], [[1, 'retry', 'RangeError'], [2, 'retry', 'RangeError'], [3, 'dead', 'RangeError']],
      ]);
      expect(telemetry.spansOf('handler again').map(({ attributes }) => attributes['step.attempt']).sort()).to.deep.equal([1, 1, 2, 2, 3, 3]);
    });

    it('counts exactly what was done, by label', async () => {
      await Promise.all(Array.from({ length: 300 }, (_, i) => fetch(`${test.url('http')}/nowhere/${i}`)));
      await (test.engine.port(StatePort) as StatePort).list('orders');
      // A request is counted once its answer is out, which its client may know before.
      await waitUntil('the end of all requests', () => (telemetry.gaugeOf('http.server.active_requests') ?? []).every(({ value }) => value === 0)
        && Object.values(telemetry.counts('http.server.request.duration')).reduce((sum, count) => sum + count, 0) >= 302);
      const http = {
        'http.request.method=POST,http.route=/orders/:id,http.response.status_code=202': 1,
        'http.request.method=GET,http.route=/fail,http.response.status_code=500': 1,
        'http.request.method=GET,http.response.status_code=404': 300,
      };
      expect(telemetry.counts('http.server.request.count')).to.deep.equal(http);
      expect(telemetry.counts('http.server.request.duration')).to.deep.equal(http);
      const queue = (topic: string, name: string, outcome: string): string => `messaging.destination.name=${topic},step.name=${name},outcome=${outcome}`;
      const messages = {
        [queue('placed', 'bill', 'done')]: 1, [queue('billed', 'ship', 'done')]: 1, [queue('state changes', 'changed', 'done')]: 1,
        [queue('flaky', 'again', 'retry')]: 4, [queue('flaky', 'again', 'done')]: 1, [queue('flaky', 'again', 'dead')]: 1,
      };
      expect(telemetry.counts('queue.message.count')).to.deep.equal(messages);
      expect(telemetry.counts('queue.message.duration')).to.deep.equal(messages);
      expect(telemetry.counts('queue.message.retries')).to.deep.equal({ 'messaging.destination.name=flaky,step.name=again': 4 });
      const state = { 'type=set,outcome=ok': 1, 'type=get,outcome=ok': 2 };
      expect(telemetry.counts('state.operation.count')).to.deep.equal(state);
      expect(telemetry.counts('state.operation.duration')).to.deep.equal(state);
      expect(telemetry.gaugeOf('http.server.active_requests')).to.deep.equal([{ value: 0, labels: {} }]);
    });

    it('has the metrics that handlers make, and tells of the workers', async () => {
      await waitUntil('the counter', () => telemetry.counts('app.orders')['kind=test'] === 1);
      const label = runtime === 'Node' ? 'node' : 'in-process';
      expect(telemetry.gaugeOf('treadle.worker.sessions')).to.deep.equal([{ value: 1, labels: { runtime: label } }]);
      expect(telemetry.gaugeOf('treadle.worker.running')).to.deep.equal([{ value: 0, labels: { runtime: label } }]);
    });

    it('reports nothing that no module declares', () => {
      const declared = BUILTIN_PLUGINS.flatMap(({ modules = [] }) => modules).map((module) => moduleSpecOf(module)?.emits ?? {});
      const patterns = declared.flatMap(({ spans = [] }) => spans).map(({ name }) => new RegExp(`^${name.replaceAll('.', '\\.').replaceAll(/<[^>]+>/g, '.+')}$`));
      const own = ['charge', 'GET'];
      expect(telemetry.spans.filter(({ name }) => !own.includes(name) && !patterns.some((pattern) => pattern.source !== '^.+$' && pattern.test(name))).map(({ name }) => name)).to.deep.equal([]);
      const metrics = new Set(declared.flatMap(({ metrics: some = [] }) => some).map(({ name }) => name));
      expect([...telemetry.names()].filter((name) => !metrics.has(name))).to.deep.equal(['app.orders']);
    });

    it('keeps a trace whole or not at all', async () => {
      const before = telemetry.spans.length;
      telemetry.samples = () => false;
      const { traceId } = await (await fetch(`${test.url('http')}/orders/8`, { method: 'POST' })).json() as { traceId: string };
      telemetry.samples = () => true;
      await (test.engine.port(QueuePort) as QueuePort).enqueue([{ topic: 'flaky', data: { last: true } }]);
      const shipped = (): number => telemetry.counts('queue.message.count')['messaging.destination.name=billed,step.name=ship,outcome=done'] ?? 0;
      await waitUntil('the end of its last hop', () => shipped() === 2);
      await waitUntil('what came after it', () => telemetry.spans.slice(before).filter(({ name }) => name === 'queue.consume flaky').length >= 1);
      const names = new Set(telemetry.spans.slice(before).map(({ name }) => name));
      expect([...names].sort()).to.deep.equal(['handler again', 'queue.consume flaky', 'queue.publish flaky']);
      expect(telemetry.spans.some((span) => span.traceId === traceId)).to.equal(false);
    });
  });
}
