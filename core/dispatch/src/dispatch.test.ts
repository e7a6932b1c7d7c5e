import type { Call } from '@treadle/api';
import { StepFailure } from '@treadle/api';
import { expect } from 'chai';
import { failure, request, testDispatch } from './dispatch.fixture.js';

describe('Dispatch', () => {
  let { clock, dispatch, records, attach } = testDispatch();
  beforeEach(() => {
    ({ clock, dispatch, records, attach } = testDispatch());
  });

  describe('calls', () => {
    it('gives a call to the session with the fewest running calls', () => {
      const one = attach('1', ['A']);
      const two = attach('2', ['A']);
      for (let i = 0; i < 4; i++) void dispatch.invoker.invoke(request());
      expect([one.session.calls.length, two.session.calls.length]).to.deep.equal([2, 2]);
      expect(dispatch.invoker.running).to.equal(4);
    });

    it('resolves with the first answer and ignores later ones', async () => {
      const { session } = attach('1', ['A']);
      const answer = dispatch.invoker.invoke(request());
      const call = session.calls[0] as Call;
      call.succeed({ http: { status: 200 } });
      call.fail(new StepFailure('unhandled_exception', 'late'));
      expect(await answer).to.deep.equal({ http: { status: 200 } });
      expect(call.settled).to.equal(true);
      expect(dispatch.invoker.running).to.equal(0);
    });

    it('fails calls of a lost session with worker_lost and keeps the others', async () => {
      const one = attach('1', ['A']);
      const two = attach('2', ['A']);
      const lost = failure(dispatch.invoker.invoke(request()));
      const kept = dispatch.invoker.invoke(request());
      one.handle.lost('signal SIGKILL');
      one.handle.lost('again');
      two.session.calls[0]?.succeed({});
      expect((await lost).code).to.equal('worker_lost');
      expect((await lost).message).to.equal('the worker of Step "A" was lost: signal SIGKILL');
      expect(await kept).to.deep.equal({});
      expect(dispatch.invoker.servers('A')).to.equal(1);
    });

    it('knows the trace of what a handler logs whose call has timed out or was cancelled', async () => {
      const { handle } = attach('1', ['A']);
      const cancelled = request({ traceId: 'd'.repeat(32) });
      const ended = [failure(dispatch.invoker.invoke(request({ timeoutMs: 500 }))), failure(dispatch.invoker.invoke(cancelled))];
      dispatch.invoker.cancel(cancelled, 'client_gone');
      clock.advance(500);
      await Promise.all(ended);
      for (const call of [1, 2]) handle.log(call, { time: 0, level: 'warn', message: 'gave up', stepName: 'A' });
      expect(records.map(({ traceId, stepName }) => [traceId, stepName])).to.deep.equal([['a'.repeat(32), 'A'], ['d'.repeat(32), 'A']]);
    });

    it('takes the trace of what a handler logs after its answer from the worker, whatever has its id by then', async () => {
      const { handle } = attach('1', ['A']);
      void dispatch.invoker.invoke(request());
      const late = { time: 0, level: 'info', message: 'late', stepName: 'B' } as const;
      handle.log(1, { ...late, traceparent: `00-${'d'.repeat(32)}-${'e'.repeat(16)}-01` });
      handle.log(1, { ...late, traceparent: 'no traceparent' });
      expect(records.map(({ traceId, spanId, stepName }) => [traceId, spanId, stepName])).to.deep.equal([
        ['d'.repeat(32), 'e'.repeat(16), 'B'], ['a'.repeat(32), records[1]?.spanId, 'A'],
      ]);
    });

    it('remembers so only the last thousand of them', async () => {
      const { handle } = attach('1', ['A']);
      const ended = Array.from({ length: 1001 }, () => failure(dispatch.invoker.invoke(request({ timeoutMs: 500 }))));
      clock.advance(500);
      await Promise.all(ended);
      for (const call of [1, 2, 1001]) handle.log(call, { time: 0, level: 'warn', message: 'gave up', stepName: 'A' });
      expect(records.map(({ traceId }) => traceId[0])).to.deep.equal(['0', 'a', 'a']);
    });

    it('ends a call at its own time limit and tells the session', async () => {
      const { session } = attach('1', ['A']);
      const slow = failure(dispatch.invoker.invoke(request({ timeoutMs: 500 })));
      const slower = failure(dispatch.invoker.invoke(request({ timeoutMs: 900 })));
      clock.advance(499);
      expect(session.cancelled).to.deep.equal([]);
      clock.advance(1);
      expect((await slow).code).to.equal('handler_timeout');
      clock.advance(400);
      expect((await slower).message).to.equal('Step "A" took longer than 900 ms');
      expect(session.cancelled).to.deep.equal(['1 timeout', '2 timeout']);
    });

    it('keeps deadlines of calls that were added while the timer ran', async () => {
      const { session } = attach('1', ['A']);
      const first = failure(dispatch.invoker.invoke(request()));
      clock.advance(600);
      const second = failure(dispatch.invoker.invoke(request()));
      void dispatch.invoker.invoke(request()).then(() => undefined);
      session.calls[2]?.succeed({});
      clock.advance(400);
      expect((await first).code).to.equal('handler_timeout');
      expect(dispatch.invoker.running).to.equal(1);
      clock.advance(600);
      expect((await second).code).to.equal('handler_timeout');
    });

    it('cancels a running and a waiting request', async () => {
      const { session } = attach('1', ['A']);
      const running = request();
      const waiting = request({ step: 'B', waitMs: 1000 });
      const results = [failure(dispatch.invoker.invoke(running)), failure(dispatch.invoker.invoke(waiting))];
      dispatch.invoker.cancel(running, 'client_gone');
      dispatch.invoker.cancel(waiting, 'client_gone');
      dispatch.invoker.cancel(request(), 'client_gone');
      expect((await Promise.all(results)).map((f) => f.code)).to.deep.equal(['cancelled', 'cancelled']);
      expect(session.cancelled).to.deep.equal(['1 client_gone']);
    });
  });

  describe('waiting', () => {
    it('fails at once with no_worker when waiting is not asked for', async () => {
      expect((await failure(dispatch.invoker.invoke(request()))).message).to.equal('no worker serves Step "A"');
    });

    it('waits for a worker that comes back', async () => {
      const answer = dispatch.invoker.invoke(request({ waitMs: 1000 }));
      clock.advance(900);
      const { session } = attach('1', ['A']);
      session.calls[0]?.succeed({ http: { status: 204 } });
      expect(await answer).to.deep.equal({ http: { status: 204 } });
    });

    it('gives up waiting with no_worker', async () => {
      const answer = failure(dispatch.invoker.invoke(request({ waitMs: 1000 })));
      clock.advance(1000);
      expect((await answer).code).to.equal('no_worker');
      expect(dispatch.invoker.running).to.equal(0);
    });

    it('counts credits of requests and deliveries apart and lets the next one in when one is free', async () => {
      const { session } = attach('1', ['A']);
      for (let i = 0; i < 100; i++) void dispatch.invoker.invoke(request({ lane: 'delivery' }));
      const refused = failure(dispatch.invoker.invoke(request({ lane: 'delivery' })));
      expect((await refused).message).to.equal('every worker that serves Step "A" is busy');
      void dispatch.invoker.invoke(request());
      expect(session.calls.length).to.equal(101);
      void dispatch.invoker.invoke(request({ lane: 'delivery', waitMs: 1000 }));
      expect(session.calls.length).to.equal(101);
      session.calls[0]?.succeed({});
      expect(session.calls.length).to.equal(102);
    });

    it('bounds how many requests wait for a busy worker', async () => {
      attach('1', ['A']);
      for (let i = 0; i < 1124; i++) void dispatch.invoker.invoke(request({ waitMs: 1000 })).catch(() => undefined);
      expect((await failure(dispatch.invoker.invoke(request({ waitMs: 1000 })))).code).to.equal('overloaded');
    });
  });

  describe('sessions', () => {
    it('gives a retired session no new calls but takes its answers', async () => {
      const { session, handle } = attach('1', ['A']);
      const answer = dispatch.invoker.invoke(request());
      handle.retire();
      handle.serve(['A']);
      expect((await failure(dispatch.invoker.invoke(request()))).code).to.equal('no_worker');
      expect(handle.running).to.equal(1);
      handle.call(session.calls[0]?.id ?? 0)?.succeed({});
      expect(await answer).to.deep.equal({});
    });

    it('replaces the set of Steps', async () => {
      const { handle } = attach('1', ['A', 'B']);
      handle.serve(['B']);
      expect([dispatch.invoker.servers('A'), dispatch.invoker.servers('B')]).to.deep.equal([0, 1]);
    });

    it('keeps no timer once it is closed and its last call is over, also when nobody waits for that', () => {
      const { session } = attach('1', ['A']);
      void dispatch.invoker.invoke(request());
      dispatch.invoker.close();
      session.calls[0]?.succeed({});
      expect(clock.pending).to.equal(0);
    });

    it('refuses calls while it is closed and reports when it has drained', async () => {
      const { session } = attach('1', ['A']);
      void dispatch.invoker.invoke(request());
      const waiting = failure(dispatch.invoker.invoke(request({ step: 'B', waitMs: 1000 })));
      dispatch.invoker.close();
      expect((await failure(dispatch.invoker.invoke(request()))).code).to.equal('draining');
      expect((await waiting).code).to.equal('draining');
      let done = false;
      const drained = dispatch.invoker.drained(new AbortController().signal).then(() => { done = true; });
      expect(done).to.equal(false);
      session.calls[0]?.succeed({});
      await drained;
      expect(clock.pending).to.equal(0);
    });

    it('gives up on all calls, running and waiting, when the time is over', async () => {
      const { session } = attach('1', ['A']);
      const calls = [dispatch.invoker.invoke(request()), dispatch.invoker.invoke(request({ step: 'B', waitMs: 1000 }))].map(failure);
      dispatch.invoker.cancelAll();
      expect((await Promise.all(calls)).map(({ code, message }) => [code, message])).to.deep.equal([
        ['cancelled', 'the call was cancelled: drain'], ['cancelled', 'the call was cancelled: drain'],
      ]);
      expect([session.cancelled.length, dispatch.invoker.running]).to.deep.equal([1, 0]);
    });

    it('stops waiting for calls when the signal aborts', async () => {
      attach('1', ['A']);
      void dispatch.invoker.invoke(request());
      const controller = new AbortController();
      const drained = dispatch.invoker.drained(controller.signal);
      controller.abort();
      await drained;
      expect(dispatch.invoker.running).to.equal(1);
    });
  });
});
