import { expect } from 'chai';
import { bind, type ConfigSchema, liveSettings, token, type Plugin, type ReconfigureContext } from '@treadle/api';
import { configOf, testEngine } from './engine.fixture.js';
import { builtin, injectConfig, injectToken, moduleClass, planText, printed, type Journal } from './kernel.fixture.js';

const Store = token<unknown>('acme.Store');
const whole = { type: 'integer', default: 1, description: 'Some number.' };
const settings: ConfigSchema = {
  type: 'object', additionalProperties: false, properties: { ...liveSettings({ pace: whole, size: whole }), file: { type: 'string', default: 'a', description: 'Not live.' } },
};

interface World { readonly journal: Journal; readonly plugins: readonly Plugin[]; readonly contexts: ReconfigureContext[] }

/** Store ← Page; both take `pace` and `size` while they run. A pace of 13 is refused by Page, and Plain takes nothing. */
function world(): World {
  const journal: Journal = [];
  const contexts: ReconfigureContext[] = [];
  const taking = async (config: unknown, context: ReconfigureContext): Promise<void> => {
    contexts.push(context);
    if ((config as { size: number }).size === 13) throw new Error('13 is too many');
    return Promise.resolve();
  };
  const store = moduleClass('acme::aa::Store', {
    journal, config: settings, provides: [Store], injects: [injectConfig], ports: () => [bind(Store, {})], reconfigure: taking,
  });
  const page = moduleClass('acme::aa::Page', { journal, config: settings, injects: [injectToken(Store)], reconfigure: taking });
  const plain = moduleClass('acme::aa::Plain', { journal, config: settings });
  return { journal, contexts, plugins: [builtin([store, page, plain])] };
}

const entry = (name: string, config: string): string => `{ class: acme::aa::${name}, config: { ${config} } }`;
const all = (store: string, page = '', plain = ''): string => configOf([entry('Store', store), entry('Page', page), entry('Plain', plain)], 'drain_timeout_ms: 5000, drain_delay_ms: 7');

describe('Engine.reload of settings that are taken while it runs', () => {
  it('gives them to the instance that runs, and leaves alone what depends on it', async () => {
    const { journal, contexts, plugins } = world();
    const { engine, reload, end } = await testEngine(all(''), plugins);
    await engine.start();
    journal.length = 0;
    const report = await reload(all('pace: 2'));
    expect(journal).to.deep.equal(['reconfigure acme::aa::Store {"pace":2,"size":1,"file":"a"}']);
    expect(report).to.deep.include({
      restarted: [], reconfigured: { 'acme::aa::Store': ['pace'] }, unchanged: ['acme::aa::Page', 'acme::aa::Plain'], reasons: {}, rolledBack: false,
    });
    expect(contexts[0]).to.include({ drainTimeoutMs: 5000, drainDelayMs: 7 });
    expect(engine.plan.entries.find(({ instance }) => instance.id === 'acme::aa::Store')?.config).to.include({ pace: 2 });
    expect((await reload(all('pace: 2'))).reconfigured).to.deep.equal({});
    await end();
  });

  it('restarts what cannot take a setting, with all that depends on it, and says why', async () => {
    const { journal, plugins } = world();
    const { engine, reload, end } = await testEngine(all(''), plugins);
    await engine.start();
    journal.length = 0;
    const report = await reload(all('pace: 2, file: b', 'pace: 3', 'pace: 4'));
    expect(journal.filter((line) => line.startsWith('reconfigure'))).to.deep.equal([]);
    expect(report.restarted).to.deep.equal(['acme::aa::Store', 'acme::aa::Page', 'acme::aa::Plain']);
    expect(report.reasons).to.deep.equal({ 'acme::aa::Store': ['file'], 'acme::aa::Page': ['acme.Store'], 'acme::aa::Plain': ['pace'] });
    await end();
  });

  it('gives back what was taken and stops nothing when one of them is refused', async () => {
    const { journal, plugins } = world();
    const { engine, log, reload, end } = await testEngine(all(''), plugins);
    await engine.start();
    journal.length = 0;
    const report = await reload(all('pace: 2', 'size: 13', 'pace: 4'));
    expect(journal).to.deep.equal([
      'reconfigure acme::aa::Store {"pace":2,"size":1,"file":"a"}', 'reconfigure acme::aa::Page {"size":13,"pace":1,"file":"a"}',
      'reconfigure acme::aa::Store {"pace":1,"size":1,"file":"a"}',
    ]);
    expect(report).to.deep.include({ restarted: [], reconfigured: {}, rolledBack: true });
    expect(report.errors.map(({ code }) => code)).to.deep.equal(['MODULE_RECONFIGURE_FAILED']);
    expect(log.records.at(-1)?.message).to.contain('acme::aa::Page (modules[1]) did not take its new settings after 0 ms: 13 is too many');
    expect((await reload(all('pace: 2'))).rolledBack).to.equal(false);
    await end();
  });

  it('gives them back, too, when something else does not start', async () => {
    const { journal, plugins } = world();
    const broken = moduleClass('acme::aa::Broken', { start: () => Promise.reject(new Error('no')) });
    const { engine, reload, end } = await testEngine(all(''), [...plugins, builtin([broken], [], '@treadle/other')]);
    await engine.start();
    journal.length = 0;
    const report = await reload(configOf([entry('Store', 'pace: 2'), entry('Page', ''), entry('Plain', ''), 'acme::aa::Broken'], 'drain_timeout_ms: 5000, drain_delay_ms: 7'));
    expect(report).to.deep.include({ reconfigured: {}, rolledBack: true });
    expect(journal.filter((line) => line.startsWith('reconfigure')).at(-1)).to.contain('"pace":1');
    await end();
  });

  it('gives the former settings at the next reload to what did not take them back', async () => {
    let isStuck = false;
    const given: unknown[] = [];
    const stuck = moduleClass('acme::aa::Stuck', {
      config: settings,
      reconfigure: (config) => {
        given.push((config as { pace: number }).pace);
        return isStuck && given.length > 1 ? Promise.reject(new Error('not now')) : Promise.resolve();
      },
    });
    const broken = moduleClass('acme::aa::Broken', { start: () => Promise.reject(new Error('no')) });
    const { engine, reload, end } = await testEngine(configOf([entry('Stuck', 'pace: 1')]), [builtin([stuck, broken])]);
    await engine.start();
    isStuck = true;
    expect((await reload(configOf([entry('Stuck', 'pace: 2'), 'acme::aa::Broken']))).errors).to.have.length(2);
    isStuck = false;
    expect((await reload(configOf([entry('Stuck', 'pace: 1')]))).reconfigured).to.deep.equal({ 'acme::aa::Stuck': ['pace'] });
    expect(given).to.deep.equal([2, 1, 1]);
    await end();
  });
});

describe('what a module checks around a valid config', () => {
  const looks = (check: () => Promise<readonly { key: string; problem: string; hint?: string }[]>): Promise<string[]> => planText(
    'engine: { implicit_modules: false }\nmodules:\n  - class: acme::aa::Looks\n    config:\n      file: there\n',
    [builtin([moduleClass('acme::aa::Looks', { config: settings, check })])],
  ).then(({ errors }) => printed(errors));

  it('is a conflict at the key, with file and line, before anything is built', async () => {
    expect(await looks(() => Promise.resolve([{ key: 'file', problem: 'it is not there', hint: 'make it' }])))
      .to.deep.equal(['config.yaml:5:13  error  CONFIG_CONFLICT  modules[0].config.file: it is not there\n    hint: make it']);
  });

  it('is an error of the class when it throws', async () => {
    expect((await looks(() => Promise.reject(new Error('oh'))))[0]).to.contain('acme::aa::Looks: check() threw Error: oh');
  });
});
