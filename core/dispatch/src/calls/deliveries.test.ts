import { type Call, type SessionHandle, StepFailure } from '@treadle/api';
import { expect } from 'chai';
import { FakeSession, failure, request } from '../dispatch.fixture.js';
import { ManualClock } from '../manual-clock.fixture.js';
import { Dispatch } from '../dispatch.js';

describe('Dispatch, deliveries', () => {
  let clock: ManualClock;
  let dispatch: Dispatch;
  beforeEach(() => {
    clock = new ManualClock();
    dispatch = new Dispatch({ clock, kinds: [], operations: [], service: 's', log: { write: () => undefined } });
  });

  const attach = (id: string, steps: string[]): { session: FakeSession; handle: SessionHandle } => {
    const session = new FakeSession(id);
    const handle = dispatch.sessions.attach(session);
    handle.serve(steps);
    return { session, handle };
  };
  /** Starts one; its text when it has ended. */
  const deliver = (step: string, over: object = {}): { outcome: string } => {
    const started = { outcome: '' };
    dispatch.invoker.invoke(request({ step, lane: 'delivery', waitMs: 1000, ...over })).then(
      () => { started.outcome = 'done'; }, (error: unknown) => { started.outcome = (error as StepFailure).code; });
    return started;
  };
  const alone = (step: string, over: object = {}): { outcome: string } => deliver(step, { exclusive: true, ...over });
  const running = (session: FakeSession): string[] => session.calls.filter((call) => !call.settled).map((call) => call.request.step);
  const end = (session: FakeSession, index: number): void => (session.calls[index] as Call).succeed({});
  const settle = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve); });

  describe('that are given up while they run', () => {
    /** Started, given up, and then ended as `end` does. */
    const givenUp = async (step: string, endIt: (call: Call, handle: SessionHandle) => void): Promise<string> => {
      const { session, handle } = attach(step, [step]);
      const unwanted = request({ step, lane: 'delivery' });
      const answer = dispatch.invoker.invoke(unwanted).then(() => 'done', ({ code }: StepFailure) => code);
      dispatch.invoker.cancel(unwanted, 'drain');
      expect(session.cancelled).to.have.length(1);
      endIt(session.calls[0] as Call, handle);
      expect(dispatch.invoker.running).to.equal(0);
      return answer;
    };

    it('are done when their handler had ended, else handed back: by their failure, with their process, and in any case soon', async () => {
      expect(await givenUp('A', (call) => call.succeed({}))).to.equal('done');
      expect(await givenUp('B', (call) => call.fail(new StepFailure('unhandled_exception', 'aborted')))).to.equal('cancelled');
      expect(await givenUp('C', (_call, handle) => handle.lost('gone', true))).to.equal('cancelled');
      expect(await givenUp('D', () => clock.advance(150))).to.equal('cancelled');
      expect(await givenUp('E', () => dispatch.invoker.cancelAll())).to.equal('cancelled');
    });
  });

  describe('that wait for a busy worker', () => {
    it('are not bounded in number, and do not keep requests of the Step from waiting or running', async () => {
      const { session } = attach('1', ['A']);
      const all = Array.from({ length: 400 }, () => deliver('A'));
      void dispatch.invoker.invoke(request());
      expect(session.calls).to.have.length(101);
      for (let i = 0; i < 401; i++) end(session, i);
      await settle();
      expect(all.every(({ outcome }) => outcome === 'done')).to.equal(true);
      expect(clock.pending).to.be.lessThan(3);
    });

    it('go on in the order in which they came, whatever their Steps', () => {
      const { session } = attach('1', ['A', 'B']);
      for (let i = 0; i < 100; i++) deliver('A');
      for (const step of ['A', 'B', 'A', 'B']) deliver(step);
      for (let i = 0; i < 4; i++) end(session, i);
      expect(session.calls.slice(100).map((call) => call.request.step)).to.deep.equal(['A', 'B', 'A', 'B']);
    });

    it('give up when their time is over', async () => {
      attach('1', ['A']);
      for (let i = 0; i < 100; i++) deliver('A', { timeoutMs: 60_000 });
      const late = deliver('A');
      clock.advance(1000);
      await settle();
      expect(late.outcome).to.equal('overloaded');
    });
  });

  describe('that must run alone', () => {
    it('run at once in a worker without deliveries, and let none begin beside them', () => {
      const { session } = attach('1', ['A', 'B']);
      alone('A');
      deliver('B');
      void dispatch.invoker.invoke(request({ step: 'B' }));
      expect(running(session)).to.deep.equal(['A', 'B']);
      expect(session.calls.map((call) => call.request.lane)).to.deep.equal(['delivery', 'request']);
      end(session, 0);
      expect(session.calls.map((call) => call.request.lane)).to.deep.equal(['delivery', 'request', 'delivery']);
    });

    it('reserve a worker: it gets no further delivery until those that run have ended', () => {
      const { session } = attach('1', ['A', 'B']);
      deliver('B');
      deliver('B');
      alone('A');
      deliver('B');
      expect(running(session)).to.deep.equal(['B', 'B']);
      end(session, 0);
      expect(running(session)).to.deep.equal(['B']);
      end(session, 1);
      expect(running(session)).to.deep.equal(['A']);
      end(session, 2);
      expect(running(session)).to.deep.equal(['B']);
    });

    it('take the worker with the fewest deliveries and leave the others alone', () => {
      const one = attach('1', ['A']);
      const two = attach('2', ['A']);
      for (let i = 0; i < 3; i++) deliver('A');
      alone('A');
      deliver('A');
      deliver('A');
      expect([running(one.session).length, running(two.session).length]).to.deep.equal([4, 1]);
      end(two.session, 0);
      expect(two.session.calls.at(-1)?.request.exclusive).to.equal(true);
    });

    it('wait for each other, with deliveries that came meanwhile in between', () => {
      const { session } = attach('1', ['A', 'B']);
      alone('A');
      alone('A');
      deliver('B');
      end(session, 0);
      expect(running(session)).to.deep.equal(['B']);
      end(session, 1);
      expect(running(session)).to.deep.equal(['A']);
    });

    it('give the worker back when their time is over or they are cancelled', async () => {
      const { session } = attach('1', ['A']);
      deliver('A', { timeoutMs: 60_000 });
      const late = alone('A');
      deliver('A', { waitMs: 5000 });
      expect(running(session)).to.have.length(1);
      clock.advance(1000);
      await settle();
      expect(late.outcome).to.equal('overloaded');
      expect(running(session)).to.have.length(2);
      const unwanted = request({ lane: 'delivery', waitMs: 1000, exclusive: true });
      const answer = failure(dispatch.invoker.invoke(unwanted));
      deliver('A');
      dispatch.invoker.cancel(unwanted, 'drain');
      expect((await answer).code).to.equal('cancelled');
      expect(running(session)).to.have.length(3);
    });

    it('look for another worker when the reserved one leaves, dies, or serves their Step no more', () => {
      const ways = [
        (handle: SessionHandle): void => handle.retire(),
        (handle: SessionHandle): void => handle.lost('gone', true),
        (handle: SessionHandle): void => handle.serve(['B']),
      ];
      for (const [index, leave] of ways.entries()) {
        const step = `A${index}`;
        const one = attach(`one ${index}`, [step, 'B']);
        deliver(step);
        alone(step);
        const two = attach(`two ${index}`, [step]);
        expect(running(two.session)).to.deep.equal([]);
        leave(one.handle);
        expect(running(two.session)).to.deep.equal([step]);
        one.handle.lost('end of this round');
      }
    });

    it('wait for a worker when there is none, and are refused when the dispatch closes', async () => {
      const first = alone('A');
      const { session } = attach('1', ['A']);
      expect(running(session)).to.deep.equal(['A']);
      const second = alone('A');
      dispatch.invoker.close();
      await settle();
      expect([first.outcome, second.outcome]).to.deep.equal(['', 'draining']);
    });

    it('fail at once without time to wait', async () => {
      attach('1', ['A']);
      deliver('A');
      const refused = alone('A', { waitMs: 0 });
      await settle();
      expect(refused.outcome).to.equal('overloaded');
    });
  });

  it('tell when their worker died, and when it was only lost', async () => {
    const died = attach('1', ['A']);
    const one = failure(dispatch.invoker.invoke(request({ lane: 'delivery' })));
    died.handle.lost('connection closed (1006)', true);
    const lost = attach('2', ['A']);
    const two = failure(dispatch.invoker.invoke(request({ lane: 'delivery' })));
    lost.handle.lost('unresponsive for 15 s');
    expect([(await one).detail.workerDied, (await two).detail.workerDied]).to.deep.equal([true, false]);
  });

  it('begin and end by what serves a Step: told once for each change, and not when an unchanged Step is registered again', () => {
    const told: string[] = [];
    dispatch.invoker.onServing((step, servers) => told.push(`${step} ${servers}`));
    const one = attach('1', ['A', 'B']);
    one.handle.serve(['B', 'A']);
    const two = attach('2', ['A']);
    one.handle.serve(['B', 'C']);
    two.handle.retire();
    one.handle.lost('gone');
    expect(told).to.deep.equal(['A 1', 'B 1', 'C 1', 'A 0', 'B 0', 'C 0']);
  });
});
