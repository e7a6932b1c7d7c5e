import { expect } from 'chai';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  AdminCatalog, Catalog, EngineInfo, Health, Invoker, Operations, Sessions, TreadleError, Triggers, bind, manyToken, slot, token, treadleError,
  type ModuleContext,
} from '@treadle/api';
import { Engine } from './engine.js';
import { ALONE, configOf, forever, rejection, testEngine, waitUntil } from './engine.fixture.js';
import {
  adapterClass, builtin, goodPlan, injectAdapter, injectAdapters, injectConfig, injectToken, moduleClass, type Journal,
} from './kernel.fixture.js';

const Store = token<string>('acme.Store');
const Parts = manyToken<string>('acme.Parts');

describe('Engine.start', () => {
  it('builds adapters first, then their module; starts in order, stops in reverse', async () => {
    const journal: Journal = [];
    const store = moduleClass('acme::aa::Store', {
      journal, provides: [Store], ports: () => [bind(Store, 'the store')], slots: { adapter: { slot: slot('store') } },
      injects: [injectAdapter('adapter')],
    });
    const user = moduleClass('acme::aa::User', { journal, injects: [injectToken(Store)] });
    const disk = adapterClass('acme::store::adapters::Disk', { journal });
    const yaml = configOf(['acme::aa::User', '{ class: acme::aa::Store, config: { adapter: { class: acme::store::adapters::Disk } } }']);
    const { engine, end } = await testEngine(yaml, [builtin([store, user], [disk])]);
    await engine.start();
    expect(journal).to.deep.equal([
      'construct acme::store::adapters::Disk', 'construct acme::aa::Store', 'construct acme::aa::User',
      'init acme::store::adapters::Disk', 'init acme::aa::Store', 'init acme::aa::User',
      'start acme::store::adapters::Disk', 'start acme::aa::Store', 'start acme::aa::User',
      'ready acme::store::adapters::Disk', 'ready acme::aa::Store', 'ready acme::aa::User',
    ]);
    expect(engine.port(Store)).to.equal('the store');
    journal.length = 0;
    const report = await engine.stop();
    expect(report.errors).to.deep.equal([]);
    expect(report.drained).to.equal(true);
    expect(journal).to.deep.equal([
      'drain acme::aa::User', 'drain acme::aa::Store', 'drain acme::store::adapters::Disk',
      'stop acme::aa::User', 'stop acme::aa::Store', 'stop acme::store::adapters::Disk',
    ]);
    expect(engine.port(Store)).to.equal(undefined);
    await end();
  });

  it('injects config, adapters, ports, lists in start order, and what the engine gives', async () => {
    let args: readonly unknown[] = [];
    const collector = moduleClass('acme::aa::Collector', {
      injects: [
        injectConfig, injectAdapter('one'), injectAdapters('many'), injectAdapter('none'), injectToken(Parts),
        injectToken(Catalog), injectToken(Triggers), injectToken(Operations), injectToken(Invoker), injectToken(Sessions),
        injectToken(EngineInfo), injectToken(Health), injectToken(AdminCatalog), injectToken(Store, true),
      ],
      slots: {
        one: { slot: slot('part') }, many: { slot: slot('part'), many: true }, none: { slot: slot('part'), optional: true },
      },
      construct: (given) => { args = given; },
    });
    const first = moduleClass('acme::aa::First', { provides: [Parts], ports: () => [bind(Parts, 'first'), bind(Parts, 'and more')] });
    const last = moduleClass('acme::aa::Last', { provides: [Parts], ports: () => [bind(Parts, 'last')] });
    const silent = moduleClass('acme::aa::Silent', { provides: [Parts] });
    const part = adapterClass('acme::part::adapters::Part');
    const entry = '{ class: acme::aa::Collector, config: { one: { class: acme::part::adapters::Part }, '
      + 'many: [{ class: acme::part::adapters::Part }, { class: acme::part::adapters::Part }] } }';
    const { engine, end } = await testEngine(
      configOf([entry, 'acme::aa::First', 'acme::aa::Silent', 'acme::aa::Last']), [builtin([collector, first, last, silent], [part])],
    );
    await engine.start();
    const [config, one, many, none, parts, catalog, triggers, operations, invoker, sessions, info, health, admin, store] = args;
    expect(config).to.deep.equal({});
    expect(one).to.be.instanceOf(part);
    expect(many).to.have.length(2);
    expect(Object.isFrozen(many)).to.equal(true);
    expect(none).to.equal(undefined);
    expect(parts).to.deep.equal(['first', 'and more', 'last']);
    expect(Object.isFrozen(parts)).to.equal(true);
    const { dispatch } = engine;
    expect([catalog, triggers, operations, invoker, sessions])
      .to.have.ordered.members([dispatch.catalog, dispatch.triggers, dispatch.operations, dispatch.invoker, dispatch.sessions]);
    expect((info as EngineInfo).application).to.match(/^treadle-kernel-/);
    expect(health).to.equal(engine.health);
    expect((admin as AdminCatalog).routes()).to.deep.equal([]);
    expect(store).to.equal(undefined);
    expect(engine.port(Parts)).to.deep.equal(['first', 'and more', 'last']);
    await end();
  });

  it('makes the data directory for its owner alone', async () => {
    const { engine, folder, end } = await testEngine(configOf([], 'data_dir: deep/data'), []);
    await engine.start();
    expect(statSync(join(folder.path, 'deep/data')).mode & 0o777).to.equal(0o700);
    await end();
  });

  it('DATA_DIR_UNUSABLE', async () => {
    const { engine, folder, end } = await testEngine(configOf([], 'data_dir: file'), []);
    writeFileSync(join(folder.path, 'file'), '');
    const error = await rejection(engine.start());
    expect(error.code).to.equal('DATA_DIR_UNUSABLE');
    expect(error.exitCode).to.equal(74);
    expect(error.message).to.equal(
      `data directory "${folder.path}/file" cannot be used: EEXIST: file already exists, mkdir '${folder.path}/file'`,
    );
    await end();
  });

  it('tells what it announces, and forgets it with the module', async () => {
    const told: string[] = [];
    const server = moduleClass('acme::aa::Server', {
      injects: [injectToken(EngineInfo)],
      construct: ([info]) => { (info as EngineInfo).announce('server', 'http://127.0.0.1:1'); },
    });
    const { engine, reload, end } = await testEngine(configOf(['acme::aa::Server']), [builtin([server])], {
      announce: (name, address) => told.push(`${name} ${address}`),
    });
    await engine.start();
    expect([...engine.addresses]).to.deep.equal([['server', 'http://127.0.0.1:1']]);
    expect(told).to.deep.equal(['server http://127.0.0.1:1']);
    await reload(configOf([]));
    expect([...engine.addresses]).to.deep.equal([]);
    await end();
  });

  it('gives modules the facts of the engine', async () => {
    let info: EngineInfo | undefined;
    const asks = moduleClass('acme::aa::Asks', { injects: [injectToken(EngineInfo)], construct: ([given]) => { info = given as EngineInfo; } });
    const { engine, folder, end } = await testEngine(configOf(['acme::aa::Asks'], 'mode: development'), [builtin([asks])]);
    await engine.start();
    expect(info).to.deep.include({
      version: '0.0.0-test', mode: 'development', root: folder.path, dataDir: join(folder.path, 'data'),
      configFile: join(folder.path, 'config.yaml'),
    });
    await end();
  });

  it('says which class served an alias, and how long everything took', async () => {
    const aliased = moduleClass('acme::aa::Aliased', { aliases: ['acme::aa::Other'] });
    const { engine, log, clock, end } = await testEngine(configOf(['acme::aa::Other']), [builtin([aliased])], { logLevel: 'debug' });
    await engine.start();
    const served = log.records.find((record) => record.message === 'class served under another name');
    expect(served?.fields).to.deep.include({ written: 'acme::aa::Other', class: 'acme::aa::Aliased', path: 'modules[0]' });
    expect(engine.bootTree.map(({ instance, phase, path }) => `${path} ${instance} ${phase}`)).to.deep.equal([
      'modules[0] acme::aa::Aliased construct', 'modules[0] acme::aa::Aliased init', 'modules[0] acme::aa::Aliased start',
      'modules[0] acme::aa::Aliased ready',
    ]);
    expect(log.records.filter((record) => record.level === 'debug' && record.message === 'boot')).to.have.length(4);
    expect(log.records[0]).to.deep.include({
      timestamp: new Date(clock.now()).toISOString(), stepName: '', traceId: '0'.repeat(32), spanId: '0'.repeat(16),
    });
    await end();
  });

  it('declares trigger kinds and operations of its modules', async () => {
    const kind = { type: 'acme.tick', summary: 'Ticks.', schema: {} };
    const ticking = moduleClass('acme::aa::Ticking', { triggerKinds: [kind], operations: [{ name: 'tick.now', summary: 'Now.' }] });
    const { engine, reload, end } = await testEngine(configOf(['acme::aa::Ticking']), [builtin([ticking])]);
    const notAtomic = { problem: 'it is not delivered by the queue', remedy: 'remove "atomic"' };
    expect(engine.dispatch.triggers.kinds()).to.deep.equal([{ ...kind, owner: 'acme::aa::Ticking', notAtomic }]);
    expect(engine.dispatch.operations.declared.map(({ name }) => name)).to.deep.equal(['tick.now']);
    await engine.start();
    await reload(configOf([]));
    expect(engine.dispatch.triggers.kinds()).to.deep.equal([]);
    await end();
  });

  it('collects the admin routes of running modules', async () => {
    let catalog: AdminCatalog | undefined;
    const console = moduleClass('acme::aa::Console', { injects: [injectToken(AdminCatalog)], construct: ([given]) => { catalog = given as AdminCatalog; } });
    const topics = moduleClass('acme::aa::Topics', {
      init: async ({ admin }: ModuleContext) => {
        admin.get('/topics', async () => ['one']);
        admin.post('/topics/:name/pause', async ({ params }) => params);
      },
    });
    const { engine, reload, end } = await testEngine(configOf(['acme::aa::Console', 'acme::aa::Topics']), [builtin([console, topics])]);
    await engine.start();
    expect(catalog?.routes().map(({ instance, classId, method, path }) => ({ instance, classId, method, path }))).to.deep.equal([
      { instance: 'acme::aa::Topics', classId: 'acme::aa::Topics', method: 'GET', path: '/topics' },
      { instance: 'acme::aa::Topics', classId: 'acme::aa::Topics', method: 'POST', path: '/topics/:name/pause' },
    ]);
    expect(await catalog?.routes()[0]?.handle({ params: {}, query: {}, body: undefined })).to.deep.equal(['one']);
    expect(catalog?.instances().map(({ instance: { id }, status }) => [id, status])).to.deep.equal([['acme::aa::Console', 'ok'], ['acme::aa::Topics', 'ok']]);
    await reload(configOf(['acme::aa::Console']));
    expect(catalog?.routes()).to.deep.equal([]);
    expect(catalog?.instances()).to.have.length(1);
    expect(catalog?.addresses()).to.deep.equal(new Map());
    await end();
  });

  it('starts once however often it is asked, and not after a stop', async () => {
    const journal: Journal = [];
    const { engine, end } = await testEngine(configOf(['acme::aa::One']), [builtin([moduleClass('acme::aa::One', { journal })])]);
    await Promise.all([engine.start(), engine.start()]);
    expect(journal.filter((line) => line.startsWith('init'))).to.have.length(1);
    await end();
    const other = await testEngine(configOf([]), []);
    expect((await other.engine.stop()).errors).to.deep.equal([]);
    const error = await rejection(other.engine.start());
    expect(error.code).to.equal('ENGINE_STOPPED');
    expect(error.message).to.equal('the engine was stopped while it was starting');
    expect(error.exitCode).to.equal(0);
    await other.end();
  });

  it('gives up when it is stopped while it starts, and stops what it has built', async () => {
    const journal: Journal = [];
    let signal: AbortSignal | undefined;
    const slow = moduleClass('acme::aa::Slow', { journal, init: async (context) => { signal = context.signal; await forever(); } });
    const { engine, clock, end } = await testEngine(configOf(['acme::aa::Slow']), [builtin([slow])]);
    const start = rejection(engine.start());
    await waitUntil(() => signal !== undefined, clock);
    const report = await engine.stop();
    expect((await start).code).to.equal('ENGINE_STOPPED');
    expect(signal?.aborted).to.equal(true);
    expect(report.errors).to.deep.equal([]);
    expect(journal).to.deep.equal(['construct acme::aa::Slow', 'init acme::aa::Slow', 'stop acme::aa::Slow']);
    await end();
  });

  it('runs two engines side by side', async () => {
    const first = moduleClass('acme::aa::Store', { provides: [Store], ports: () => [bind(Store, 'x')] });
    const plugins = [builtin([first])];
    const [a, b] = [await testEngine(configOf(['acme::aa::Store']), plugins), await testEngine(configOf(['acme::aa::Store']), plugins)];
    await a.engine.start();
    await b.engine.start();
    await a.end();
    expect(b.engine.port(Store)).to.equal('x');
    expect(b.engine.health.report()).to.deep.equal({ status: 'ok' });
    await b.end();
  });

  it('works with the machine\'s clock when none is given', async () => {
    const { folder, log, end } = await testEngine(configOf([]), []);
    mkdirSync(join(folder.path, 'other'));
    const engine = new Engine({ plan: await goodPlan(`engine: { ${ALONE} }`, [], { folder }), log, engineVersion: '1' });
    await engine.start();
    expect((await engine.stop()).ms).to.be.a('number');
    await end();
  });
});

describe('errors that are thrown to the engine', () => {
  it('pass through with their own code when they are TreadleErrors', async () => {
    const inUse = treadleError('ADDRESS_IN_USE', { address: '127.0.0.1:3111', setting: 'modules[0].config.port' });
    const server = moduleClass('acme::aa::Server', { start: () => Promise.reject(inUse) });
    const { engine, end } = await testEngine(configOf(['acme::aa::Server']), [builtin([server])]);
    const error = await rejection(engine.start());
    expect(error).to.equal(inUse);
    expect(error).to.be.instanceOf(TreadleError);
    expect(error.exitCode).to.equal(69);
    await end();
  });
});
