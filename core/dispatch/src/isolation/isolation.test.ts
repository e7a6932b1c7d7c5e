import type { Call, SessionHandle, StepFailure, Withdrawal } from '@treadle/api';
import { expect } from 'chai';
import { FakeSession, request } from '../dispatch.fixture.js';
import { ManualClock } from '../manual-clock.fixture.js';
import { Dispatch } from '../dispatch.js';
import { APART_MS } from './isolation.js';

/** A worker whose second thread answers for the first, which has begun the calls of `begun` Steps. */
class HeldSession extends FakeSession {
  relieved = 0;
  begun: readonly string[] = [];
  probe = (): void => undefined;
  relieve = (): void => { this.relieved++; };
  withdraw(call: Call, told: (what: Withdrawal) => void): void { told(this.begun.includes(call.request.step) ? 'begun' : 'withdrawn'); }
}

describe('Dispatch, a handler that harms its process', () => {
  let clock: ManualClock;
  let dispatch: Dispatch;
  let logs: string[];
  beforeEach(() => {
    clock = new ManualClock();
    logs = [];
    dispatch = new Dispatch({ clock, kinds: [], operations: [], service: 's', log: { write: ({ message, fields }) => void logs.push(`${message}: ${String(fields?.['steps'])}`) } });
  });

  const attach = (id: string, ...begun: string[]): { session: HeldSession; handle: SessionHandle } => {
    const session = new HeldSession(id);
    session.begun = begun;
    const handle = dispatch.sessions.attach(session);
    handle.serve(['A', 'B', 'Bad']);
    return { session, handle };
  };
  const ask = (step: string, over: object = {}): { outcome: string } => {
    const asked = { outcome: '' };
    dispatch.invoker.start(request({ step, repeatable: true, timeoutMs: 60_000, ...over }), {
      succeeded: () => { asked.outcome += 'done'; }, failed: ({ code }: StepFailure) => { asked.outcome += code; },
    });
    return asked;
  };
  const steps = ({ calls }: FakeSession): string[] => calls.map(({ request: { step } }) => step);
  const answer = ({ calls }: FakeSession): void => { for (const call of [...calls]) if (!call.settled) call.succeed({}); };

  it('moves what has not begun, and what may be repeated, to a process that takes over', () => {
    const { session, handle } = attach('1', 'A', 'Bad');
    const [waits, bad, behind] = [ask('A'), ask('Bad'), ask('B')];
    handle.held();
    expect([session.relieved > 0, logs]).to.deep.equal([true, ['a Step blocks or ends its process: for 10 minutes other Steps run in another process: Bad']]);
    const { session: relief } = attach('2');
    expect(steps(relief)).to.have.members(['A', 'B']);
    expect(session.cancelled).to.deep.equal(['1 client_gone']);
    answer(relief);
    expect([waits, bad, behind].map(({ outcome }) => outcome)).to.deep.equal(['done', '', 'done']);
    answer(session);
    expect([bad.outcome, dispatch.invoker.running]).to.deep.equal(['done', 0]);
  });

  it('repeats nothing that may not be repeated', () => {
    const { session, handle } = attach('1', 'A', 'Bad');
    const waits = ask('A', { repeatable: false });
    ask('Bad');
    handle.held();
    const { session: relief } = attach('2');
    expect(steps(relief)).to.deep.equal([]);
    answer(session);
    expect(waits.outcome).to.equal('done');
  });

  it('keeps nobody apart where no handler has begun', () => {
    const { session, handle } = attach('1');
    ask('A');
    handle.held();
    expect([steps(session), dispatch.invoker.isolation.apart.has('A')]).to.deep.equal([['A', 'A'], false]);
    answer(session);
    expect(dispatch.invoker.running).to.equal(0);
  });

  it('keeps the Step apart for ten minutes, and serves it there', () => {
    const { session, handle } = attach('1', 'Bad');
    ask('Bad');
    handle.held();
    const { session: relief } = attach('2');
    answer(session);
    handle.caughtUp();
    for (const step of ['A', 'Bad', 'B', 'Bad']) ask(step);
    expect([steps(session), steps(relief)]).to.deep.equal([['Bad', 'Bad', 'Bad'], ['A', 'B']]);
    clock.advance(APART_MS);
    for (const step of ['A', 'B']) ask(step);
    expect(steps(relief).length).to.be.lessThan(4);
  });

  it('runs again what a dead process had, one Step after the other, until it is known which one ends it', () => {
    const first = attach('1');
    const [a, bad, b] = [ask('A'), ask('Bad'), ask('B')];
    first.handle.lost('signal SIGSEGV', true);
    expect([a, bad, b].map(({ outcome }) => outcome)).to.deep.equal(['', '', '']);
    const second = attach('2');
    expect(steps(second.session)).to.deep.equal(['A']);
    answer(second.session);
    expect(steps(second.session)).to.deep.equal(['A', 'Bad']);
    const fresh = ask('A');
    second.handle.lost('signal SIGSEGV', true);
    expect([a.outcome, bad.outcome, second.session.relieved]).to.deep.equal(['done', 'worker_lost', 1]);
    const third = attach('3');
    answer(third.session);
    answer(third.session);
    expect([b.outcome, fresh.outcome, dispatch.invoker.running]).to.deep.equal(['done', 'done', 0]);
    expect(logs.at(-1)).to.match(/other Steps run in another process: Bad$/);
  });

  it('goes on with the next Step when one does not answer', () => {
    const { handle } = attach('1');
    const asked = [ask('A'), ask('B')];
    handle.lost('signal SIGKILL', true);
    const { session } = attach('2');
    clock.advance(2_000);
    expect(steps(session)).to.deep.equal(['A', 'B']);
    answer(session);
    expect(asked.map(({ outcome }) => outcome)).to.deep.equal(['done', 'done']);
  });

  it('gives up what finds no process within 15 s', () => {
    const { handle } = attach('1');
    const lost = [ask('A'), ask('B')];
    handle.lost('signal SIGKILL', true);
    clock.advance(14_999);
    expect(dispatch.invoker.running).to.equal(2);
    clock.advance(2_001);
    expect(lost.map(({ outcome }) => outcome)).to.deep.equal(['no_worker', 'no_worker']);
    expect(dispatch.invoker.running).to.equal(0);
  });

  it('does not repeat the only Step that ran, nor what was cut off rather than ended', () => {
    const first = attach('1');
    const bad = [ask('Bad'), ask('Bad')];
    first.handle.lost('signal SIGSEGV', true);
    expect(bad.map(({ outcome }) => outcome)).to.deep.equal(['worker_lost', 'worker_lost']);
    const second = attach('2');
    const cut = [ask('A'), ask('B')];
    second.handle.lost('the connection was closed');
    expect(cut.map(({ outcome }) => outcome)).to.deep.equal(['worker_lost', 'worker_lost']);
  });

  it('gives up what waits for its turn with its client, and when the engine stops', () => {
    const { handle } = attach('1');
    const wanted = request({ step: 'B', repeatable: true });
    let outcome = '';
    ask('A');
    dispatch.invoker.start(wanted, { succeeded: () => undefined, failed: ({ code }) => { outcome = code; } });
    const late = ask('Bad');
    handle.lost('signal SIGKILL', true);
    dispatch.invoker.cancel(wanted, 'client_gone');
    expect(outcome).to.equal('cancelled');
    dispatch.invoker.close();
    expect([late.outcome, dispatch.invoker.running]).to.deep.equal(['draining', 0]);
  });
});
