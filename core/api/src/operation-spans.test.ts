import { RecordingTelemetry } from '@treadle/testing';
import { expect } from 'chai';
import { type Call, NO_SPAN, OperationError, OperationSpans, type Origin, originOf, rootOrigin } from './index.js';

const clock = { now: () => 0, monotonic: () => performance.now(), after: () => ({ cancel: () => undefined }), every: () => ({ cancel: () => undefined }) };
const [TRACE, ABOVE, HANDLER] = ['a'.repeat(32), 'b'.repeat(16), 'c'.repeat(16)];
const call = (over: Partial<Call['request']> = {}, spanId: string | undefined = HANDLER): Call => ({
  spanId, request: { step: 'A', traceId: TRACE, spanId: ABOVE, sampled: true, hops: 3, ...over },
} as Call);

describe('OperationSpans', () => {
  const telemetry = new RecordingTelemetry();
  const spans = new OperationSpans(telemetry, clock);
  beforeEach(() => void telemetry.spans.splice(0));

  it('write a span below the handler, which is the origin of what the operation causes', async () => {
    const origins: Origin[] = [];
    const result = await spans.run(call(), 'state.get', async (origin) => origins.push(origin), (length) => ({ length: length ?? 0 }));
    expect(result).to.equal(1);
    expect(telemetry.spans).to.have.length(1);
    expect(telemetry.spans[0]).to.deep.include({ traceId: TRACE, parentSpanId: HANDLER, name: 'state.get', kind: 'internal', stepName: 'A', attributes: { length: 1 }, error: undefined });
    expect(origins).to.deep.equal([{ traceId: TRACE, spanId: telemetry.spans[0]?.spanId, sampled: true, hops: 3 }]);
  });

  for (const [error, expected] of [[new OperationError('Conflict', 'taken'), { type: 'Conflict', message: 'taken' }], [new TypeError('x'), { type: 'TypeError', message: 'x' }], ['text', { type: 'Error', message: 'text' }]] as const) {
    it(`tell of ${String(error)} and pass it on`, async () => {
      const thrown = await spans.run(call(), 'state.set', () => Promise.reject(error as Error), () => ({ a: 1 })).catch((reason: unknown) => reason);
      expect(thrown).to.equal(error);
      expect(telemetry.spans[0]).to.deep.include({ error: expected, attributes: { a: 1 } });
    });
  }

  it('write nothing for a trace that is not sampled', async () => {
    const origin = await spans.run(call({ sampled: false }), 'x', (from) => Promise.resolve(from), () => { throw new Error('asked'); });
    expect(origin).to.deep.equal({ traceId: TRACE, spanId: HANDLER, sampled: false, hops: 3 });
    expect(telemetry.spans).to.deep.equal([]);
  });

  it('begin a trace for what nothing caused', async () => {
    const root = rootOrigin(telemetry);
    expect(root).to.include({ spanId: NO_SPAN, sampled: true, hops: 0 });
    await spans.within(root, { name: 'queue.publish t', kind: 'producer', stepName: '' }, () => Promise.resolve(), () => ({}));
    expect(telemetry.spans[0]).to.include({ traceId: root.traceId, parentSpanId: undefined, kind: 'producer' });
    for (const none of [undefined, { tracing: false, samples: () => true }, { tracing: true, samples: () => false }]) {
      expect(rootOrigin(none)).to.have.property('sampled', false);
      expect(rootOrigin(none).spanId).not.to.equal(NO_SPAN);
    }
  });
});

describe('originOf', () => {
  it('names the handler\'s span, or what caused it when it has none', () => {
    expect(originOf(call())).to.deep.equal({ traceId: TRACE, spanId: HANDLER, sampled: true, hops: 3 });
    const { request } = call({ hops: undefined });
    expect(originOf({ request })).to.deep.equal({ traceId: TRACE, spanId: ABOVE, sampled: true, hops: 0 });
  });
});
