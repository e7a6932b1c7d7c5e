import { type CallAnswer, type Catalog, formatTraceParent, type Invoker, type InvokeRequest, type Logger, StepFailure, type StepRecord } from '@treadle/api';
import { EngineTurn } from '@treadle/kernel';
import { fakeClock, type FakeClock, mapQueue, RecordingTelemetry } from '@treadle/testing';
import { expect } from 'chai';
import { stepRecord } from '../queue-rig.fixture.js';
import { QueueService } from '../queue-service.js';

const SILENT: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined, child: () => SILENT };
const SCHEMA = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } };

describe('telemetry of the queue', () => {
  let clock: FakeClock;
  let telemetry: RecordingTelemetry;
  let queue: QueueService;
  let requests: InvokeRequest[];
  let stopAdapter: () => Promise<void>;
  /** What a handler answers; undefined: success. */
  let reply: (request: InvokeRequest) => StepFailure | undefined;

  beforeEach(async () => {
    [clock, telemetry, requests, reply] = [fakeClock(), new RecordingTelemetry(), [], () => undefined];
    const steps: StepRecord[] = [stepRecord('A', ['t']), stepRecord('B', [{ type: 'queue', topic: 't', input: SCHEMA }])];
    const dispatch = {
      steps: () => steps, onChange: () => () => undefined, onServing: () => () => undefined, servers: () => 1, cancel: () => undefined,
      start: (request: InvokeRequest, answer: CallAnswer) => {
        requests.push(request);
        const failure = reply(request);
        if (failure) answer.failed(failure);
        else answer.succeeded({});
      },
    } as unknown as Catalog & Invoker;
    const adapter = await mapQueue(clock);
    stopAdapter = () => adapter.stop();
    queue = new QueueService({ adapter, catalog: dispatch, invoker: dispatch, clock, turn: new EngineTurn(clock), log: SILENT, retireDelayMs: 0, maxWaiting: 100, random: () => 0, telemetry });
    await queue.open();
    queue.start();
    queue.follow([{ application: 'app', steps, complete: false }]);
    await clock.advance(0);
  });
  afterEach(async () => {
    await queue.stop(AbortSignal.abort());
    await stopAdapter();
  });

  const send = async (data: object, ms = 0): Promise<void> => {
    const sent = queue.enqueue([{ topic: 't', data: data as never }]);
    await clock.advance(0);
    await sent;
    await clock.advance(ms);
  };
  const counts = (step: string, outcome: string): string => `messaging.destination.name=t,step.name=${step},outcome=${outcome}`;

  it('gives each subscriber a span below the publisher, and its handler that as parent', async () => {
    const origin = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true, hops: 0 };
    const sent = queue.enqueue([{ topic: 't', data: { id: 1 } }, { topic: 't', data: { id: 2 } }], origin);
    await clock.advance(0);
    await sent;
    await clock.advance(0);
    const [publish] = telemetry.spansOf('queue.publish t');
    expect(publish).to.deep.include({ traceId: origin.traceId, parentSpanId: origin.spanId, kind: 'producer' });
    expect(publish?.attributes).to.deep.include({ 'messaging.destination.name': 't', 'messaging.batch.message_count': 2 });
    const consumes = telemetry.spansOf('queue.consume t');
    expect(consumes.map(({ parentSpanId, kind, traceId }) => [parentSpanId, kind, traceId])).to.deep.equal(Array.from({ length: 4 }, () => [publish?.spanId, 'consumer', origin.traceId]));
    expect(new Set(requests.map(({ spanId }) => spanId))).to.deep.equal(new Set(consumes.map(({ spanId }) => spanId)));
    expect(consumes.map(({ stepName }) => stepName).sort()).to.deep.equal(['A', 'A', 'B', 'B']);
  });

  it('tells what waits, how old the oldest is, and what is dead', async () => {
    const value = (name: string, state?: string, step = 'A'): unknown => telemetry.gauges.get(name)?.read()
      .find(({ labels }) => labels['step.name'] === step && labels['state'] === state)?.value;
    reply = ({ step }) => (step === 'A' ? new StepFailure('unhandled_exception', 'no', {}) : undefined);
    await send({ id: 1 });
    expect(value('treadle.queue.messages', 'retrying')).to.equal(undefined);
    await clock.advance(5_000);
    expect([value('treadle.queue.messages', 'waiting'), value('treadle.queue.messages', 'retrying'), value('treadle.queue.messages', 'dead')]).to.deep.equal([0, 1, 0]);
    await clock.advance(1_000);
    expect(value('treadle.queue.oldest_message.age')).to.equal(6);
    await send({ id: 'x' }, 5_000);
    expect(value('treadle.queue.messages', 'dead', 'B')).to.equal(1);
    await queue.stop(AbortSignal.abort());
    expect([...telemetry.gauges.keys()]).to.deep.equal([]);
  });

  it('counts every outcome by Step and topic, and times it', async () => {
    reply = ({ step, attempt }) => (step === 'A' && attempt < 3 ? new StepFailure('unhandled_exception', 'no', { errorName: 'RangeError' }) : undefined);
    await send({ id: 1 }, 60_000);
    await send({ id: 'x' }, 60_000);
    const expected = { [counts('A', 'retry')]: 4, [counts('A', 'done')]: 2, [counts('B', 'done')]: 1, [counts('B', 'dead')]: 1 };
    expect(telemetry.counts('queue.message.count')).to.deep.equal(expected);
    expect(telemetry.counts('queue.message.duration')).to.deep.equal(expected);
    expect(telemetry.counts('queue.message.retries')).to.deep.equal({ 'messaging.destination.name=t,step.name=A': 4 });
    expect(telemetry.counts('treadle.queue.dead_letters')).to.deep.equal({ 'reason=invalid_input': 1 });
    const refused = telemetry.spansOf('queue.consume t').filter(({ attributes }) => attributes['queue.outcome'] === 'dead');
    expect(refused.map(({ error }) => error?.type)).to.deep.equal(['validation_failed']);
    expect(telemetry.spansOf('queue.consume t').filter(({ error }) => error?.type === 'RangeError')).to.have.length(4);
  });

  it('says of an attempt that will be repeated when the next one is due, and of others nothing', async () => {
    reply = ({ step, attempt }) => (step === 'A' && attempt < 3 ? new StepFailure('unhandled_exception', 'no', { retryAfterMs: attempt * 10_000 }) : undefined);
    const from = clock.now();
    await send({ id: 1 }, 60_000);
    expect(telemetry.spansOf('queue.consume t').map(({ stepName, attributes }) => [stepName, attributes['queue.outcome'], attributes['queue.next_attempt_at']]))
      .to.have.deep.members([['B', 'done', undefined], ['A', 'retry', from + 10_000], ['A', 'retry', from + 30_000], ['A', 'done', undefined]]);
  });

  it('counts what is sent to a topic that nobody consumes', async () => {
    const sent = queue.enqueue([{ topic: 'lost', data: 1 }, { topic: 't', data: { id: 1 } }, { topic: 'lost', data: 2 }]);
    await clock.advance(0);
    await sent;
    expect(telemetry.counts('treadle.queue.unrouted')).to.deep.equal({ '': 2 });
  });

  it('takes a condition that is not met as processed, and what was handed back as not', async () => {
    let busy = true;
    reply = ({ step }) => {
      if (step === 'B') return new StepFailure('condition_not_met', 'no');
      return busy ? new StepFailure('no_worker', 'none') : undefined;
    };
    const sent = send({ id: 1 });
    busy = false;
    await sent;
    await clock.advance(1_000);
    expect(telemetry.counts('queue.message.count')).to.deep.equal({ [counts('B', 'skipped')]: 1, [counts('A', 'done')]: 1 });
    for (const { error } of telemetry.spansOf('queue.consume t')) expect(error).to.equal(undefined);
  });

  it('follows the decision of the trace: nothing is written where it is not sampled', async () => {
    telemetry.samples = () => false;
    await send({ id: 1 });
    const origin = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: false, hops: 0 };
    const sent = queue.enqueue([{ topic: 't', data: { id: 2 } }], origin);
    await clock.advance(0);
    await sent;
    await clock.advance(0);
    expect(telemetry.spans).to.deep.equal([]);
    expect(requests.map(({ sampled }) => sampled)).to.deep.equal([false, false, false, false]);
    expect(requests.filter(({ traceId }) => traceId === origin.traceId).map(({ spanId }) => spanId)).to.deep.equal([origin.spanId, origin.spanId]);
    expect(telemetry.counts('queue.message.count')).to.deep.equal({ [counts('A', 'done')]: 2, [counts('B', 'done')]: 2 });
    expect(formatTraceParent(origin.traceId, origin.spanId, false)).to.match(/-00$/);
  });

  it('shows what could not be enqueued as an error of the publisher', async () => {
    const error = await queue.enqueue([{ topic: 't', data: 1, delayMs: -1 }]).catch((reason: unknown) => reason as { code: string });
    expect(error).to.have.property('code', 'QueueInvalidArgument');
    expect(telemetry.spans.map(({ name, error: reason }) => [name, reason?.type])).to.deep.equal([['queue.publish t', 'QueueInvalidArgument']]);
  });
});
