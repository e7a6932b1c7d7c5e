import type { Call, CallWatcher, SessionHandle, StepFailure, Withdrawal } from '@treadle/api';
import { expect } from 'chai';
import { FakeSession, request } from '../dispatch.fixture.js';
import { ManualClock } from '../manual-clock.fixture.js';
import { Dispatch } from '../dispatch.js';

/** A worker whose second thread is asked what the first has begun; the test answers. */
class AskedSession extends FakeSession {
  readonly asked: { readonly id: number; readonly told: (what: Withdrawal) => void }[] = [];
  withdraw(call: Call, told: (what: Withdrawal) => void): void { this.asked.push({ id: call.id, told }); }
}

describe('Dispatch, a delivery whose time is over', () => {
  let clock: ManualClock;
  let dispatch: Dispatch;
  beforeEach(() => {
    clock = new ManualClock();
    dispatch = new Dispatch({ clock, kinds: [], operations: [], service: 's', log: { write: () => undefined } });
  });

  const attach = (id: string, steps = ['A']): { session: AskedSession; handle: SessionHandle } => {
    const session = new AskedSession(id);
    const handle = dispatch.sessions.attach(session);
    handle.serve(steps);
    return { session, handle };
  };
  const deliver = (over: object = {}): { outcome: string } => {
    const started = { outcome: '' };
    dispatch.invoker.start(request({ lane: 'delivery', waitMs: 10_000, ...over }), {
      succeeded: () => { started.outcome += 'done'; },
      failed: ({ code, detail: { workerDied = false } }: StepFailure) => { started.outcome += `${code}${workerDied ? ' died' : ''}`; },
    });
    return started;
  };
  const tell = (session: AskedSession, what: Withdrawal): void => session.asked.shift()?.told(what);

  it('fails when its handler has begun', () => {
    const { session } = attach('1');
    const slow = deliver();
    clock.advance(1000);
    expect([slow.outcome, session.asked.map(({ id }) => id), session.cancelled]).to.deep.equal(['', [1], []]);
    tell(session, 'begun');
    expect([slow.outcome, session.cancelled, dispatch.invoker.running]).to.deep.equal(['handler_timeout', ['1 timeout'], 0]);
  });

  it('goes to another worker when its handler has not begun, as the same attempt and with its whole time', () => {
    const { session } = attach('1');
    const other = new AskedSession('2');
    const innocent = deliver({ attempt: 3 });
    dispatch.sessions.attach(other).serve(['A']);
    clock.advance(1000);
    tell(session, 'withdrawn');
    expect([innocent.outcome, dispatch.invoker.running, session.cancelled]).to.deep.equal(['', 1, []]);
    const [again] = other.calls as [Call];
    expect([again.request.attempt, again.id]).to.deep.equal([3, 2]);
    clock.advance(999);
    expect(other.asked).to.deep.equal([]);
    again.succeed({});
    expect([innocent.outcome, dispatch.invoker.running]).to.deep.equal(['done', 0]);
  });

  it('shows that its worker is blocked: requests go to another one as long as there is one', () => {
    const { session, handle } = attach('1');
    deliver();
    clock.advance(1000);
    tell(session, 'withdrawn');
    const { session: other } = attach('2');
    const ask = (): void => dispatch.invoker.start(request(), { succeeded: () => undefined, failed: () => undefined });
    for (let n = 0; n < 3; n++) ask();
    expect([session, other].map(({ calls }) => calls.map(({ request: { lane } }) => lane))).to.deep.equal([['delivery'], ['delivery', 'request', 'request', 'request']]);
    handle.caughtUp();
    ask();
    expect(session.calls).to.have.length(2);
  });

  it('waits for its worker when there is no other, which gets no delivery until it has caught up', () => {
    const { session, handle } = attach('1');
    const [first, second] = [deliver(), deliver()];
    clock.advance(1000);
    tell(session, 'begun');
    tell(session, 'withdrawn');
    const third = deliver();
    dispatch.invoker.start(request(), { succeeded: () => undefined, failed: () => undefined });
    expect(session.calls.map((call) => `${call.id} ${call.request.lane}`)).to.deep.equal(['1 delivery', '2 delivery', '3 request']);
    handle.caughtUp();
    expect(session.calls.slice(3).map(({ id }) => id)).to.deep.equal([4, 5]);
    for (const call of session.calls) call.succeed({});
    expect([first.outcome, second.outcome, third.outcome]).to.deep.equal(['handler_timeout', 'done', 'done']);
  });

  it('finds no worker in the end when none catches up', () => {
    const { session } = attach('1');
    const innocent = deliver();
    clock.advance(1000);
    tell(session, 'withdrawn');
    clock.advance(10_000);
    expect([innocent.outcome, dispatch.invoker.running]).to.deep.equal(['overloaded', 0]);
  });

  it('must run alone elsewhere, too', () => {
    const { session, handle } = attach('1');
    const innocent = deliver({ exclusive: true });
    clock.advance(1000);
    tell(session, 'withdrawn');
    const other = deliver({ waitMs: 60_000 });
    expect(session.calls).to.have.length(1);
    handle.caughtUp();
    expect(session.calls.map((call) => call.request.exclusive ?? false)).to.deep.equal([true, true]);
    session.calls[1]?.succeed({});
    session.calls[2]?.succeed({});
    expect([innocent.outcome, other.outcome]).to.deep.equal(['done', 'done']);
  });

  it('loses the reservation of what must run alone: another worker gets that', () => {
    const { session, handle } = attach('1');
    const innocent = deliver();
    const alone = deliver({ exclusive: true, waitMs: 60_000 });
    clock.advance(1000);
    tell(session, 'withdrawn');
    const { session: other } = attach('2');
    expect(other.calls.map(({ request: { exclusive } }) => exclusive)).to.deep.equal([true]);
    other.calls[0]?.succeed({});
    other.calls[1]?.succeed({});
    handle.caughtUp();
    expect([alone.outcome, innocent.outcome, session.calls.length, dispatch.invoker.running]).to.deep.equal(['done', 'done', 1, 0]);
  });

  it('keeps what became of it while the question was under way', () => {
    const { session, handle } = attach('1');
    const unwanted = request({ lane: 'delivery' });
    const ends = [deliver(), deliver()];
    let cancelled = '';
    dispatch.invoker.start(unwanted, { succeeded: () => undefined, failed: ({ code }) => { cancelled = code; } });
    clock.advance(1000);
    session.calls[0]?.succeed({});
    dispatch.invoker.cancel(unwanted, 'drain');
    handle.lost('gone');
    for (const what of ['begun', 'withdrawn', 'withdrawn'] as const) tell(session, what);
    expect([...ends.map(({ outcome }) => outcome), cancelled]).to.deep.equal(['done', 'worker_lost', 'cancelled']);
    expect(dispatch.invoker.running).to.equal(0);
  });

  it('is cancelled soon when it was given up meanwhile, whatever the process says', async () => {
    const { session } = attach('1');
    const codes: string[] = [];
    for (const what of ['ended', 'begun'] as const) {
      const unwanted = request({ lane: 'delivery' });
      dispatch.invoker.start(unwanted, { succeeded: () => undefined, failed: ({ code }) => { codes.push(code); } });
      clock.advance(1000);
      dispatch.invoker.cancel(unwanted, 'drain');
      tell(session, what);
      expect(codes, 'it may have ended').to.have.length(what === 'ended' ? 0 : 1);
      clock.advance(150);
    }
    expect([codes, dispatch.invoker.running]).to.deep.equal([['cancelled', 'cancelled'], 0]);
  });

  it('begins nowhere else when it was given up meanwhile', () => {
    const { session } = attach('1');
    const { session: other } = attach('2');
    const unwanted = request({ lane: 'delivery' });
    const started = [session, other].map(({ calls }) => calls.length);
    let code = '';
    dispatch.invoker.start(unwanted, { succeeded: () => undefined, failed: (failure) => { code = failure.code; } });
    clock.advance(1000);
    dispatch.invoker.cancel(unwanted, 'drain');
    tell(session, 'withdrawn');
    expect([code, [session, other].reduce((sum, { calls }) => sum + calls.length, 0)]).to.deep.equal(['cancelled', (started[0] ?? 0) + (started[1] ?? 0) + 1]);
  });

  it('is handed back when the engine stops', () => {
    const { session } = attach('1');
    const innocent = deliver();
    clock.advance(1000);
    dispatch.invoker.close();
    tell(session, 'withdrawn');
    expect([innocent.outcome, dispatch.invoker.running, clock.pending]).to.deep.equal(['draining', 0, 0]);
  });

  it('keeps an engine that drains from ending as long as it goes on', async () => {
    const { session, handle } = attach('1');
    deliver();
    let over = false;
    const drained = dispatch.invoker.drained(new AbortController().signal).then(() => { over = true; });
    clock.advance(1000);
    tell(session, 'withdrawn');
    await Promise.resolve();
    expect(over).to.equal(false);
    handle.caughtUp();
    session.calls[1]?.succeed({});
    await drained;
  });

  it('was sent under an id above all that its worker had before, however long it waited for it', () => {
    const { session, handle } = attach('1');
    handle.serve([]);
    deliver();
    attach('2', ['B']);
    for (let n = 0; n < 100; n++) dispatch.invoker.start(request({ step: 'B' }), { succeeded: () => undefined, failed: () => undefined });
    handle.serve(['A']);
    expect(session.calls.map(({ id }) => id)).to.deep.equal([101]);
  });

  it('has no span of a handler that did not run', () => {
    const ended: number[] = [];
    dispatch.sessions.watch({ ended: (call) => void ended.push(call.id), spans: () => undefined, measurements: () => undefined } satisfies CallWatcher);
    const { session, handle } = attach('1');
    deliver();
    clock.advance(1000);
    tell(session, 'withdrawn');
    handle.caughtUp();
    session.calls[1]?.succeed({});
    expect(ended).to.deep.equal([2]);
  });

  it('has its answer when its handler has ended, however long another one holds that up', () => {
    const { session } = attach('1');
    const held = deliver();
    clock.advance(1000);
    tell(session, 'ended');
    clock.advance(19_999);
    session.calls[0]?.succeed({});
    expect([held.outcome, session.asked, session.cancelled, dispatch.invoker.running]).to.deep.equal(['done', [], [], 0]);
  });

  it('fails in the end when no answer comes of a handler that is said to have ended', () => {
    const { session } = attach('1');
    const lied = deliver();
    clock.advance(1000);
    tell(session, 'ended');
    clock.advance(20_000);
    expect([lied.outcome, session.asked, session.cancelled]).to.deep.equal(['handler_timeout', [], ['1 timeout']]);
    dispatch.invoker.close();
    expect(clock.pending).to.equal(0);
  });

  it('is not asked for when it is a request: that has its answer at once', () => {
    const { session } = attach('1');
    let code = '';
    dispatch.invoker.start(request(), { succeeded: () => undefined, failed: (failure) => { code = failure.code; } });
    clock.advance(1000);
    expect([code, session.asked, session.cancelled]).to.deep.equal(['handler_timeout', [], ['1 timeout']]);
  });

  describe('that its process is given up for a handler that blocks it', () => {
    it('begins elsewhere unless it has begun, and is blamed only while its handler runs', () => {
      const { session, handle } = attach('1');
      const [culprit, ended, innocent] = [deliver(), deliver(), deliver({ attempt: 3 })];
      let refused = '';
      dispatch.invoker.start(request(), { succeeded: () => undefined, failed: ({ code }) => { refused = code; } });
      let over = 0;
      handle.blocked('blocked', () => over++);
      deliver();
      expect([session.calls.length, session.asked.map(({ id }) => id), over]).to.deep.equal([4, [1, 2, 3], 0]);
      for (const what of ['begun', 'ended', 'withdrawn'] as const) tell(session, what);
      expect([culprit, ended, innocent].map(({ outcome }) => outcome)).to.deep.equal(['worker_lost died', 'worker_lost', '']);
      expect([refused, over, dispatch.invoker.running]).to.deep.equal(['worker_lost', 1, 2]);
      const { session: other } = attach('2');
      expect(other.calls.map((call) => call.request.attempt)).to.deep.equal([1, 3]);
    });

    it('is not waited for when there is none', () => {
      const { handle } = attach('1');
      let over = 0;
      handle.blocked('blocked', () => over++);
      expect([over, dispatch.invoker.servers('A')]).to.deep.equal([1, 0]);
    });

    it('counts as begun where nobody knows', () => {
      const handle = dispatch.sessions.attach(new FakeSession('1'));
      handle.serve(['A']);
      const lost = deliver();
      let over = 0;
      handle.blocked('blocked', () => over++);
      expect([lost.outcome, over]).to.deep.equal(['worker_lost died', 1]);
    });

    it('may end while it is asked for', () => {
      const { session, handle } = attach('1');
      const [done, failed] = [deliver(), deliver()];
      let over = 0;
      handle.blocked('blocked', () => over++);
      session.calls[0]?.succeed({});
      handle.lost('gone');
      for (const what of ['withdrawn', 'ended'] as const) tell(session, what);
      expect([done.outcome, failed.outcome, over, dispatch.invoker.running]).to.deep.equal(['done', 'worker_lost', 1, 0]);
    });
  });
});
