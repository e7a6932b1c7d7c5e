import { expect } from 'chai';
import { slot, type ModuleContext, type RuntimeStatus } from '@treadle/api';
import { configOf, forever, rejection, testEngine, waitUntil } from './engine.fixture.js';
import { adapterClass, builtin, moduleClass } from './kernel.fixture.js';

/** A module that hands out its context. */
function speaking(id: string, contexts: ModuleContext[], atStart?: RuntimeStatus): ReturnType<typeof moduleClass> {
  return moduleClass(id, {
    start: async (context) => {
      contexts.push(context);
      if (atStart) context.report(atStart);
    },
  });
}

describe('the health of an engine', () => {
  it('is starting until everything is ready, then exactly {"status":"ok"}', async () => {
    const { engine, end } = await testEngine(configOf(['acme::aa::One']), [builtin([moduleClass('acme::aa::One')])]);
    const seen: string[] = [];
    const unsubscribe = engine.health.onChange((report) => seen.push(JSON.stringify(report)));
    expect(engine.health.report()).to.deep.equal({ status: 'starting' });
    await engine.start();
    expect(JSON.stringify(engine.health.report())).to.equal('{"status":"ok"}');
    expect(seen).to.deep.equal(['{"status":"starting"}', '{"status":"ok"}']);
    unsubscribe();
    await end();
    expect(seen).to.have.length(2);
  });

  it('stays starting as long as a module says so', async () => {
    const contexts: ModuleContext[] = [];
    const { engine, end } = await testEngine(configOf(['acme::aa::One']), [builtin([speaking('acme::aa::One', contexts, 'starting')])]);
    await engine.start();
    expect(engine.health.report()).to.deep.equal({ status: 'starting' });
    contexts[0]?.report('ok');
    expect(engine.health.report()).to.deep.equal({ status: 'ok' });
    await end();
  });

  it('names what is degraded, then what has failed', async () => {
    const contexts: ModuleContext[] = [];
    const plugins = [builtin([speaking('acme::aa::One', contexts), speaking('acme::aa::Two', contexts)])];
    const { engine, log, end } = await testEngine(configOf(['acme::aa::One', 'acme::aa::Two']), plugins);
    await engine.start();
    contexts[0]?.report('degraded', { message: 'disk full', cause: new Error('ENOSPC') });
    contexts[0]?.report('degraded', { message: 'disk full' });
    expect(engine.health.report()).to.deep.equal({ status: 'degraded', checks: { 'acme::aa::One': { status: 'degraded', message: 'disk full' } } });
    contexts[1]?.report('failed');
    expect(engine.health.report()).to.deep.equal({
      status: 'unavailable',
      checks: { 'acme::aa::One': { status: 'degraded', message: 'disk full' }, 'acme::aa::Two': { status: 'failed' } },
    });
    contexts[0]?.report('ok');
    expect(engine.health.report()).to.deep.equal({ status: 'unavailable', checks: { 'acme::aa::Two': { status: 'failed' } } });
    expect(log.records.filter(({ message }) => message === 'status changed').map(({ level, fields }) => `${level} ${String(fields?.['status'])}`))
      .to.deep.equal(['warn degraded', 'error failed', 'info ok']);
    await end();
  });

  it('ignores reports that are no legal transition, and all of them after the stop', async () => {
    const contexts: ModuleContext[] = [];
    const { engine, log, end } = await testEngine(configOf(['acme::aa::One']), [builtin([speaking('acme::aa::One', contexts)])]);
    await engine.start();
    contexts[0]?.report('starting');
    expect(engine.health.report()).to.deep.equal({ status: 'ok' });
    contexts[0]?.report('failed', { message: 'broken' });
    contexts[0]?.report('ok');
    expect(engine.health.report().status).to.equal('unavailable');
    expect(log.records.filter(({ message }) => message === 'a status report was ignored: no such transition').map(({ fields }) => fields))
      .to.deep.equal([
        { instance: 'acme::aa::One', from: 'ok', to: 'starting' }, { instance: 'acme::aa::One', from: 'failed', to: 'ok' },
      ].map((fields) => Object.assign(Object.create(null), fields)));
    await engine.stop();
    log.clear();
    contexts[0]?.report('ok');
    expect(log.records).to.deep.equal([]);
    await end();
  });

  it('tells two adapters of one class apart', async () => {
    const contexts: ModuleContext[] = [];
    const owner = moduleClass('acme::aa::Owner', { slots: { parts: { slot: slot('part'), many: true } } });
    const part = adapterClass('acme::part::adapters::Part', { start: async (context) => void contexts.push(context) });
    const yaml = configOf(['{ class: acme::aa::Owner, config: { parts: [{ class: acme::part::adapters::Part }, { class: acme::part::adapters::Part }] } }']);
    const { engine, end } = await testEngine(yaml, [builtin([owner], [part])]);
    await engine.start();
    for (const context of contexts) context.report('degraded');
    expect(Object.keys(engine.health.report().checks ?? {})).to.deep.equal([
      'acme::part::adapters::Part', 'acme::part::adapters::Part (modules[0].config.parts[1])',
    ]);
    await end();
  });

  it('reports what goes wrong in ready() and lets the rest run', async () => {
    const throwing = moduleClass('acme::aa::Throwing', { ready: () => { throw new Error('no'); } });
    const rejecting = moduleClass('acme::aa::Rejecting', { ready: (() => undefined) });
    rejecting.prototype.ready = () => Promise.reject(new Error('later'));
    const { engine, clock, end } = await testEngine(configOf(['acme::aa::Throwing', 'acme::aa::Rejecting']), [builtin([throwing, rejecting])]);
    await engine.start();
    await waitUntil(() => Object.keys(engine.health.report().checks ?? {}).length === 2, clock);
    expect(engine.health.report().checks).to.deep.equal({
      'acme::aa::Throwing': { status: 'failed', message: 'acme::aa::Throwing (modules[0]) failed in ready: no' },
      'acme::aa::Rejecting': { status: 'failed', message: 'acme::aa::Rejecting (modules[1]) failed in ready: later' },
    });
    await end();
  });
});

describe('shared resources', () => {
  interface Opened { opens: number; closes: number }

  function sharing(id: string, state: Opened, key = 'db'): ReturnType<typeof moduleClass> {
    return moduleClass(id, {
      init: async ({ shared }) => {
        const open = async (): Promise<number> => (state.opens += 1);
        const close = async (): Promise<void> => void (state.closes += 1);
        await Promise.all([shared(key, open, close), shared(key, open, close)]);
      },
    });
  }

  it('are opened once per engine, package and key, and closed after their last user has stopped', async () => {
    const [one, two]: Opened[] = [{ opens: 0, closes: 0 }, { opens: 0, closes: 0 }] as [Opened, Opened];
    const plugins = [
      builtin([sharing('acme::aa::One', one!), sharing('acme::aa::Two', one!)]), builtin([sharing('acme::aa::Three', two!)], [], 'another'),
    ];
    const { engine, reload, end } = await testEngine(configOf(['acme::aa::One', 'acme::aa::Two', 'acme::aa::Three']), plugins);
    await engine.start();
    expect([one, two]).to.deep.equal([{ opens: 1, closes: 0 }, { opens: 1, closes: 0 }]);
    await reload(configOf(['acme::aa::One']));
    expect([one, two]).to.deep.equal([{ opens: 1, closes: 0 }, { opens: 1, closes: 1 }]);
    await engine.stop();
    expect(one).to.deep.equal({ opens: 1, closes: 1 });
    await end();
  });

  it('fail for all who wait, are opened again by the next, and tell when they cannot be closed', async () => {
    let attempts = 0;
    const user = moduleClass('acme::aa::User', {
      init: async ({ shared }) => {
        const open = async (): Promise<string> => {
          attempts += 1;
          if (attempts === 1) throw new Error('locked');
          return 'db';
        };
        const close = (): Promise<void> => Promise.reject(new Error('cannot close'));
        const results = await Promise.allSettled([shared('db', open, close), shared('db', open, close)]);
        if (results.some(({ status }) => status === 'fulfilled')) throw new Error('one of them should not have got it');
        await shared('db', open, close);
      },
    });
    const { engine, end } = await testEngine(configOf(['acme::aa::User']), [builtin([user])]);
    await engine.start();
    expect(attempts).to.equal(2);
    expect((await engine.stop()).errors.map(({ message }) => message)).to.deep.equal([
      'acme::aa::User (modules[0]) failed in stop: cannot close',
    ]);
    await end();
  });

  it('that are still being opened when their user gives up are closed as well', async () => {
    let opened: ((value: string) => void) | undefined;
    let closed = '';
    const user = moduleClass('acme::aa::User', {
      init: async ({ shared }) => {
        await shared('db', () => new Promise<string>((resolve) => { opened = resolve; }), async (value) => { closed = value; });
        await forever();
      },
    });
    const { engine, clock, end } = await testEngine(configOf(['acme::aa::User']), [builtin([user])]);
    const start = rejection(engine.start());
    await waitUntil(() => opened !== undefined, clock);
    const stop = engine.stop();
    await clock.advance(0);
    opened?.('the database');
    await stop;
    expect((await start).code).to.equal('ENGINE_STOPPED');
    expect(closed).to.equal('the database');
    await end();
  });
});
