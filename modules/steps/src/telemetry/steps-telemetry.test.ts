import { RecordingTelemetry } from '@treadle/testing';
import { expect } from 'chai';
import { failure, request, TestSteps, type TestWorker, until } from '../steps.fixture.js';

const [TRACE, ABOVE] = ['a'.repeat(32), 'b'.repeat(16)];

describe('telemetry of handlers and workers', () => {
  let telemetry: RecordingTelemetry;
  let steps: TestSteps;
  let worker: TestWorker;
  beforeEach(async () => {
    telemetry = new RecordingTelemetry();
    steps = await TestSteps.start({ telemetry });
    worker = await steps.worker({ A: '/a' });
  });
  afterEach(() => steps.stop());

  it('gives each handler a span of its own, named in what the worker is sent, with the time that the worker tells', async () => {
    const answer = steps.dispatch.invoker.invoke(request());
    const { id, traceparent } = await worker.next('invoke');
    worker.send({ type: 'result', id, ms: 0.125, http: { status: 200 }, span: { attributes: { mine: 1, 'step.name': 'forged' }, events: [{ name: 'e', time: 5 }], links: [`00-${TRACE}-${ABOVE}-01`] } });
    await answer;
    const [span] = telemetry.spans;
    expect(traceparent).to.equal(`00-${TRACE}-${span?.spanId}-01`);
    expect(span).to.deep.include({
      traceId: TRACE, parentSpanId: ABOVE, name: 'handler A', kind: 'internal', durationMs: 0.125, error: undefined, stepName: 'A',
      events: [{ name: 'e', time: 5, attributes: {} }], links: [`00-${TRACE}-${ABOVE}-01`],
    });
    expect(span?.attributes).to.deep.include({ mine: 1, 'step.name': 'A', 'step.trigger': 'http', 'step.attempt': 1, 'code.function.name': 'handler' });
    expect(span?.attributes['code.file.path']).to.be.a('string');
    expect(span?.attributes['code.line.number']).to.equal(1);
  });

  it('shows a handler that throws, one that is lost, and not a condition that is not met', async () => {
    const answers = ['unhandled_exception', 'condition_not_met', 'validation_failed'].map((code) => ({ code, answer: failure(steps.dispatch.invoker.invoke(request())) }));
    for (const { code } of answers) {
      const { id } = await worker.next('invoke');
      worker.send({ type: 'error', id, ms: 1, code, message: 'boom', ...(code === 'unhandled_exception' && { name: 'TypeError', stack: 'at a' }) });
    }
    await Promise.all(answers.map(({ answer }) => answer));
    const lost = failure(steps.dispatch.invoker.invoke(request({ attempt: 2 })));
    await worker.next('invoke');
    worker.socket.terminate();
    await lost;
    expect(telemetry.spans.map(({ error, attributes }) => [error?.type, error?.stack, attributes['step.attempt']])).to.deep.equal([
      ['TypeError', 'at a', 1], [undefined, undefined, 1], [undefined, undefined, 1], ['worker_lost', undefined, 2],
    ]);
  });

  it('writes no span where none is wanted, and none for a call that no worker took', async () => {
    const answer = steps.dispatch.invoker.invoke(request({ sampled: false }));
    const { id, traceparent } = await worker.next('invoke');
    expect(traceparent).to.equal(`00-${TRACE}-${ABOVE}-00`);
    worker.send({ type: 'result', id });
    await answer;
    await failure(steps.dispatch.invoker.invoke(request({ step: 'Nobody' })));
    expect(telemetry.spans).to.deep.equal([]);
  });

  it('logs in the name of the handler\'s span', async () => {
    const answer = steps.dispatch.invoker.invoke(request());
    const { id } = await worker.next('invoke');
    worker.send({ type: 'log', id, time: 1, level: 'info', message: 'hi' }, { type: 'result', id });
    await answer;
    expect(steps.records.find(({ message }) => message === 'hi')).to.include({ traceId: TRACE, spanId: telemetry.spans[0]?.spanId });
  });

  it('takes spans that workers send, those of the right form', async () => {
    const good = { traceId: TRACE, spanId: 'c'.repeat(16), parentSpanId: ABOVE, name: 'charge', kind: 'client', startTime: 5.5, durationMs: 1, stepName: 'A' };
    worker.send({ type: 'spans', spans: [
      good, { ...good, traceId: 'x' }, { ...good, kind: 'odd' }, { ...good, durationMs: -1 }, { ...good, startTime: 'now' }, null, 7,
      { ...good, spanId: 'd'.repeat(16), name: 'n'.repeat(9999), attributes: { a: { b: 1 }, c: 'x'.repeat(99_999), d: [1, 2] }, error: { type: 'E', message: 'm', stack: 7 }, links: ['bad'] },
    ] });
    await until(() => telemetry.spans.length > 0);
    expect(telemetry.spans).to.have.length(2);
    expect(telemetry.spans[0]).to.deep.include({ ...good, attributes: {}, error: undefined });
    const [, cut] = telemetry.spans;
    expect(cut?.name).to.have.length(256);
    expect(cut?.attributes).to.deep.equal({ c: 'x'.repeat(8192), d: ['1', '2'] });
    expect(cut).to.deep.include({ error: { type: 'E', message: 'm' }, links: [] });
  });

  it('ends a session that sends something else instead', async () => {
    const closed = new Promise((resolve) => worker.socket.once('close', resolve));
    worker.send({ type: 'spans', spans: 'many' });
    await closed;
  });

  it('takes metrics that workers send, but none under a name of the engine', async () => {
    worker.send({ type: 'measurements', points: [
      { name: 'app.orders', kind: 'counter', unit: '{order}', description: 'Orders', attributes: { b: 'x', a: 1 }, value: 2 },
      { name: 'app.orders', kind: 'counter', attributes: { a: 1, b: 'x' }, value: 3 }, { name: 'app.orders', kind: 'counter', value: -1 },
      { name: 'app.weight', kind: 'histogram', values: [1, 2, 'x'] }, { name: 'app.open', kind: 'updown', value: 3 }, { name: 'app.open', kind: 'updown', value: -1 },
      { name: 'app.level', kind: 'gauge', value: 4 }, { name: 'app.level', kind: 'gauge', value: 5 },
      { name: 'http.server.request.count', kind: 'counter', value: 1000 }, { name: 'bad name', kind: 'counter', value: 1 }, { name: 'x', kind: 'odd', value: 1 }, null,
    ] });
    await until(() => telemetry.gauges.has('app.level'));
    expect(telemetry.counts('app.orders')).to.deep.equal({ 'a=1,b=x': 5 });
    expect(telemetry.seriesOf('app.weight')[0]?.values).to.deep.equal([1, 2]);
    expect([telemetry.gaugeOf('app.open'), telemetry.gaugeOf('app.level')]).to.deep.equal([[{ labels: {}, value: 2 }], [{ labels: {}, value: 5 }]]);
    expect(telemetry.counts('http.server.request.count')).to.deep.equal({});
    expect(steps.logged.filter(({ message }) => message.startsWith('a metric of a handler'))).to.have.length(1);
    const other = await steps.worker({ B: '/b' });
    other.send({ type: 'measurements', points: [{ name: 'app.open', kind: 'updown', value: 10 }, { name: 'app.level', kind: 'gauge', value: 1 }] });
    await until(() => telemetry.gaugeOf('app.open')?.[0]?.value === 12);
    expect(telemetry.gaugeOf('app.level')).to.deep.equal([{ labels: {}, value: 1 }]);
    worker.socket.terminate();
    await until(() => telemetry.gaugeOf('app.open')?.[0]?.value === 10);
  });

  it('tells of the workers, and nothing any more once the module has stopped', async () => {
    const node = { runtime: 'node' };
    const answer = steps.dispatch.invoker.invoke(request());
    const { id } = await worker.next('invoke');
    expect(telemetry.gaugeOf('treadle.worker.sessions')).to.deep.equal([{ value: 1, labels: node }]);
    expect(telemetry.gaugeOf('treadle.worker.running')).to.deep.equal([{ value: 1, labels: node }]);
    expect(telemetry.gaugeOf('treadle.worker.event_loop.delay')).to.deep.equal([]);
    worker.send({ type: 'result', id });
    await answer;
    await steps.stop();
    expect(telemetry.gauges.size).to.equal(0);
  });
});
