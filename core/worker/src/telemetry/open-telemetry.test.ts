import { EventEmitter } from 'node:events';
import { context, metrics, type ObservableResult, propagation, SpanStatusCode, trace } from '@opentelemetry/api';
import { expect } from 'chai';
import { getContext, type StepContext } from 'treadle';
import { type Bench, bench, TRACE_ID, TRACEPARENT } from '../runner.fixture.js';
import { joinOpenTelemetry } from './open-telemetry.js';

const HANDLER_SPAN = TRACEPARENT.slice(36, 52);
const UNSAMPLED = `${TRACEPARENT.slice(0, -2)}00`;
const HERE = new URL('.', import.meta.url).pathname;

async function serving(handler: (ctx: StepContext) => unknown): Promise<Bench> {
  const made = bench();
  joinOpenTelemetry([HERE], { measurements: (points) => void made.points.push(...points) });
  await made.runner.adopt([{ file: 'a.step.ts', exports: { config: { name: 'A', triggers: [{ type: 'http', method: 'GET', path: '/a' }] }, handler: (_input: never, ctx: StepContext) => handler(ctx) } }]);
  return made;
}

const tracer = trace.getTracer('test');
const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the span of a handler', () => {
  it('is ctx.trace, also through getContext(), and is what the engine calls it', async () => {
    const made = await serving((ctx) => {
      expect(ctx.trace).to.equal(getContext().trace);
      expect(ctx.trace?.spanContext()).to.deep.equal({ traceId: TRACE_ID, spanId: HANDLER_SPAN, traceFlags: 1 });
    });
    await made.run('A');
    expect(made.notes).to.deep.equal([undefined]);
  });

  it('tells with the answer what the handler said of it', async () => {
    const made = await serving(async ({ trace: span }) => {
      span?.setAttribute('order.id', 7);
      span?.addEvent('charged', { amount: 12 });
      await later();
      span?.recordException(new TypeError('no card'));
      trace.getActiveSpan()?.setStatus({ code: SpanStatusCode.ERROR, message: 'not paid' }).addLink({ context: { traceId: 'e'.repeat(32), spanId: 'f'.repeat(16), traceFlags: 1 } });
    });
    await made.run('A');
    const [notes] = made.notes;
    expect(notes?.attributes).to.deep.equal({ 'order.id': 7 });
    expect(notes?.events?.map(({ name, attributes }) => [name, attributes?.['amount'] ?? attributes?.['exception.message']])).to.deep.equal([['charged', 12], ['exception', 'no card']]);
    expect(notes?.links).to.deep.equal([`00-${'e'.repeat(32)}-${'f'.repeat(16)}-01`]);
    expect(notes?.error).to.include({ type: 'TypeError', message: 'not paid' });
    expect(made.spans).to.deep.equal([]);
  });

  it('comes with a failure as well, and takes nothing afterwards', async () => {
    let kept: StepContext['trace'];
    const made = await serving((ctx) => {
      kept = ctx.trace;
      ctx.trace?.setAttribute('a', 1);
      throw new Error('boom');
    });
    await made.failure('A');
    kept?.setAttribute('b', 2);
    expect(made.notes).to.deep.equal([{ attributes: { a: 1 } }]);
  });

  it('keeps nothing when the trace is not sampled, though calls to elsewhere can carry it on', async () => {
    const made = await serving((ctx) => {
      ctx.trace?.setAttribute('a', 1);
      ctx.trace?.recordException(new Error('unseen'));
      expect(ctx.trace).to.equal(trace.getActiveSpan());
      expect(trace.getActiveSpan()?.isRecording()).to.equal(false);
      expect(trace.getActiveSpan()?.spanContext()).to.include({ traceId: TRACE_ID, spanId: HANDLER_SPAN, traceFlags: 0 });
      tracer.startActiveSpan('mine', (span) => span.end());
    });
    expect((await made.run('A', { traceparent: UNSAMPLED })).ok).to.equal(true);
    expect([made.spans, made.notes]).to.deep.equal([[], [undefined]]);
  });

  it('keeps within limits, whatever is said of it', async () => {
    const made = await serving(({ trace: span }) => {
      for (let i = 0; i < 10_000; i++) span?.setAttribute(`a${i}`, 'x'.repeat(10_000));
      for (let i = 0; i < 10_000; i++) span?.addEvent(`e${i}`, { text: 'y'.repeat(10_000) });
      (span as unknown as { setAttribute(key: string, value: unknown): void }).setAttribute('list', Array.from({ length: 9999 }, () => 'z'.repeat(9999)));
    });
    await made.run('A');
    const [notes] = made.notes;
    expect([Object.keys(notes?.attributes ?? {}).length, notes?.events?.length]).to.deep.equal([64, 32]);
    expect(JSON.stringify(notes).length).to.be.below(512 * 1024);
  });
});

describe('spans that handlers make through the OpenTelemetry API', () => {
  it('hang below the handler, nested as they were made, over waits', async () => {
    const made = await serving(() => tracer.startActiveSpan('outer', { kind: 2, attributes: { a: 1 } }, async (outer) => {
      await later();
      const inner = tracer.startSpan('inner').setAttribute('b', true);
      inner.recordException(new RangeError('far'));
      inner.setStatus({ code: SpanStatusCode.ERROR });
      inner.end();
      outer.end();
    }));
    await made.run('A');
    const [inner, outer] = made.spans;
    expect(outer).to.deep.include({ traceId: TRACE_ID, parentSpanId: HANDLER_SPAN, name: 'outer', kind: 'client', stepName: 'A', attributes: { a: 1 } });
    expect(inner).to.deep.include({ traceId: TRACE_ID, parentSpanId: outer?.spanId, name: 'inner', kind: 'internal', attributes: { b: true } });
    expect(inner?.error).to.include({ type: 'RangeError', message: 'far' });
    expect(inner?.spanId).to.match(/^[0-9a-f]{16}$/);
  });

  it('end once, with the times that are given', async () => {
    const made = await serving(() => {
      const span = tracer.startSpan('timed', { startTime: 1_000_000_000_000 });
      span.end([1_000_000_000, 250_000_000]);
      span.end();
      span.setAttribute('late', 1).updateName('other');
    });
    await made.run('A');
    expect(made.spans).to.have.length(1);
    expect(made.spans[0]).to.deep.include({ name: 'timed', startTime: 1_000_000_000_000, durationMs: 250, attributes: {} });
  });

  it('are as many as a run may have and no more', async () => {
    const made = await serving(() => {
      for (let i = 0; i < 3000; i++) tracer.startSpan(`s${i}`).end();
    });
    await made.run('A');
    expect(made.spans).to.have.length(1000);
  });

  it('are not kept outside a handler or as a root of their own', async () => {
    const made = await serving(() => tracer.startSpan('root', { root: true }).end());
    tracer.startSpan('nowhere').end();
    await made.run('A');
    expect(made.spans).to.deep.equal([]);
  });

  it('of handlers that run at the same time do not mix, not even where one begins because of the other', async () => {
    const benches: Bench[] = [];
    const made = await serving((ctx) => {
      if (ctx.attempt > 1) return tracer.startSpan('of the second').end();
      return tracer.startActiveSpan('of the first', async (span) => {
        await benches[0]?.run('A', { attempt: 2, traceparent: TRACEPARENT.replace(HANDLER_SPAN, '1'.repeat(16)) });
        span.end();
      });
    });
    benches.push(made);
    await made.run('A');
    expect(made.spans.map(({ name, parentSpanId }) => [name, parentSpanId])).to.deep.equal([['of the second', '1'.repeat(16)], ['of the first', HANDLER_SPAN]]);
  });

  it('are active in functions that were bound to their context', async () => {
    const made = await serving(async () => {
      const emitter = new EventEmitter();
      const bound = tracer.startActiveSpan('bound', (span) => context.bind(context.active(), () => trace.getActiveSpan() === span));
      expect(context.bind(context.active(), emitter)).to.equal(emitter);
      expect([bound(), trace.getActiveSpan() === getContext().trace as unknown]).to.deep.equal([true, true]);
    });
    expect((await made.run('A')).ok).to.equal(true);
    expect(propagation.getActiveBaggage()).to.equal(undefined);
  });
});

describe('metrics that handlers make through the OpenTelemetry API', () => {
  it('are summed up and sent', async () => {
    const meter = metrics.getMeter('test');
    const [counter, histogram, open] = [meter.createCounter('orders', { unit: '{order}', description: 'Orders' }), meter.createHistogram('weight'), meter.createUpDownCounter('open')];
    const gauge = meter.createGauge('level');
    const total = meter.createObservableCounter('total');
    let reads = 0;
    const read = (result: ObservableResult): void => result.observe(reads += 10, { from: 'callback' });
    total.addCallback(read);
    const made = await serving(() => {
      counter.add(1, { b: 1, a: 'x' });
      counter.add(2, { a: 'x', b: 1 });
      counter.add(-5);
      counter.add(NaN);
      histogram.record(1.5);
      histogram.record(2);
      open.add(3);
      open.add(-1);
      gauge.record(4);
      gauge.record(5);
    });
    await made.run('A');
    await made.runner.idle();
    const sent = made.points.splice(0).map(({ name, kind, attributes, value, values }) => [name, kind, attributes, value ?? values]);
    expect(sent).to.deep.include.members([
      ['orders', 'counter', { b: 1, a: 'x' }, 3], ['weight', 'histogram', undefined, [1.5, 2]], ['open', 'updown', undefined, 2], ['level', 'gauge', undefined, 5],
      ['total', 'counter', { from: 'callback' }, 10],
    ]);
    await made.runner.idle();
    expect(made.points.map(({ name, value }) => [name, value])).to.deep.equal([['total', 10]]);
    // The API is the process's: whoever comes next would send it, too.
    total.removeCallback(read);
  });

  it('do not grow without bound', async () => {
    const [counter, histogram] = [metrics.getMeter('m').createCounter('many'), metrics.getMeter('m').createHistogram('long')];
    const made = await serving(() => {
      for (let i = 0; i < 10_000; i++) {
        counter.add(1, { path: `/p/${i}` });
        histogram.record(i);
      }
    });
    await made.run('A');
    await made.runner.idle();
    expect(made.points.filter(({ name }) => name === 'many').length).to.be.at.most(2000);
    expect(made.points.find(({ name }) => name === 'long')?.values ?? []).to.have.length.at.most(1000);
  });
});
