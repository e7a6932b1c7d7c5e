import { expect } from 'chai';
import { bind, DRAIN_GRACE_MS, manyToken, slot, token, type ConfigSchema, type DrainContext, type Plugin } from '@treadle/api';
import { configOf, forever, testEngine, waitUntil } from './engine.fixture.js';
import { adapterClass, builtin, injectConfig, injectToken, moduleClass, type Journal } from './kernel.fixture.js';

const Store = token<number>('acme.Store');
const Cache = token<string>('acme.Cache');
const Parts = manyToken<string>('acme.Parts');
const limited: ConfigSchema = {
  type: 'object', additionalProperties: false, properties: { limit: { type: 'integer', default: 1, description: 'Limit.' } },
};

interface World { readonly journal: Journal; readonly plugins: readonly Plugin[] }

/** Store ← Cache ← Page; Side stands alone; a limit of 13 breaks the store's init, 14 its start. */
function world(): World {
  const journal: Journal = [];
  const store = moduleClass('acme::aa::Store', {
    journal, config: limited, provides: [Store], injects: [injectConfig],
    ports: ([config]) => [bind(Store, (config as { limit: number }).limit)],
    init: ({ instance }) => (broken === 13 ? Promise.reject(new Error(`${instance.id} cannot open`)) : Promise.resolve()),
    construct: ([config]) => { broken = (config as { limit: number }).limit; },
    start: () => (broken === 14 ? Promise.reject(new Error('cannot listen')) : Promise.resolve()),
  });
  let broken = 0;
  const cache = moduleClass('acme::aa::Cache', { journal, provides: [Cache], injects: [injectToken(Store)], ports: ([given]) => [bind(Cache, `cache of ${String(given)}`)] });
  const page = moduleClass('acme::aa::Page', { journal, injects: [injectToken(Cache, true)] });
  const side = moduleClass('acme::aa::Side', { journal, slots: { adapter: { slot: slot('part'), optional: true } } });
  const part = adapterClass('acme::part::adapters::Part', { journal, config: limited });
  const listed = (name: string): ReturnType<typeof moduleClass> => moduleClass(`acme::aa::${name}`, { journal, provides: [Parts], ports: () => [bind(Parts, name)] });
  const reader = moduleClass('acme::aa::Reader', { journal, injects: [injectToken(Parts)], construct: ([parts]) => journal.push(`reads ${(parts as string[]).join(' ')}`) });
  return { journal, plugins: [builtin([store, cache, page, side, listed('Pa'), listed('Pb'), listed('Pc'), reader], [part])] };
}

/** Once cannot be made while a port is taken, and never with a limit of 13; Uses can do without it; Side stands alone. */
function takenPort(journal: Journal): { readonly plugins: readonly Plugin[]; readonly taken: { is: boolean } } {
  const taken = { is: false };
  let limit = 0;
  const once = moduleClass('acme::aa::Once', {
    journal, config: limited, injects: [injectConfig], construct: ([config]) => { ({ limit } = config as { limit: number }); },
    provides: [Store], ports: () => [bind(Store, limit)],
    init: () => (taken.is || limit === 13 ? Promise.reject(new Error('the port is taken')) : Promise.resolve()),
  });
  const uses = moduleClass('acme::aa::Uses', { journal, injects: [injectToken(Store, true)] });
  return { taken, plugins: [builtin([once, uses, moduleClass('acme::aa::Side', { journal })])] };
}

const store = (limit: number): string => `{ class: acme::aa::Store, config: { limit: ${limit} } }`;
const ALL = [store(1), 'acme::aa::Cache', 'acme::aa::Page', 'acme::aa::Side'];

describe('Engine.reload', () => {
  it('does nothing when nothing has changed, wherever the entries stand', async () => {
    const { journal, plugins } = world();
    const { engine, reload, end } = await testEngine(configOf(ALL), plugins);
    await engine.start();
    journal.length = 0;
    const report = await reload(configOf([...ALL].reverse()));
    expect(journal).to.deep.equal([]);
    expect(report).to.deep.include({ started: [], stopped: [], restarted: [], errors: [], rolledBack: false });
    expect(report.unchanged).to.have.length(4);
    await end();
  });

  it('restarts what changed and what depends on it, in order, and nothing else', async () => {
    const { journal, plugins } = world();
    const { engine, reload, end } = await testEngine(configOf(ALL), plugins);
    await engine.start();
    journal.length = 0;
    const report = await reload(configOf([store(2), ...ALL.slice(1)]));
    expect(report.restarted).to.deep.equal(['acme::aa::Store', 'acme::aa::Cache', 'acme::aa::Page']);
    expect(report.unchanged).to.deep.equal(['acme::aa::Side']);
    expect(journal.filter((line) => !line.includes('drain'))).to.deep.equal([
      'stop acme::aa::Page', 'stop acme::aa::Cache', 'stop acme::aa::Store',
      'construct acme::aa::Store', 'construct acme::aa::Cache', 'construct acme::aa::Page',
      'init acme::aa::Store', 'init acme::aa::Cache', 'init acme::aa::Page',
      'start acme::aa::Store', 'start acme::aa::Cache', 'start acme::aa::Page',
      'ready acme::aa::Store', 'ready acme::aa::Cache', 'ready acme::aa::Page',
    ]);
    expect(engine.port(Cache)).to.equal('cache of 2');
    expect(engine.health.report()).to.deep.equal({ status: 'ok' });
    await end();
  });

  it('drains and stops what was removed, starts what is new', async () => {
    const { journal, plugins } = world();
    const { engine, reload, end } = await testEngine(configOf(['acme::aa::Side', 'acme::aa::Page']), plugins);
    await engine.start();
    journal.length = 0;
    const report = await reload(configOf(['acme::aa::Page', 'acme::aa::Pa']));
    expect(report).to.deep.include({ started: ['acme::aa::Pa'], stopped: ['acme::aa::Side'], restarted: [], unchanged: ['acme::aa::Page'] });
    expect(journal.slice(0, 3)).to.deep.equal(['drain acme::aa::Side', 'stop acme::aa::Side', 'construct acme::aa::Pa']);
    await end();
  });

  it('restarts who uses a port optionally when its provider comes or goes', async () => {
    const { plugins } = world();
    const { engine, reload, end } = await testEngine(configOf(['acme::aa::Page']), plugins);
    await engine.start();
    expect((await reload(configOf(ALL))).restarted).to.deep.equal(['acme::aa::Page']);
    expect((await reload(configOf(['acme::aa::Page']))).restarted).to.deep.equal(['acme::aa::Page']);
    await end();
  });

  it('restarts a module whose adapter changed', async () => {
    const { plugins } = world();
    const side = (limit: number): string => `{ class: acme::aa::Side, config: { adapter: { class: acme::part::adapters::Part, config: { limit: ${limit} } } } }`;
    const { engine, reload, end } = await testEngine(configOf([side(1)]), plugins);
    await engine.start();
    expect((await reload(configOf([side(2)]))).restarted).to.deep.equal(['acme::aa::Side']);
    expect((await reload(configOf(['acme::aa::Side']))).restarted).to.deep.equal(['acme::aa::Side']);
    await end();
  });

  it('keeps a list in the order of the new configuration', async () => {
    const { journal, plugins } = world();
    const { engine, reload, end } = await testEngine(configOf(['acme::aa::Pa', 'acme::aa::Pc', 'acme::aa::Reader']), plugins);
    await engine.start();
    await reload(configOf(['acme::aa::Pa', 'acme::aa::Pb', 'acme::aa::Pc', 'acme::aa::Reader']));
    expect(journal.filter((line) => line.startsWith('reads'))).to.deep.equal(['reads Pa Pc', 'reads Pa Pb Pc']);
    await end();
  });

  it('restarts everything when the data directory is another one', async () => {
    const { plugins } = world();
    const { engine, reload, end } = await testEngine(configOf(['acme::aa::Side']), plugins);
    await engine.start();
    expect((await reload(configOf(['acme::aa::Side'], 'data_dir: other'))).restarted).to.deep.equal(['acme::aa::Side']);
    expect(engine.plan.dataDir).to.match(/other$/);
    await end();
  });

  for (const [limit, code] of [[13, 'MODULE_INIT_FAILED'], [14, 'MODULE_START_FAILED']] as const) {
    it(`puts the former entries back after ${code}`, async () => {
      const { plugins } = world();
      const { engine, reload, end } = await testEngine(configOf(ALL), plugins);
      await engine.start();
      const report = await reload(configOf([store(limit), ...ALL.slice(1), 'acme::aa::Pa']));
      expect(report.errors.map((error) => error.code)).to.deep.equal([code]);
      expect(report).to.deep.include({ rolledBack: true, started: [], stopped: [] });
      expect(engine.port(Cache)).to.equal('cache of 1');
      expect(engine.port(Parts)).to.deep.equal([]);
      expect(engine.health.report()).to.deep.equal({ status: 'ok' });
      expect((await reload(configOf([store(3), ...ALL.slice(1)]))).rolledBack).to.equal(false);
      expect(engine.port(Cache)).to.equal('cache of 3');
      await end();
    });
  }

  it('keeps what still works when the former entries do not come back either', async () => {
    const journal: Journal = [];
    const { plugins, taken } = takenPort(journal);
    const { engine, log, reload, end } = await testEngine(configOf(['acme::aa::Once', 'acme::aa::Side']), plugins);
    await engine.start();
    taken.is = true;
    const report = await reload(configOf(['{ class: acme::aa::Once, config: { limit: 2 } }', 'acme::aa::Side']));
    expect(report.errors.map(({ code }) => code)).to.deep.equal(['MODULE_INIT_FAILED', 'MODULE_INIT_FAILED']);
    expect(report).to.deep.include({ rolledBack: true, started: [], restarted: [], stopped: ['acme::aa::Once'] });
    expect(report.lost).to.deep.equal({ 'acme::aa::Once': report.errors[1]?.message });
    expect(log.records.filter(({ level }) => level === 'error')).to.have.length(2);
    expect(journal).to.not.include('stop acme::aa::Side');
    journal.length = 0;
    await engine.stop();
    expect(journal).to.deep.equal(['drain acme::aa::Side', 'stop acme::aa::Side']);
    await end();
  });

  it('reports what did not come back as failed, and starts it with what depends on it at the next reload', async () => {
    const journal: Journal = [];
    const { plugins, taken } = takenPort(journal);
    const all = (limit: number): string => configOf([`{ class: acme::aa::Once, config: { limit: ${limit} } }`, 'acme::aa::Uses', 'acme::aa::Side']);
    const { engine, reload, end } = await testEngine(all(1), plugins);
    await engine.start();
    taken.is = true;
    await reload(all(2));
    const checks = { 'acme::aa::Once': { status: 'failed', message: 'acme::aa::Once (modules[0]) failed in init after 0 ms: the port is taken' } };
    expect(engine.health.report()).to.deep.equal({ status: 'unavailable', checks });
    expect((await reload(all(3))).lost).to.have.keys(['acme::aa::Once']);
    expect(engine.health.report()).to.deep.equal({ status: 'unavailable', checks });
    taken.is = false;
    journal.length = 0;
    expect(await reload(all(1))).to.deep.include({
      started: ['acme::aa::Once'], restarted: ['acme::aa::Uses'], unchanged: ['acme::aa::Side'], rolledBack: false, lost: {},
    });
    expect(journal.filter((line) => /^start|^stop/.test(line))).to.deep.equal(['stop acme::aa::Uses', 'start acme::aa::Once', 'start acme::aa::Uses']);
    expect(engine.health.report()).to.deep.equal({ status: 'ok' });
    await end();
  });

  it('brings back what an earlier reload has lost when the next one fails, and forgets it when it is planned no more', async () => {
    const { plugins, taken } = takenPort([]);
    const once = (limit: number): string => configOf([`{ class: acme::aa::Once, config: { limit: ${limit} } }`, 'acme::aa::Side']);
    const { engine, reload, end } = await testEngine(once(1), plugins);
    await engine.start();
    taken.is = true;
    await reload(once(2));
    taken.is = false;
    expect(await reload(once(13))).to.deep.include({ rolledBack: true, started: ['acme::aa::Once'], stopped: [], lost: {} });
    expect(engine.health.report()).to.deep.equal({ status: 'ok' });
    taken.is = true;
    await reload(once(2));
    expect(engine.health.report().status).to.equal('unavailable');
    expect(await reload(configOf(['acme::aa::Side']))).to.deep.include({ rolledBack: false, stopped: [], lost: {} });
    expect(engine.health.report()).to.deep.equal({ status: 'ok' });
    await end();
  });

  it('runs reloads one after the other, and none after a stop', async () => {
    const { plugins } = world();
    const { engine, reload, end } = await testEngine(configOf(ALL), plugins);
    await engine.start();
    const [first, second] = await Promise.all([
      reload(configOf([store(2), ...ALL.slice(1)])), reload(configOf([store(3), ...ALL.slice(1)])),
    ]);
    expect([first.restarted.length, second.restarted.length]).to.deep.equal([3, 3]);
    expect(engine.port(Cache)).to.equal('cache of 3');
    await engine.stop();
    const late = await reload(configOf(ALL));
    expect(late.errors.map(({ code }) => code)).to.deep.equal(['ENGINE_STOPPED']);
    await end();
  });

  it('gives what a module hands over to the one in its place, back again when that fails, and to nobody later', async () => {
    const former: unknown[] = [];
    let made = 0;
    const keeper = moduleClass('acme::aa::Keeper', {
      config: limited, injects: [injectConfig], construct: ([config]) => { limit = (config as { limit: number }).limit; },
      init: async (context) => {
        former.push(context.former);
        if (limit === 13) throw new Error('cannot open');
        return Promise.resolve();
      },
    });
    let limit = 0;
    keeper.prototype.handOver = () => (limit === 14 ? undefined : `kept ${made += 1}`);
    const { engine, reload, end } = await testEngine(configOf(['{ class: acme::aa::Keeper, config: { limit: 1 } }']), [builtin([keeper, moduleClass('acme::aa::Side', {})])]);
    await engine.start();
    const keep = (to: number): string => configOf([`{ class: acme::aa::Keeper, config: { limit: ${to} } }`]);
    await reload(keep(2));
    expect(former).to.deep.equal([undefined, 'kept 1']);
    expect((await reload(keep(13))).rolledBack).to.equal(true);
    expect(former.slice(2)).to.deep.equal(['kept 2', 'kept 3']);
    await reload(configOf(['acme::aa::Side']));
    await reload(keep(3));
    expect(former.slice(4)).to.deep.equal([undefined]);
    await end();
  });

  it('gives up a reload when the engine is stopped meanwhile', async () => {
    const journal: Journal = [];
    const slow = moduleClass('acme::aa::Slow', { journal, init: forever });
    const side = moduleClass('acme::aa::Side', { journal, config: limited });
    const { engine, clock, reload, end } = await testEngine(configOf(['acme::aa::Side']), [builtin([slow, side])]);
    await engine.start();
    const reloading = reload(configOf(['{ class: acme::aa::Side, config: { limit: 2 } }', 'acme::aa::Slow']));
    await waitUntil(() => journal.includes('init acme::aa::Slow'), clock);
    await engine.stop();
    const report = await reloading;
    expect(report.errors.map(({ code }) => code)).to.deep.equal(['ENGINE_STOPPED']);
    expect(journal.filter((line) => line.startsWith('stop')).length).to.equal(3);
    await end();
  });

  it('is left by a stop while it drains: everything drains at once, once, until one deadline', async () => {
    const journal: Journal = [];
    const contexts: DrainContext[] = [];
    const slow = moduleClass('acme::aa::Slow', {
      journal, config: limited,
      drain: (context) => new Promise((resolve) => { contexts.push(context); context.signal.addEventListener('abort', () => resolve()); }),
    });
    const side = moduleClass('acme::aa::Side', { journal, drain: (context) => { contexts.push(context); return forever(); } });
    const { engine, clock, log, reload, end } = await testEngine(configOf(['acme::aa::Slow', 'acme::aa::Side'], 'drain_timeout_ms: 20000'), [builtin([slow, side])]);
    await engine.start();
    const reloading = reload(configOf(['{ class: acme::aa::Slow, config: { limit: 2 } }', 'acme::aa::Side'], 'drain_timeout_ms: 20000'));
    await waitUntil(() => journal.includes('drain acme::aa::Slow'), clock);
    journal.length = 0;
    await clock.advance(1_000);
    const stopping = engine.stop();
    await waitUntil(() => journal.includes('drain acme::aa::Side'), clock);
    expect((await reloading).errors.map(({ code }) => code)).to.deep.equal(['ENGINE_STOPPED']);
    expect(contexts.map(({ deadline }) => deadline - clock.now())).to.deep.equal([19_000, 20_000]);
    await clock.advance(18_999);
    expect(contexts.map(({ signal }) => signal.aborted)).to.deep.equal([false, false]);
    await clock.advance(1);
    expect(contexts.map(({ signal }) => signal.aborted)).to.deep.equal([true, false]);
    for (const ms of [1_000, DRAIN_GRACE_MS]) await clock.advance(ms);
    expect(await stopping).to.deep.include({ drained: false, ms: 20_000 + DRAIN_GRACE_MS });
    expect(journal).to.deep.equal(['drain acme::aa::Side', 'stop acme::aa::Side', 'stop acme::aa::Slow']);
    expect(log.text()).to.not.contain('configuration reloaded');
    expect(clock.pending).to.equal(0);
    await end();
  });

  it('does nothing for an engine that never ran', async () => {
    const { plugins } = world();
    const { reload, end } = await testEngine(configOf(ALL), plugins);
    expect((await reload(configOf(ALL))).errors.map(({ code }) => code)).to.deep.equal(['ENGINE_STOPPED']);
    await end();
  });
});
