import { type InvokeRequest, StepFailure, WrittenJson } from '@treadle/api';
import { expect } from 'chai';
import { type Handle, type Rig, startRig, stepRecord } from '../queue-rig.fixture.js';

interface Letter {
  readonly id: string; readonly step: string; readonly reason: string; readonly attempts: number; readonly deaths: number; readonly data: unknown;
  readonly traceId: string; readonly errors: readonly { readonly code: string; readonly message: string; readonly stack?: string; readonly attempt: number; readonly issues?: readonly object[] }[];
}

describe('a delivery that fails', () => {
  let rig: Rig;
  afterEach(async () => { await rig.test.stop(); });
  const start = async (handler: Handle, trigger: object = {}): Promise<void> => {
    rig = await startRig({ steps: [stepRecord('A', [{ type: 'queue', topic: 't', ...trigger }])], handlers: { A: handler } });
  };
  const letters = async (): Promise<readonly Letter[]> => (await rig.admin('GET', '/dead-letters') as { items: Letter[] }).items;
  const waiting = async (): Promise<object> => (await rig.admin('GET', '/') as { items: object[] }).items[0] as object;
  const fail = (detail: object, code: StepFailure['code'] = 'unhandled_exception') => (): never => { throw new StepFailure(code, 'no', detail); };

  it('is dead at once when the handler says that it is not to be tried again', async () => {
    await start(fail({ nonRetryable: true }));
    await rig.send('t', 1);
    await rig.clock.advance(0);
    expect((await letters())[0]).to.include({ reason: 'non_retryable', attempts: 1 });
  });

  it('is logged in the trace and the name of its Step, with what becomes of it', async () => {
    await start((_input, { attempt }) => fail(attempt === 1 ? { errorName: 'Error' } : { nonRetryable: true })(), { config: { backoff: { jitter: 0 } } });
    const messageId = await rig.send('t', 1);
    await rig.clock.advance(1_000);
    const [letter] = await letters();
    const told = rig.test.logs.filter(({ stepName }) => stepName === 'A');
    expect(told.map(({ level, message, traceId }) => [level, message, traceId])).to.deep.equal([
      ['warn', 'a handler failed; its message will be delivered again', letter?.traceId], ['error', 'a message became a dead letter', letter?.traceId],
    ]);
    expect(told[0]?.fields).to.include({ messageId, topic: 't', attempts: 1, code: 'unhandled_exception', error: 'no', errorName: 'Error' });
    expect(told[1]?.fields).to.include({ messageId, topic: 't', attempts: 2, reason: 'non_retryable' });
  });

  it('comes again when the handler wants it', async () => {
    const attempts: number[] = [];
    await start((_input, { attempt }) => {
      attempts.push(attempt);
      if (attempt === 1) fail({ retryAfterMs: 5_000 })();
    });
    await rig.send('t', 1);
    await rig.clock.advance(4_999);
    expect(attempts).to.deep.equal([1]);
    expect(await waiting()).to.include({ retrying: 1, waiting: 0 });
    await rig.clock.advance(1);
    expect(attempts).to.deep.equal([1, 2]);
  });

  it('is dead at once when it breaks the schema, in the engine or in the worker', async () => {
    const seen: unknown[] = [];
    await start((input) => {
      seen.push(input);
      fail({ issues: [{ in: 'input', path: 'n', message: 'odd', code: 'custom' }] }, 'validation_failed')();
    }, { input: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } });
    await rig.send('t', { n: 'text' });
    await rig.send('t', { n: 1 });
    await rig.clock.advance(0);
    expect(seen).to.deep.equal([{ n: 1 }]);
    const [worker, engine] = await letters();
    expect(engine).to.include({ reason: 'invalid_input', attempts: 0 });
    expect(engine?.errors[0]).to.include({ code: 'validation_failed', message: 'the message fails its schema: n: must be integer' });
    expect(worker).to.include({ reason: 'invalid_input', attempts: 1 });
  });

  it('counts as processed when the condition is not met', async () => {
    await start(fail({}, 'condition_not_met'));
    await rig.send('t', 1);
    await rig.clock.advance(0);
    expect(await waiting()).to.include({ waiting: 0, active: 0, dead: 0 });
  });

  it('is dead after five deaths of its worker, which are no attempts, and runs alone from the second on', async () => {
    const seen: [attempt: number, exclusive: boolean | undefined][] = [];
    await start((_input, { attempt, exclusive }: InvokeRequest) => {
      seen.push([attempt, exclusive]);
      fail({ workerDied: true }, 'worker_lost')();
    });
    await rig.send('t', 1);
    await rig.clock.advance(0);
    expect(seen).to.deep.equal([[1, false], [1, false], [1, true], [1, true], [1, true]]);
    expect((await letters())[0]).to.include({ reason: 'crash_limit', attempts: 0, deaths: 5 });
    expect((await letters())[0]?.errors).to.have.length(5);
  });

  it('keeps its last ten errors with stacks of at most 8 KB', async () => {
    await start((_input, { attempt }) => fail({ stack: 'x'.repeat(20_000), errorName: `E${attempt}` })(), { config: { maxAttempts: 12, backoff: { delayMs: 0 } } });
    await rig.send('t', 1);
    for (let n = 0; n < 20; n++) await rig.clock.advance(1);
    const [letter] = await letters();
    expect(letter?.errors.map(({ attempt }) => attempt)).to.deep.equal([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(letter?.errors[0]?.stack).to.have.length(8_192);
  });

  it('keeps no secrets of its errors', async () => {
    const text = `cannot reach https://ada:hunter2@db.test, password=hunter2 ${'x'.repeat(8_100)} Bearer abcdefgh-${'y'.repeat(500)}`;
    await start(() => { throw new StepFailure('unhandled_exception', text.slice(0, 100), { nonRetryable: true, stack: text }); });
    await rig.send('t', 1);
    await rig.clock.advance(0);
    const [{ message, stack = '' } = { message: '' }] = (await letters())[0]?.errors ?? [];
    expect(message).to.match(/^cannot reach https:\/\/\[redacted\]@db\.test, password=\[redacted\] xxx/);
    expect(stack.startsWith(message)).to.equal(true);
    // The credential begins before the place where the stack is cut, and ends behind it.
    expect(stack).to.match(/x Bearer \[reda/).and.not.contain('yy');
  });

  it('keeps no secrets of the issues that a schema found, whose texts may repeat values', async () => {
    const issue = (path: string, message: string): object => ({ in: 'input', path, message, code: 'custom' });
    await start(fail({ issues: [issue('url', 'no database: https://ada:hunter2@db.test'), issue('login.apiKey', 'expected 20 characters, received "hunter2"'), issue('n', 'odd')] }, 'validation_failed'));
    await rig.send('t', 1);
    await rig.clock.advance(0);
    expect((await letters())[0]?.errors[0]?.issues).to.deep.equal([
      issue('url', 'no database: https://[redacted]@db.test'), issue('login.apiKey', '[redacted]'), issue('n', 'odd'),
    ]);
  });

  it('does not keep others waiting while its group is blocked until it succeeds', async () => {
    const seen: string[] = [];
    await start((input, { attempt }) => {
      seen.push(`${String(input)}.${attempt}`);
      if (input === 'a1' && attempt < 3) throw new Error('again');
    }, { config: { type: 'fifo', backoff: { delayMs: 10, factor: 1 } } });
    for (const text of ['a1', 'a2', 'b1', 'b2']) await rig.send('t', text, { messageGroupId: text[0] as string });
    await rig.clock.advance(0);
    expect(seen).to.deep.equal(['a1.1', 'b1.1', 'b2.1']);
    await rig.clock.advance(100);
    expect(seen.slice(3)).to.deep.equal(['a1.2', 'a1.3', 'a2.1']);
  });

  it('cannot be put back to a Step that does not consume its topic', async () => {
    rig = await startRig({ steps: [stepRecord('A', ['t']), stepRecord('B', ['u'])], handlers: { A: fail({ nonRetryable: true }), B: () => undefined } });
    await rig.send('t', 1);
    await rig.clock.advance(0);
    const refused = await rig.admin('POST', '/dead-letters/redrive', { body: { all: true, toStep: 'B' } }).then(() => undefined, (error: Error) => error);
    expect(refused).to.include({ status: 404, message: 'Step "B" consumes the topic of none of these dead letters' });
    expect(await rig.admin('POST', '/dead-letters/redrive', { body: { topic: 'z', toStep: 'B' } }), 'there are none').to.deep.equal({ redriven: 0 });
    expect(await letters()).to.have.length(1);
  });
});

describe('a loop of triggers', () => {
  it('is cut after 100 of them; messages to topics pass the count on', async () => {
    const rig = await startRig({ steps: [stepRecord('A', ['t', { type: 'state', group: 'g' }], ['t'])] });
    const seen: (number | undefined)[] = [];
    const worker = rig.worker({ A: (_input, { hops }) => { seen.push(hops); } });
    const pending = [100, 101].map((hops) => ({
      id: `c${hops}`, subject: { kind: 'state', group: 'g', key: 'k' } as const, input: new WrittenJson(JSON.stringify({ type: 'update', group: 'g', key: 'k', oldValue: 1, newValue: 2 })), bytes: 100,
      origin: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true, hops: hops - 1 },
    }));
    rig.port.attachChanges({ kind: 'state', pending: async () => pending.slice(), settle: async (ids) => { pending.splice(0, ids.length); } });
    await rig.port.enqueue([{ topic: 't', data: 1 }], { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true, hops: 500 });
    await rig.clock.advance(0);
    expect(seen.sort()).to.deep.equal([100, 500]);
    const { items } = await rig.admin('GET', '/dead-letters') as { items: Letter[] };
    expect(items.map(({ reason, step }) => [reason, step])).to.deep.equal([['loop_limit', 'A']]);
    expect(worker.held.size).to.equal(0);
    await rig.test.stop();
  });
});
