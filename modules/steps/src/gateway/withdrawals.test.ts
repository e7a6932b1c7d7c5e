import { fakeClock, type FakeClock } from '@treadle/testing';
import { expect } from 'chai';
import type { StepFailure } from '@treadle/api';
import { HELLO, request, TestSteps, type TestWorker, until } from '../steps.fixture.js';
import { Withdrawals } from './withdrawals.js';

describe('Withdrawals', () => {
  let clock: FakeClock;
  let withdrawals: Withdrawals;
  let told: string[];
  const ask = (id: number): void => withdrawals.ask(id, (done) => void told.push(`${id} ${done}`));

  beforeEach(() => {
    clock = fakeClock();
    withdrawals = new Withdrawals(clock);
    told = [];
  });

  it('ask in one frame a turn and tell each answer once', async () => {
    const frames: string[] = [];
    withdrawals.connect((frame) => void frames.push(frame));
    ask(1);
    ask(2);
    await new Promise((resolve) => { setImmediate(resolve); });
    expect(frames).to.deep.equal(['[{"type":"withdraw","id":1},{"type":"withdraw","id":2}]']);
    for (const [id, done] of [[2, true], [1, false], [2, false], [9, true]] as const) withdrawals.settle(id, done);
    expect([told, clock.pending]).to.deep.equal([['2 true', '1 false'], 0]);
  });

  it('achieve nothing when there is nobody to ask, nobody answers within 2 s, or the connection goes', async () => {
    ask(1);
    const disconnect = withdrawals.connect(() => undefined);
    ask(2);
    await clock.advance(2_000);
    expect(told).to.deep.equal(['1 false', '2 false']);
    ask(3);
    disconnect();
    expect([told.at(-1), clock.pending]).to.deep.equal(['3 false', 0]);
    ask(4);
    expect(told.at(-1)).to.equal('4 false');
  });

  it('go through the newest connection, whichever ends first', () => {
    const disconnect = withdrawals.connect(() => undefined);
    withdrawals.connect(() => undefined);
    ask(1);
    disconnect();
    withdrawals.settle(1, true);
    expect(told).to.deep.equal(['1 true']);
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
  const deliver = (): { code: string; done: boolean } => {
    const end = { code: '', done: false };
    steps.hub.start(request({ lane: 'delivery', timeoutMs: 100, waitMs: 10_000 }), {
      succeeded: () => { end.done = true; }, failed: (failure: StepFailure) => { end.code = failure.code; },
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

  it('is not asked when its heartbeat does not say that it answers', async () => {
    await join({});
    const delivery = deliver();
    await worker.next('cancel');
    expect([delivery.code, heartbeat.received]).to.deep.equal(['handler_timeout', []]);
  });

  for (const [name, message] of [['without id', { type: 'withdrawal', done: true }], ['that says nothing', { type: 'withdrawal', id: 1 }]] as const) {
    it(`loses its heartbeat with an answer ${name}`, async () => {
      await join({ withdraws: true });
      heartbeat.send(message);
      expect(await heartbeat.closed).to.equal(4004);
    });
  }
});
