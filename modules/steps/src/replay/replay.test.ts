import { type AdminError, AdminStream } from '@treadle/api';
import { RecordingTelemetry } from '@treadle/testing';
import { expect } from 'chai';
import { request, TestSteps, type TestWorker, until } from '../steps.fixture.js';
import { LONGEST_INPUT, RecordedInputs } from './recorded-inputs.js';

const [TRACE, ABOVE] = ['a'.repeat(32), 'b'.repeat(16)];

describe('running a handler again', () => {
  let telemetry: RecordingTelemetry;
  let steps: TestSteps;
  let worker: TestWorker;
  const begin = async (mode: 'development' | 'production', config = {}): Promise<void> => {
    telemetry = new RecordingTelemetry();
    steps = await TestSteps.start({ telemetry, mode, config });
    worker = await steps.worker({ A: '/a' });
  };
  afterEach(() => steps.stop());

  const ask = async (route: string, over: object): Promise<unknown> => {
    const answer = await steps.routes.get(route)?.({ params: {}, query: {}, body: undefined, ...over });
    return answer instanceof AdminStream ? JSON.parse([...answer.pieces].join('')) : answer;
  };
  const refusal = (route: string, over: object): Promise<string> => ask(route, over).then(() => 'it was not refused', (error: AdminError) => `${error.status} ${error.code}`);
  /** A run of the handler; gives its span. */
  const run = async (over: Parameters<typeof request>[0] = {}): Promise<string> => {
    const answer = steps.dispatch.invoker.invoke(request(over));
    const { id } = await worker.next('invoke');
    worker.send({ type: 'result', id, ms: 1, http: { status: 200 } });
    await answer;
    return telemetry.spans.at(-1)?.spanId ?? '';
  };

  it('starts the Step with the same input in a trace of its own, whose root links to the former run', async () => {
    await begin('development');
    const span = await run({ input: { method: 'GET', path: '/a', headers: { cookie: 'id=1' } } });
    expect(await ask('GET /inputs/:span', { params: { span } })).to.deep.equal({ span, step: 'A', trigger: 'http', input: { method: 'GET', path: '/a', headers: { cookie: '[secret headers.cookie]' } } });
    const { traceId, spanId, step } = await ask('POST /replay', { body: { span } }) as { traceId: string; spanId: string; step: string };
    const invoke = await worker.next('invoke');
    expect(invoke).to.deep.include({ step: 'A', input: { method: 'GET', path: '/a', headers: { cookie: 'id=1' } }, attempt: 1 });
    worker.send({ type: 'result', id: invoke.id, ms: 1, http: { status: 201 } });
    await until(() => telemetry.spans.some(({ name }) => name === 'replay A'));
    const [root, handler] = [telemetry.spans.find(({ name }) => name === 'replay A'), telemetry.spans.filter(({ name }) => name === 'handler A').at(-1)];
    expect([step, traceId === TRACE, handler?.traceId, handler?.parentSpanId]).to.deep.equal(['A', false, traceId, spanId]);
    expect(root).to.deep.include({ traceId, spanId, error: undefined, links: [`00-${TRACE}-${span}-01`], attributes: { 'step.name': 'A', 'step.trigger': 'http', 'replay.edited': false, 'http.response.status_code': 201 } });
    expect(await refusal('GET /inputs/:span', { params: { span: handler?.spanId } }), 'a replay can be replayed').to.equal('it was not refused');
  });

  it('takes another input, and tells in the root how it failed', async () => {
    await begin('development');
    const span = await run({ message: { messageId: 'm1', enqueuedAt: 5, headers: '{"x":"y"}' } });
    const { traceId, spanId } = await ask('POST /replay', { body: { span, input: '{"n":9007199254740993}' } }) as { traceId: string; spanId: string };
    const invoke = await worker.next('invoke');
    expect(invoke.message).to.deep.include({ id: `replay-${spanId}`, headers: { x: 'y' } });
    worker.send({ type: 'error', id: invoke.id, code: 'handler_error', name: 'TypeError', message: 'no' });
    await until(() => telemetry.spans.some(({ name }) => name === 'replay A'));
    expect(telemetry.spans.find(({ name }) => name === 'replay A')).to.deep.include({ traceId, error: { type: 'TypeError', message: 'no' } });
    const again = telemetry.spans.filter(({ name }) => name === 'handler A').at(-1)?.spanId ?? '';
    const answer = await steps.routes.get('GET /inputs/:span')?.({ params: { span: again }, query: {}, body: undefined }) as AdminStream;
    expect([...answer.pieces].join('')).to.contain('9007199254740993');
  });

  it('says what cannot be run again and why', async () => {
    await begin('development');
    const span = await run();
    expect(await refusal('POST /replay', { body: { span: ABOVE } })).to.equal('404 not_recorded');
    expect(await refusal('POST /replay', { body: {} })).to.equal('400 invalid_argument');
    expect(await refusal('POST /replay', { body: { span, input: 1 } })).to.equal('400 invalid_argument');
    expect(await refusal('POST /replay', { body: { span, input: '{' } })).to.equal('400 invalid_argument');
    worker.register({ B: '/b' });
    await until(() => steps.dispatch.invoker.servers('B') > 0);
    expect(await refusal('POST /replay', { body: { span } })).to.equal('409 trigger_gone');
    const large = await (async () => {
      worker.register({ A: '/a' });
      await until(() => steps.dispatch.invoker.servers('A') > 0);
      return run({ input: { text: 'x'.repeat(LONGEST_INPUT) } });
    })();
    expect(await refusal('GET /inputs/:span', { params: { span: large } })).to.equal('404 not_recorded');
  });

  it('records nothing in production unless it is told to', async () => {
    await begin('production');
    const span = await run();
    expect(await refusal('GET /inputs/:span', { params: { span } })).to.equal('404 not_recorded');
    await steps.stop();
    await begin('production', { record_inputs: true });
    const kept = await run();
    expect(await refusal('GET /inputs/:span', { params: { span: kept } })).to.equal('it was not refused');
  });

  it('keeps a bounded number of inputs', async () => {
    await begin('production');
    const inputs = new RecordedInputs();
    for (let at = 0; at < 6_000; at += 1) inputs.note(String(at), request());
    expect([inputs.get('999'), inputs.get('1000')?.step]).to.deep.equal([undefined, 'A']);
    for (let at = 0; at < 260; at += 1) inputs.note(`large ${at}`, request({ input: { text: 'x'.repeat(LONGEST_INPUT - 100) } }));
    expect([inputs.get('5999'), inputs.get('large 259')?.step]).to.deep.equal([undefined, 'A']);
  });
});
