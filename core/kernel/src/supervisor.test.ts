import { expect } from 'chai';
import { bind, formatError, slot, token, treadleError, type TreadleError } from '@treadle/api';
import { configOf, forever, rejection, testEngine, waitUntil } from './engine.fixture.js';
import {
  adapterClass, builtin, injectAdapter, injectToken, moduleClass, type Journal, type ModuleParts,
} from './kernel.fixture.js';

const Store = token<string>('acme.Store');
const Other = token<string>('acme.Other');

async function startError(id: string, parts: ModuleParts): Promise<TreadleError> {
  const { engine, end } = await testEngine(configOf([id]), [builtin([moduleClass(id, parts)])]);
  const error = await rejection(engine.start());
  await end();
  return error;
}

describe('the supervisor', () => {
  it('MODULE_CONSTRUCT_FAILED', async () => {
    const cause = new TypeError('no such thing');
    const error = await startError('acme::aa::Broken', { construct: () => { throw cause; } });
    expect(formatError(error)).to.equal(
      'config.yaml:3:5  error  MODULE_CONSTRUCT_FAILED  acme::aa::Broken (modules[0]) failed while it was constructed: no such thing',
    );
    expect(error.cause).to.equal(cause);
    expect(error.exitCode).to.equal(70);
    expect(error.instance?.classId).to.equal('acme::aa::Broken');
  });

  it('MODULE_PORTS_MISMATCH in both directions', async () => {
    expect(formatError(await startError('acme::aa::Silent', { provides: [Store] }))).to.equal(
      'config.yaml:3:5  error  MODULE_PORTS_MISMATCH  acme::aa::Silent declares that it provides acme.Store, but ports() does not return it',
    );
    expect((await startError('acme::aa::Chatty', { ports: () => [bind(Store, 'x')] })).message).to.equal(
      'acme::aa::Chatty returns acme.Store from ports(), which it does not declare in "provides"',
    );
  });

  it('DI_DUPLICATE_PROVIDER when ports() returns a port twice', async () => {
    const error = await startError('acme::aa::Twice', { provides: [Store], ports: () => [bind(Store, 'a'), bind(Store, 'b')] });
    expect(error.code).to.equal('DI_DUPLICATE_PROVIDER');
    expect(error.message).to.equal('acme.Store is provided twice: by acme::aa::Twice and by acme::aa::Twice');
  });

  it('stops a module whose ports are wrong: it was constructed', async () => {
    const journal: Journal = [];
    await startError('acme::aa::Silent', { journal, provides: [Store] });
    expect(journal).to.deep.equal(['construct acme::aa::Silent', 'stop acme::aa::Silent']);
  });

  it('MODULE_INIT_FAILED and MODULE_START_FAILED with the time that it took', async () => {
    const failing = async (): Promise<void> => {
      await Promise.resolve();
      throw new Error('SQLITE_CANTOPEN: unable to open database file "/data/state.db"');
    };
    expect(formatError(await startError('acme::state::StateModule', { init: failing }))).to.equal(
      'config.yaml:3:5  error  MODULE_INIT_FAILED  acme::state::StateModule (modules[0]) failed in init after 0 ms: '
      + 'SQLITE_CANTOPEN: unable to open database file "/data/state.db"',
    );
    const { engine, clock, end } = await testEngine(configOf(['acme::aa::Late']), [builtin([moduleClass('acme::aa::Late', {
      start: ({ clock: time }) => new Promise((_, reject) => { time.after(12, () => reject('not an error')); }),
    })])]);
    const start = rejection(engine.start());
    await waitUntil(() => clock.pending === 2, clock);
    await clock.advance(12);
    expect((await start).message).to.equal('acme::aa::Late (modules[0]) failed in start after 12 ms: not an error');
    expect((await start).code).to.equal('MODULE_START_FAILED');
    await end();
  });

  it('MODULE_TIMEOUT of an adapter', async () => {
    const journal: Journal = [];
    let signal: AbortSignal | undefined;
    const owner = moduleClass('acme::aa::Owner', { journal, slots: { adapter: { slot: slot('queue') } }, injects: [injectAdapter('adapter')] });
    const sqs = adapterClass('acme::queue::adapters::Sqs', { journal, init: (context) => { signal = context.signal; return forever(); } });
    const entry = '{ class: acme::aa::Owner, config: { adapter: { class: acme::queue::adapters::Sqs } } }';
    const { engine, clock, end } = await testEngine(configOf([entry]), [builtin([owner], [sqs])]);
    const start = rejection(engine.start());
    await waitUntil(() => signal !== undefined, clock);
    await clock.advance(9_999);
    expect(signal?.aborted).to.equal(false);
    await clock.advance(1);
    const error = await start;
    expect(error.code).to.equal('MODULE_TIMEOUT');
    expect(error.message).to.equal('acme::queue::adapters::Sqs (adapter of modules[0]) did not finish init in 10 s');
    expect(signal?.aborted).to.equal(true);
    expect(journal.slice(-2)).to.deep.equal(['stop acme::aa::Owner', 'stop acme::queue::adapters::Sqs']);
    await end();
  });

  it('MODULE_TIMEOUT of start and stop with their own limits', async () => {
    const slow = moduleClass('acme::aa::Slow', { start: forever, stop: forever });
    const { engine, clock, end } = await testEngine(configOf(['acme::aa::Slow'], 'start_timeout_ms: 2500, stop_timeout_ms: 500'), [builtin([slow])]);
    const start = rejection(engine.start());
    await waitUntil(() => clock.pending === 1, clock);
    await clock.advance(2_500);
    await clock.advance(500);
    const error = await start;
    expect(error.message).to.equal('acme::aa::Slow (modules[0]) did not finish start in 2.5 s');
    expect(error.suppressed.map((other) => (other as TreadleError).message)).to.deep.equal([
      'acme::aa::Slow (modules[0]) did not finish stop in 0.5 s',
    ]);
    await end();
  });

  it('aborts at the first failure, stops everything in reverse and keeps what went wrong on the way', async () => {
    const journal: Journal = [];
    const stopping = (id: string, parts: ModuleParts = {}): ReturnType<typeof moduleClass> => moduleClass(id, { journal, ...parts });
    const plugins = [builtin([
      stopping('acme::aa::First', { stop: () => Promise.reject(new Error('cannot close')) }),
      stopping('acme::aa::Second', { init: () => Promise.reject(new Error('cannot open')) }),
      stopping('acme::aa::Third', { stop: () => Promise.reject(treadleError('SERVICE_UNAVAILABLE', { service: 'x', reason: 'y' })) }),
    ])];
    const { engine, end } = await testEngine(configOf(['acme::aa::First', 'acme::aa::Second', 'acme::aa::Third']), plugins);
    const error = await rejection(engine.start());
    expect(journal).to.deep.equal([
      'construct acme::aa::First', 'construct acme::aa::Second', 'construct acme::aa::Third', 'init acme::aa::First', 'init acme::aa::Second',
      'stop acme::aa::Third', 'stop acme::aa::Second', 'stop acme::aa::First',
    ]);
    expect(error.code).to.equal('MODULE_INIT_FAILED');
    expect(error.suppressed.map((other) => (other as TreadleError).code)).to.deep.equal(['SERVICE_UNAVAILABLE', 'MODULE_STOP_FAILED']);
    expect((error.suppressed[1] as TreadleError).message).to.equal('acme::aa::First (modules[0]) failed in stop: cannot close');
    journal.length = 0;
    expect((await engine.stop()).errors).to.deep.equal([]);
    expect(journal).to.deep.equal([]);
    await end();
  });

  it('lets an adapter have ports injected, and refuses ports of an adapter', async () => {
    let given: readonly unknown[] = [];
    const store = moduleClass('acme::aa::Store', { provides: [Store], ports: () => [bind(Store, 'value')] });
    const owner = moduleClass('acme::aa::Owner', { slots: { adapter: { slot: slot('queue') } } });
    const plugins = (ports: boolean): Parameters<typeof testEngine>[1] => [builtin([store, owner], [
      adapterClass('acme::queue::adapters::Sqs', {
        injects: [injectToken(Store), injectToken(Other, true)], construct: (args) => { given = args; },
        ...(ports ? { ports: () => [bind(Other, 'x')] } : {}),
      }),
    ])];
    const yaml = configOf(['{ class: acme::aa::Owner, config: { adapter: { class: acme::queue::adapters::Sqs } } }', 'acme::aa::Store']);
    const good = await testEngine(yaml, plugins(false));
    await good.engine.start();
    expect(given).to.deep.equal(['value', undefined]);
    await good.end();
    const bad = await testEngine(yaml, plugins(true));
    expect((await rejection(bad.engine.start())).message).to.equal(
      'acme::queue::adapters::Sqs returns acme.Other from ports(), which it does not declare in "provides"',
    );
    await bad.end();
  });

  it('survives a constructor parameter for a slot that the class does not declare', async () => {
    const error = await startError('acme::aa::Odd', { injects: [injectAdapter('nowhere')] });
    expect(error.code).to.equal('DI_UNKNOWN_TOKEN');
    expect(error.message).to.equal('nothing provides kernel.slot.nowhere (needed by Odd)');
  });
});
