import { fakeClock, type FakeClock } from '@treadle/testing';
import { expect } from 'chai';
import type { StepFailure } from '@treadle/api';
import { HELLO, request, TestSteps, type TestWorker, until } from '../steps.fixture.js';
import { Withdrawals } from './withdrawals.js';

describe('Withdrawals', () => {
  let clock: FakeClock;
  let withdrawals: Withdrawals;
  let told: string[];
  const ask = (id: number): void => withdrawals.ask(id, (what) => void told.push(`${id} ${what}`));

  beforeEach(() => {
    clock = fakeClock();
    withdrawals = new Withdrawals(clock);
    told = [];
  });

  it('ask in one frame a turn and tell each answer once', async () => {
    const frames: string[] = [];
    withdrawals.connect((frame) => void frames.push(String(frame)));
    ask(1);
    ask(2);
    await new Promise((resolve) => { setImmediate(resolve); });
    expect(frames).to.deep.equal(['[{"type":"withdraw","id":1},{"type":"withdraw","id":2}]']);
    for (const [id, what] of [[2, 'withdrawn'], [1, 'begun'], [2, 'begun'], [9, 'ended']] as const) withdrawals.settle(id, what);
    expect([told, clock.pending]).to.deep.equal([['2 withdrawn', '1 begun'], 0]);
  });

  const connect = (): { frames: string[]; disconnect: () => void } => {
    const frames: string[] = [];
    return { frames, disconnect: withdrawals.connect((frame) => void frames.push(String(frame))) };
  };
  const turn = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve); });
  const QUESTION = '[{"type":"withdraw","id":1}]';

  it('achieve nothing when there is nobody to ask, nobody answers within 2 s, or the session is over', async () => {
    ask(1);
    connect();
    ask(2);
    await clock.advance(2_000);
    expect(told).to.deep.equal(['1 begun', '2 begun']);
    ask(3);
    withdrawals.close();
    ask(4);
    expect([told.slice(2), clock.pending]).to.deep.equal([['3 begun', '4 begun'], 0]);
  });

  it('wait for the first connection when one is expected', async () => {
    withdrawals = new Withdrawals(clock, true);
    ask(1);
    await clock.advance(1_999);
    const { frames } = connect();
    await turn();
    withdrawals.settle(1, 'withdrawn');
    expect([frames, told]).to.deep.equal([[QUESTION], ['1 withdrawn']]);
  });

  it('are asked for again when the connection was lost and came back', async () => {
    const first = connect();
    ask(1);
    await turn();
    first.disconnect();
    await clock.advance(1_000);
    const second = connect();
    await turn();
    expect([first.frames, second.frames, told]).to.deep.equal([[QUESTION], [QUESTION], []]);
    withdrawals.settle(1, 'withdrawn');
    expect([told, clock.pending]).to.deep.equal([['1 withdrawn'], 0]);
  });

  it('go through the newest connection, and through the other one when that ends', async () => {
    const [old, other] = [connect(), connect()];
    ask(1);
    await turn();
    expect([old.frames, other.frames]).to.deep.equal([[], [QUESTION]]);
    other.disconnect();
    await turn();
    expect(old.frames).to.deep.equal([QUESTION]);
    withdrawals.settle(1, 'withdrawn');
    expect(told).to.deep.equal(['1 withdrawn']);
  });

  it('do not mind when an older connection ends', async () => {
    const [old, other] = [connect(), connect()];
    ask(1);
    old.disconnect();
    await turn();
    expect(other.frames).to.deep.equal([QUESTION]);
  });

  it('tell everybody who asks for the same one', () => {
    connect();
    ask(1);
    ask(1);
    withdrawals.settle(1, 'withdrawn');
    expect([told, clock.pending]).to.deep.equal([['1 withdrawn', '1 withdrawn'], 0]);
  });
});

describe('a worker that is asked what it has not begun', () => {
  let steps: TestSteps;
  let worker: TestWorker;
  let heartbeat: TestWorker;
  beforeEach(async () => {
    steps = await TestSteps.start();
    worker = await steps.worker({ A: '/a' });
    heartbeat = await steps.connect();
  });
  afterEach(() => steps.stop());

  const join = async (more: object): Promise<void> => {
    heartbeat.send({ ...HELLO, role: 'heartbeat', token: await steps.token(), session: worker.session, ...more });
    await heartbeat.next('welcome');
  };
  const deliver = (timeoutMs = 100): { code: string; done: boolean } => {
    const end = { code: '', done: false };
    steps.dispatch.invoker.start(request({ lane: 'delivery', timeoutMs, waitMs: 10_000 }), {
      succeeded: () => { end.done = true; }, failed: ({ code, detail }: StepFailure) => { end.code = `${code}${detail.workerDied === true ? ' died' : ''}`; },
    });
    return end;
  };

  it('gets what it gave back again once it has caught up, under another id', async () => {
    await join({ withdraws: true });
    const delivery = deliver();
    const { id } = await worker.next('invoke');
    expect(await heartbeat.next('withdraw')).to.deep.equal({ type: 'withdraw', id });
    heartbeat.send({ type: 'withdrawal', id, done: true });
    await worker.next('ping');
    worker.send({ type: 'result', id }, { type: 'pong' });
    const again = await worker.next('invoke');
    expect([again.id > id, again.attempt, delivery]).to.deep.equal([true, 1, { code: '', done: false }]);
    worker.send({ type: 'result', id: again.id });
    await until(() => delivery.done);
  });

  it('is told that the time is over of what it has begun', async () => {
    await join({ withdraws: true });
    const delivery = deliver();
    const { id } = await heartbeat.next('withdraw');
    heartbeat.send({ type: 'withdrawal', id, done: false });
    expect(await worker.next('cancel')).to.deep.equal({ type: 'cancel', id, reason: 'timeout' });
    expect(delivery.code).to.equal('handler_timeout');
  });

  it('is waited for when the handler has ended and its answer is held up', async () => {
    await join({ withdraws: true });
    const delivery = deliver();
    const { id } = await heartbeat.next('withdraw');
    heartbeat.send({ type: 'withdrawal', id, done: false, ended: true });
    worker.send({ type: 'result', id });
    await until(() => delivery.done);
    expect(worker.received.filter(({ type }) => type === 'cancel')).to.deep.equal([]);
  });

  it('gives back what it has not begun before it is given up', async () => {
    await join({ withdraws: true });
    const [culprit, innocent] = [deliver(60_000), deliver(60_000)];
    await worker.next('invoke');
    const other = await steps.worker({ A: '/a' });
    // Once is not enough: what was heard on the main connection right before says that nothing blocks it.
    await until(() => {
      heartbeat.send({ type: 'alive', loopDelayMs: 20_000 });
      return heartbeat.received.some(({ type }) => type === 'withdraw');
    });
    const { id } = await heartbeat.next('withdraw');
    heartbeat.send({ type: 'withdrawal', id, done: false }, { type: 'withdrawal', id: id + 1, done: true });
    const again = await other.next('invoke');
    expect(again.attempt).to.equal(1);
    expect(await worker.closed).to.equal(1001);
    expect([culprit, innocent]).to.deep.equal([{ code: 'worker_lost died', done: false }, { code: '', done: false }]);
    other.send({ type: 'result', id: again.id });
    await until(() => innocent.done);
  });

  it('is not asked when its heartbeat does not say that it answers', async () => {
    await join({});
    const delivery = deliver();
    await worker.next('cancel');
    expect([delivery.code, heartbeat.received]).to.deep.equal(['handler_timeout', []]);
  });

  for (const [name, message] of [['without id', { type: 'withdrawal', done: true }], ['that says nothing', { type: 'withdrawal', id: 1 }],
    ['that says too much', { type: 'withdrawal', id: 1, done: false, ended: 1 }]] as const) {
    it(`loses its heartbeat with an answer ${name}`, async () => {
      await join({ withdraws: true });
      heartbeat.send(message);
      expect(await heartbeat.closed).to.equal(4004);
    });
  }
});
