import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Session, TriggerKindBinding } from '@treadle/api';
import { expect } from 'chai';
import { failure, record, request, testDispatch } from '../dispatch.fixture.js';

describe('Dispatch and what it knows', () => {
  let { clock, dispatch, records, attach } = testDispatch();
  beforeEach(() => {
    ({ clock, dispatch, records, attach } = testDispatch());
  });

  describe('operations', () => {
    it('runs an operation for a running call and refuses it afterwards', async () => {
      dispatch.catalog.publish([record('A')]);
      const { session, handle } = attach('1', ['A']);
      dispatch.operations.bind('kv.get', (args, context) => Promise.resolve([args, context.step.id, context.call.id]));
      void dispatch.invoker.invoke(request());
      expect(await handle.execute(1, 'kv.get', { key: 'k' })).to.deep.equal([{ key: 'k' }, 'A', 1]);
      dispatch.catalog.publish([]);
      expect(await handle.execute(1, 'kv.get', 0)).to.deep.equal([0, 'A', 1]);
      session.calls[0]?.succeed({});
      const stale = await failure(handle.execute(1, 'kv.get', {}));
      expect(stale.code).to.equal('StaleDelivery');
    });

    it('runs operations of an answered call until its streamed body has ended', async () => {
      dispatch.catalog.publish([record('A')]);
      const { session, handle } = attach('1', ['A']);
      dispatch.operations.bind('kv.get', () => Promise.resolve('value'));
      const answer = dispatch.invoker.invoke(request());
      const stream = new PassThrough();
      session.calls[0]?.succeed({ http: { status: 200, stream } });
      await answer;
      expect(await handle.execute(1, 'kv.get', {})).to.equal('value');
      stream.destroy();
      await once(stream, 'close');
      expect((await failure(handle.execute(1, 'kv.get', {}))).code).to.equal('StaleDelivery');
    });

    it('refuses an operation for another session\'s call', async () => {
      dispatch.catalog.publish([record('A')]);
      attach('1', ['A']);
      const other = attach('2', []);
      void dispatch.invoker.invoke(request());
      expect((await failure(other.handle.execute(1, 'kv.get', {}))).code).to.equal('StaleDelivery');
    });

    for (const [name, text] of [
      ['state.get', 'operation "state.get" needs modules::state::StateModule, which this config does not load'],
      ['other.x', 'no loaded module serves operation "other.x"'],
    ] as const) {
      it(`says why ${name} cannot run`, async () => {
        dispatch.catalog.publish([record('A')]);
        const { handle } = attach('1', ['A']);
        void dispatch.invoker.invoke(request());
        const error = await failure(handle.execute(1, name, {}));
        expect([error.code, error.message]).to.deep.equal(['OPERATION_UNAVAILABLE', text]);
      });
    }

    it('waits for an operation whose module is still starting', async () => {
      dispatch.catalog.publish([record('A')]);
      const { handle } = attach('1', ['A']);
      void dispatch.invoker.invoke(request({ timeoutMs: 60_000 }));
      const answers = [handle.execute(1, 'kv.get', 1), handle.execute(1, 'kv.get', 2)];
      dispatch.operations.bind('kv.get', (args) => Promise.resolve(args));
      expect(await Promise.all(answers)).to.deep.equal([1, 2]);
    });

    it('gives up after 10 s on a module that does not start', async () => {
      dispatch.catalog.publish([record('A')]);
      const { handle } = attach('1', ['A']);
      void dispatch.invoker.invoke(request({ timeoutMs: 60_000 }));
      const answer = failure(handle.execute(1, 'kv.get', {}));
      clock.advance(10_000);
      const error = await answer;
      expect([error.code, error.message]).to.deep.equal(['OPERATION_UNAVAILABLE', 'operation "kv.get" is not ready: its module has not started']);
    });

    it('unbinds an operation', async () => {
      dispatch.catalog.publish([record('A')]);
      const { handle } = attach('1', ['A']);
      const unbind = dispatch.operations.bind('kv.get', () => Promise.resolve(1));
      unbind();
      void dispatch.invoker.invoke(request({ timeoutMs: 60_000 }));
      const answer = failure(handle.execute(1, 'kv.get', {}));
      clock.advance(10_000);
      expect((await answer).code).to.equal('OPERATION_UNAVAILABLE');
    });
  });

  describe('catalog', () => {
    let seen: string[];
    const binding: TriggerKindBinding = {
      bind: (step, _trigger, ref) => void seen.push(`bind ${step.id}.${ref.index} ${step.configHash}`),
      unbind: (step, _trigger, ref) => void seen.push(`unbind ${step.id}.${ref.index} ${step.configHash}`),
    };
    beforeEach(() => { seen = []; });

    it('binds Steps that are there already and those that come', () => {
      dispatch.catalog.publish([record('A'), record('Q', '1', 'queue')]);
      dispatch.triggers.bind('http', binding);
      dispatch.catalog.publish([record('A'), record('B')]);
      expect(seen).to.deep.equal(['bind A.0 1', 'bind B.0 1']);
    });

    it('renews bindings only of Steps whose config changed, unbinding before binding', () => {
      dispatch.triggers.bind('http', binding);
      dispatch.catalog.publish([record('A'), record('B')]);
      seen = [];
      const change = dispatch.catalog.publish([record('A'), record('B', '2'), record('C')]);
      dispatch.catalog.publish([record('C')]);
      expect(change.changed.map((s) => s.id)).to.deep.equal(['B']);
      expect(seen).to.deep.equal(['unbind B.0 1', 'bind B.0 2', 'bind C.0 1', 'unbind A.0 1', 'unbind B.0 2']);
    });

    it('unbinds everything of a kind whose module goes', () => {
      const stop = dispatch.triggers.bind('http', binding);
      dispatch.catalog.publish([record('A')]);
      stop();
      stop();
      dispatch.catalog.publish([]);
      expect(seen).to.deep.equal(['bind A.0 1', 'unbind A.0 1']);
    });

    it('tells listeners of changes, and of nothing when there is none', () => {
      const changes: number[] = [];
      const stop = dispatch.catalog.onChange((change) => changes.push(change.added.length));
      dispatch.catalog.publish([record('A')]);
      dispatch.catalog.publish([record('A')]);
      stop();
      dispatch.catalog.publish([]);
      expect(changes).to.deep.equal([1]);
      expect(dispatch.catalog.steps()).to.deep.equal([]);
    });

    it('logs a trigger that its module refuses and goes on', () => {
      dispatch.triggers.bind('http', { bind: () => { throw new Error('no route'); }, unbind: () => undefined });
      dispatch.catalog.publish([record('A')]);
      expect(records[0]).to.deep.include({ level: 'error', message: 'a trigger could not be bound', stepName: 'A' });
      expect(records[0]?.fields).to.deep.equal({ trigger: 'http', file: 'steps/A.step.ts', error: 'no route' });
    });
  });

  it('writes what a session of another application logs in the name of that', () => {
    const session: Session = { id: '1', runtime: 'node', version: '20', application: 'shop', send: () => undefined, cancel: () => undefined };
    dispatch.sessions.attach(session).log(undefined, { time: 0, level: 'info', message: 'hello', stepName: 'A' });
    expect(records.map(({ service, message }) => ({ service, message }))).to.deep.equal([{ service: 'shop', message: 'hello' }]);
  });

  it('writes a handler\'s log record with the identity of its call', () => {
    dispatch.catalog.publish([record('A')]);
    const { handle } = attach('1', ['A']);
    void dispatch.invoker.invoke(request());
    handle.log(1, { time: 0, level: 'info', message: 'hello', fields: { a: 1 } });
    handle.log(undefined, { time: 0, level: 'warn', message: 'stray', stepName: 'A' });
    expect(records).to.deep.equal([
      { timestamp: '1970-01-01T00:00:00.000Z', level: 'info', message: 'hello', traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), service: 's', stepName: 'A', fields: { a: 1 } },
      { timestamp: '1970-01-01T00:00:00.000Z', level: 'warn', message: 'stray', traceId: '0'.repeat(32), spanId: '0'.repeat(16), service: 's', stepName: 'A' },
    ]);
  });
});
