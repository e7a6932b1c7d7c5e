import { StepFailure } from '@treadle/api';
import { RecordingTelemetry } from '@treadle/testing';
import { expect } from 'chai';
import { Life, MINUTE, World } from './cron.fixture.js';

describe('telemetry of cron', () => {
  let world: World;
  let telemetry: RecordingTelemetry;
  let life: Life;
  beforeEach(async () => {
    world = await World.at('2026-01-01T00:00:30Z');
    telemetry = new RecordingTelemetry();
    life = new Life(world, world.life().adapter, telemetry);
    life.bind({ expression: '* * * * *' });
  });
  afterEach(async () => {
    await life.stop();
    await world.end();
  });

  it('makes each tick the root of a trace, of which the handler is a part', async () => {
    await world.clock.advance(2 * MINUTE);
    const [first, second] = telemetry.spans;
    const [request] = life.hub.starts.map((start) => start.request);
    expect(first).to.deep.include({ traceId: request?.traceId, spanId: request?.spanId, name: 'cron report', kind: 'internal', stepName: '', error: undefined });
    expect(first).not.to.have.property('parentSpanId');
    expect(request?.sampled).to.equal(true);
    expect(first?.attributes).to.deep.include({
      'step.name': 'report', 'step.attempt': 1, 'cron.trigger': '* * * * * UTC', 'cron.scheduled_at': Date.parse('2026-01-01T00:01:00Z'), 'cron.manual': false,
      'cron.outcome': 'succeeded',
    });
    expect(second?.traceId).not.to.equal(first?.traceId);
    expect((await life.runs()).map(({ traceId }) => traceId)).to.deep.equal(telemetry.spans.map(({ traceId }) => traceId));
  });

  it('tells of the handler that throws, and of a start that was cut and began again in the same trace', async () => {
    const replies: ('ok' | StepFailure)[] = [
      new StepFailure('unhandled_exception', 'no: data', { errorName: 'RangeError' }), new StepFailure('worker_lost', 'it died', { workerDied: true }), 'ok',
    ];
    life.hub.reply = () => replies.shift() ?? 'ok';
    await world.clock.advance(2 * MINUTE);
    expect(telemetry.spans.map(({ attributes, error }) => [attributes['cron.outcome'], attributes['step.attempt'], error])).to.deep.equal([
      ['failed', 1, { type: 'RangeError', message: 'no: data' }], ['cut', 1, { type: 'worker_lost', message: 'it died' }], ['succeeded', 2, undefined],
    ]);
    expect(telemetry.spans[1]?.traceId).to.equal(telemetry.spans[2]?.traceId);
    expect(telemetry.spans[1]?.spanId).not.to.equal(telemetry.spans[2]?.spanId);
  });

  it('writes nothing for a start that no worker took, nor for a trace that is not sampled', async () => {
    life.hub.workers = 0;
    await world.clock.advance(MINUTE);
    expect(telemetry.spans).to.deep.equal([]);
    telemetry.samples = () => false;
    life.hub.serve(1);
    await world.clock.advance(MINUTE);
    expect(life.hub.starts.map(({ request }) => request.sampled)).to.include(false);
    expect(telemetry.spans).to.deep.equal([]);
  });
});
