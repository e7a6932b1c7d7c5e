import { expect } from 'chai';
import {
  DRAIN_GRACE_MS, LAST_WORD_MS, treadleError, type DrainContext, type HealthReport, type ModuleContext, type StepRecord, type TreadleError,
  type Session,
} from '@treadle/api';
import { configOf, forever, testEngine, waitUntil } from './engine.fixture.js';
import { builtin, moduleClass, type Journal } from './kernel.fixture.js';

const STEP: StepRecord = { id: 'greet', config: { name: 'greet', triggers: [] }, file: 'steps/greet.step.ts', language: 'typescript', configHash: '1' };
const REQUEST = {
  step: 'greet', trigger: { type: 'http', index: 0 }, input: {}, traceId: '0'.repeat(32), spanId: '0'.repeat(16), sampled: false,
  timeoutMs: 60_000, attempt: 1, lane: 'request' as const, waitMs: 0,
};
const IDLE_SESSION: Session = { id: 's', runtime: 'node', version: '20', send: () => undefined, cancel: () => undefined };

describe('Engine.stop', () => {
  it('serves on for drain_delay_ms with health draining, then drains all at once, then stops', async () => {
    const journal: Journal = [];
    const plugins = [builtin([moduleClass('acme::aa::One', { journal }), moduleClass('acme::aa::Two', { journal })])];
    const { engine, clock, end } = await testEngine(configOf(['acme::aa::One', 'acme::aa::Two'], 'drain_delay_ms: 2000'), plugins);
    await engine.start();
    journal.length = 0;
    const seen: HealthReport[] = [];
    engine.health.onChange((report) => seen.push(report));
    const stop = engine.stop();
    expect(engine.health.draining).to.equal(true);
    expect(seen).to.deep.equal([{ status: 'draining' }]);
    await clock.advance(1_999);
    expect(journal).to.deep.equal([]);
    await clock.advance(1);
    expect((await stop).ms).to.equal(2_000);
    expect(journal).to.deep.equal(['drain acme::aa::Two', 'drain acme::aa::One', 'stop acme::aa::Two', 'stop acme::aa::One']);
    expect(seen).to.have.length(1);
    await end();
  });

  it('starts all drains together and gives them the same deadline', async () => {
    const contexts: DrainContext[] = [];
    const done: (() => void)[] = [];
    const drain = (context: DrainContext): Promise<void> => {
      contexts.push(context);
      return new Promise((resolve) => done.push(resolve));
    };
    const journal: Journal = [];
    const plugins = [builtin([moduleClass('acme::aa::One', { journal, drain }), moduleClass('acme::aa::Two', { journal, drain })])];
    const { engine, clock, end } = await testEngine(configOf(['acme::aa::One', 'acme::aa::Two'], 'drain_timeout_ms: 5000'), plugins);
    await engine.start();
    const stop = engine.stop();
    await waitUntil(() => contexts.length === 2, clock);
    expect(contexts.map(({ deadline }) => deadline - clock.now())).to.deep.equal([5_000, 5_000]);
    done[0]?.();
    await clock.advance(100);
    expect(journal.some((line) => line.startsWith('stop'))).to.equal(false);
    done[1]?.();
    expect(await stop).to.deep.include({ drained: true, errors: [] });
    await end();
  });

  it('waits for running handlers until the deadline', async () => {
    const { engine, clock, end } = await testEngine(configOf([], 'drain_timeout_ms: 5000'), []);
    await engine.start();
    engine.dispatch.catalog.publish([STEP]);
    engine.dispatch.sessions.attach(IDLE_SESSION).serve(['greet']);
    const result = engine.dispatch.invoker.invoke(REQUEST).catch((error: unknown) => error);
    const stop = engine.stop();
    await clock.advance(4_999);
    expect(engine.dispatch.invoker.running).to.equal(1);
    await clock.advance(1);
    expect((await stop).drained).to.equal(false);
    await clock.advance(60_000);
    expect(await result).to.be.instanceOf(Error);
    await end();
  });

  it('goes on at the deadline without those who do not return, and names them', async () => {
    let context: DrainContext | undefined;
    const journal: Journal = [];
    const stuck = moduleClass('acme::aa::Stuck', { journal, drain: (given) => { context = given; return forever(); } });
    const { engine, clock, end } = await testEngine(configOf(['acme::aa::Stuck'], 'drain_timeout_ms: 1000'), [builtin([stuck])]);
    await engine.start();
    const stop = engine.stop();
    await waitUntil(() => context !== undefined, clock);
    await clock.advance(999);
    expect(context?.signal.aborted).to.equal(false);
    await clock.advance(1);
    expect(context?.signal.aborted).to.equal(true);
    await clock.advance(DRAIN_GRACE_MS);
    const report = await stop;
    expect(report.drained).to.equal(false);
    expect(report.errors.map(({ message }) => message)).to.deep.equal(['acme::aa::Stuck (modules[0]) did not finish drain in 1 s']);
    expect(journal.at(-1)).to.equal('stop acme::aa::Stuck');
    await end();
  });

  it('accepts a drain that returns when its signal is aborted', async () => {
    const obedient = moduleClass('acme::aa::Obedient', {
      drain: ({ signal }) => new Promise((resolve) => { signal.addEventListener('abort', () => resolve()); }),
    });
    const { engine, clock, end } = await testEngine(configOf(['acme::aa::Obedient'], 'drain_timeout_ms: 1000'), [builtin([obedient])]);
    await engine.start();
    const stop = engine.stop();
    await clock.advance(1_000);
    expect(await stop).to.deep.include({ drained: false, errors: [] });
    await end();
  });

  it('accepts a drain that writes what the last words of its handlers were', async () => {
    const writing = moduleClass('acme::aa::Writing', {
      drain: ({ signal }) => new Promise((resolve) => { signal.addEventListener('abort', () => void clock.after(LAST_WORD_MS + 120, resolve)); }),
    });
    const { engine, clock, end } = await testEngine(configOf(['acme::aa::Writing'], 'drain_timeout_ms: 1000'), [builtin([writing])]);
    await engine.start();
    const stop = engine.stop();
    for (const ms of [1_000, LAST_WORD_MS, 120]) await clock.advance(ms);
    expect(await stop).to.deep.include({ drained: false, errors: [] });
    await end();
  });

  it('collects everything that goes wrong and still stops every module', async () => {
    const journal: Journal = [];
    const bad = moduleClass('acme::aa::Bad', {
      journal, drain: () => Promise.reject(new Error('cannot drain')), stop: () => { throw new Error('cannot stop'); },
    });
    const good = moduleClass('acme::aa::Good', { journal });
    const { engine, log, end } = await testEngine(configOf(['acme::aa::Good', 'acme::aa::Bad']), [builtin([bad, good])]);
    await engine.start();
    const report = await engine.stop();
    expect(report.errors.map(({ code, message }) => `${code} ${message}`)).to.deep.equal([
      'MODULE_STOP_FAILED acme::aa::Bad (modules[1]) failed in drain: cannot drain',
      'MODULE_STOP_FAILED acme::aa::Bad (modules[1]) failed in stop: cannot stop',
    ]);
    expect(journal.at(-1)).to.equal('stop acme::aa::Good');
    expect(log.records.filter(({ level }) => level === 'error')).to.have.length(2);
    await end();
  });

  it('waits for nothing after a second signal', async () => {
    const journal: Journal = [];
    const stuck = moduleClass('acme::aa::Stuck', { journal, drain: forever, stop: forever });
    const { engine, clock, end } = await testEngine(configOf(['acme::aa::Stuck'], 'drain_delay_ms: 60000'), [builtin([stuck])]);
    await engine.start();
    const first = engine.stop();
    await clock.advance(10);
    const second = new AbortController();
    expect(engine.stop({ signal: second.signal })).to.equal(first);
    second.abort();
    await clock.advance(DRAIN_GRACE_MS);
    expect(journal.at(-1)).to.equal('stop acme::aa::Stuck');
    await clock.advance(1_000);
    expect((await first).errors.map(({ message }) => message)).to.deep.equal([
      'acme::aa::Stuck (modules[0]) did not finish stop in 1 s',
    ]);
    await end();
  });

  it('leaves no timer behind', async () => {
    const { engine, clock, end } = await testEngine(configOf(['acme::aa::One']), [builtin([moduleClass('acme::aa::One')])]);
    await engine.start();
    await engine.stop();
    expect(clock.pending).to.equal(0);
    await end();
  });
});

describe('a fatal error of a module', () => {
  const fatalError = treadleError('SERVICE_UNAVAILABLE', { service: 'the disk', reason: 'it is gone' });

  it('stops the engine without waiting and tells who runs it', async () => {
    let context: ModuleContext | undefined;
    const journal: Journal = [];
    const module = moduleClass('acme::aa::Disk', { journal, start: async (given) => { context = given; } });
    const { engine, log, fatals, end } = await testEngine(configOf(['acme::aa::Disk'], 'drain_delay_ms: 60000'), [builtin([module])]);
    await engine.start();
    context?.fatal(fatalError);
    context?.fatal(treadleError('INTERNAL', { reason: 'a second one' }));
    expect(engine.health.report()).to.deep.equal({ status: 'draining' });
    await engine.stop();
    expect(fatals).to.deep.equal([fatalError]);
    expect(journal.at(-1)).to.equal('stop acme::aa::Disk');
    expect(log.text()).to.contain('the disk is not available: it is gone');
    await end();
  });

  it('is what start() is rejected with when it comes before everything runs', async () => {
    const module = moduleClass('acme::aa::Disk', { start: ({ fatal }) => { fatal(fatalError); return forever(); } });
    const { engine, fatals, end } = await testEngine(configOf(['acme::aa::Disk']), [builtin([module])]);
    const error = await engine.start().then(() => undefined, (rejected: TreadleError) => rejected);
    expect(error).to.equal(fatalError);
    expect(fatals).to.deep.equal([fatalError]);
    await end();
  });
});
