import { expect } from 'chai';
import { join } from 'node:path';
import { definePlugin, slot, token, type Plugin } from '@treadle/api';
import { adapterClass, builtin, goodPlan, moduleClass, planText, printed, testFolder } from '../kernel.fixture.js';
import { planEngine } from '../plan.js';

const HttpPort = token<unknown>('engine.HttpPort');
// The modules of the shipped default preset.
const http = moduleClass('modules::http::HttpModule', { provides: [HttpPort], aliases: ['modules::api::RestApiModule'] });
const steps = moduleClass('modules::steps::StepsModule', {
  slots: { runtimes: { slot: slot('runtime'), many: true, default: 'modules::runtime::adapters::Node' } },
});
const node = adapterClass('modules::runtime::adapters::Node');
const python = adapterClass('modules::runtime::adapters::Python');
const BUILTINS: readonly Plugin[] = [builtin([http, steps], [node, python])];

async function ids(yaml: string, plugins: readonly Plugin[] = BUILTINS): Promise<string[]> {
  const plan = await goodPlan(yaml, plugins);
  return plan.entries.map(({ instance, implicit }) => `${instance.id}${implicit ? ' (implicit)' : ''}`);
}

describe('the composition of a plan', () => {
  it('adds the built-in modules that the file does not name', async () => {
    expect(await ids('modules: []\n')).to.deep.equal([
      'modules::http::HttpModule (implicit)', 'modules::steps::StepsModule (implicit)',
    ]);
    expect(await ids('{}')).to.have.length(2);
  });

  it('adds nothing that is named by class or by alias', async () => {
    expect(await ids('modules:\n  - class: modules::api::RestApiModule\n')).to.deep.equal([
      'modules::http::HttpModule', 'modules::steps::StepsModule (implicit)',
    ]);
  });

  it('adds nothing whose port a listed module provides', async () => {
    const other = moduleClass('acme::web::FastHttp', { provides: [HttpPort] });
    expect(await ids('modules:\n  - class: acme::web::FastHttp\n', [...BUILTINS, builtin([other], [], 'acme')])).to.deep.equal([
      'acme::web::FastHttp', 'modules::steps::StepsModule (implicit)',
    ]);
  });

  it('leaves out what is named with enabled: false', async () => {
    expect(await ids('modules:\n  - class: modules::http::HttpModule\n    enabled: false\n')).to.deep.equal([
      'modules::steps::StepsModule (implicit)',
    ]);
  });

  it('starts one module alone with implicit_modules: false', async () => {
    expect(await ids('engine: { implicit_modules: false }\nmodules:\n  - class: modules::http::HttpModule\n')).to.deep.equal([
      'modules::http::HttpModule',
    ]);
  });

  it('never adds a module of a plugin, nor a module of the preset that this distribution does not bring', async () => {
    expect(await ids('{}', [builtin([http])])).to.deep.equal(['modules::http::HttpModule (implicit)']);
  });

  it('without a file takes the default configuration, relative to the working directory', async () => {
    const folder = testFolder();
    const { plan, errors, counts } = await planEngine({
      cwd: folder.path, env: {}, builtins: BUILTINS, engineVersion: '0', mode: 'development',
    });
    folder.remove();
    expect(printed(errors)).to.deep.equal([]);
    expect(plan?.entries.map(({ instance, implicit }) => [instance.id, implicit])).to.deep.equal([
      ['modules::http::HttpModule', false], ['modules::steps::StepsModule', false],
    ]);
    expect(plan).to.include({ root: folder.path, dataDir: join(folder.path, 'data'), mode: 'development' });
    expect(plan).to.not.have.property('configFile');
    expect(counts).to.deep.equal({ modules: 2, adapters: 1, env: 0 });
  });
});

describe('slots of a plan', () => {
  const header = 'engine: { implicit_modules: false }\nmodules:\n  - class: modules::steps::StepsModule\n';

  it('fills an empty slot with its default', async () => {
    const plan = await goodPlan(header, BUILTINS);
    expect(plan.entries[0]?.adapters.map(({ instance }) => [instance.id, instance.path])).to.deep.equal([
      ['modules::runtime::adapters::Node', 'modules[0].config.runtimes[0]'],
    ]);
    expect(plan.effective.entries[0]?.adapters[0]).to.include({ slot: 'runtimes', many: true, at: undefined });
  });

  it('fills a list with those of its defaults that are installed', async () => {
    const both = moduleClass('modules::steps::StepsModule', {
      slots: { runtimes: { slot: slot('runtime'), many: true, default: ['modules::runtime::adapters::Node', 'modules::runtime::adapters::Python'] } },
    });
    const planned = async (adapters: Parameters<typeof builtin>[1]): Promise<readonly string[]> =>
      ((await goodPlan(header, [builtin([both], adapters)])).entries[0]?.adapters ?? []).map(({ instance }) => `${instance.path} ${instance.id}`);
    expect(await planned([node, python])).to.deep.equal([
      'modules[0].config.runtimes[0] modules::runtime::adapters::Node', 'modules[0].config.runtimes[1] modules::runtime::adapters::Python',
    ]);
    expect(await planned([node])).to.deep.equal(['modules[0].config.runtimes[0] modules::runtime::adapters::Node']);
    const { errors } = await planText(header, [builtin([both], [python])]);
    expect(errors.map(({ code }) => code)).to.deep.equal(['CONFIG_UNKNOWN_CLASS']);
  });

  it('takes a list in its order, also an empty one', async () => {
    const list = `${header}    config:\n      runtimes:\n        - class: modules::runtime::adapters::Python\n        - class: modules::runtime::adapters::Node\n`;
    const plan = await goodPlan(list, BUILTINS);
    expect(plan.entries[0]?.adapters.map(({ instance }) => instance.path)).to.deep.equal([
      'modules[0].config.runtimes[0]', 'modules[0].config.runtimes[1]',
    ]);
    expect((await goodPlan(`${header}    config: { runtimes: [] }\n`, BUILTINS)).entries[0]?.adapters).to.deep.equal([]);
  });

  it('refuses anything but a list where a list is needed', async () => {
    const { errors } = await planText(`${header}    config: { runtimes: { class: modules::runtime::adapters::Node } }\n`, BUILTINS);
    expect(printed(errors)).to.deep.equal([
      'config.yaml:4:25  error  CONFIG_BAD_VALUE  modules[0].config.runtimes: expected a list of runtime adapters, got a map',
    ]);
    const text = await planText(`${header}    config: { runtimes: node }\n`, BUILTINS);
    expect(text.errors[0]?.message).to.equal('modules[0].config.runtimes: expected a list of runtime adapters, got "node"');
  });

  it('needs an adapter in a slot without default, once, and none in an optional one', async () => {
    const strict = moduleClass('acme::aa::Strict', { slots: { store: { slot: slot('store') }, cache: { slot: slot('cache'), optional: true } } });
    const inSchema = moduleClass('acme::aa::InSchema', {
      slots: { store: { slot: slot('store') } },
      config: { type: 'object', required: ['store'], properties: { store: { 'x-slot': 'store', description: 'Store.' } }, additionalProperties: false },
    });
    const yaml = 'engine: { implicit_modules: false }\nmodules:\n  - class: acme::aa::Strict\n  - class: acme::aa::InSchema\n    config: { store: }\n';
    const { errors } = await planText(yaml, [builtin([strict, inSchema])]);
    expect(printed(errors)).to.deep.equal([
      'config.yaml:3:5  error  CONFIG_MISSING_KEY  modules[0].config: acme::aa::Strict needs "store"',
      'config.yaml:4:5  error  CONFIG_MISSING_KEY  modules[1].config: acme::aa::InSchema needs "store"',
    ]);
  });

  it('reports a default adapter that nobody provides, and what is wrong inside an adapter', async () => {
    const { errors } = await planText(header, [builtin([steps])]);
    expect(printed(errors)).to.deep.equal([
      'config.yaml:3:5  error  CONFIG_UNKNOWN_CLASS  modules[0].config.runtimes[0].class: '
      + 'no loaded package provides class "modules::runtime::adapters::Node"',
    ]);
    const inside = await planText(`${header}    config: { runtimes: [{ class: modules::runtime::adapters::Node, config: { x: 1 } }, 7] }\n`, BUILTINS);
    expect(inside.errors.map(({ code, at }) => `${at?.column} ${code}`)).to.deep.equal(['79 CONFIG_UNKNOWN_KEY', '89 CONFIG_BAD_VALUE']);
  });

  it('asks for capabilities with the config of the adapter', async () => {
    const store = adapterClass('acme::store::adapters::Store', {
      capabilities: (config: unknown) => ({ durable: (config as { file?: string }).file !== undefined, mode: 'none' }),
      config: { type: 'object', additionalProperties: false, properties: { file: { type: 'string', description: 'File.' } } },
    });
    const owner = moduleClass('acme::aa::Owner', {
      slots: { store: { slot: slot('store') } },
      requires: () => [{ slot: 'store', capability: 'durable' }, { slot: 'store', capability: 'mode', accepts: (mode) => mode === 'none' }],
    });
    const yaml = (config: string): string => `engine: { implicit_modules: false }\nmodules:\n  - class: acme::aa::Owner\n    config: { store: { class: acme::store::adapters::Store, config: { ${config} } } }\n`;
    expect((await planText(yaml('file: a'), [builtin([owner], [store])])).errors).to.deep.equal([]);
    expect((await planText(yaml(''), [builtin([owner], [store])])).errors.map(({ message }) => message)).to.deep.equal([
      'acme::aa::Owner needs a store adapter with durable; acme::store::adapters::Store has none',
    ]);
  });
});

describe('the facts of a plan', () => {
  const yaml = 'engine: { implicit_modules: false, root: app, data_dir: ../elsewhere }\n';

  it('resolves root and data_dir from the folder of the config file', async () => {
    const folder = testFolder({ 'conf/app/dist/treadle.lock.json': '{ "name": "shop" }', 'conf/config.yaml': yaml });
    const { plan } = await planEngine({
      configFile: 'conf/config.yaml', cwd: folder.path, env: {}, builtins: [], engineVersion: '0',
    });
    folder.remove();
    expect(plan).to.include({
      root: join(folder.path, 'conf/app'), dataDir: join(folder.path, 'elsewhere'), application: 'shop', mode: 'production',
      configFile: join(folder.path, 'conf/config.yaml'),
    });
  });

  it('is named after its root folder without a lock file that says otherwise', async () => {
    const folder = testFolder({ 'treadle.lock.json': '{ "name": 7 }' });
    const plan = await goodPlan('engine: { implicit_modules: false, root: app }', [], { folder });
    expect(plan.application).to.equal('app');
    folder.remove();
  });

  it('lets YAML decide the mode against whoever plans', async () => {
    const written = 'engine: { implicit_modules: false, mode: production }';
    expect((await goodPlan(written, [], { mode: 'development' })).mode).to.equal('production');
    expect((await goodPlan('engine: { mode: "${MODE:production}" }', [], { mode: 'development' })).mode).to.equal('production');
    expect((await goodPlan('engine: { preset: development }', [], { mode: 'production' })).mode).to.equal('development');
    const production = await goodPlan('engine: { preset: "${PRESET:production}" }', [], { mode: 'development' });
    expect(production.settings).to.include({ drain_delay_ms: 5000, mode: 'development' });
    expect((await goodPlan('{}', [], { mode: 'development' })).settings.mode).to.equal('development');
  });

  it('counts values from the environment', async () => {
    const limited = moduleClass('acme::aa::Limited', {
      config: { type: 'object', additionalProperties: false, properties: { limit: { type: 'integer', description: 'Limit.' } } },
    });
    const text = 'engine: { implicit_modules: false, drain_delay_ms: "${DELAY}" }\nmodules:\n  - class: acme::aa::Limited\n    config: { limit: "${LIMIT:3}" }\n';
    const { counts, plan } = await planText(text, [builtin([limited])], { env: { DELAY: '5', LIMIT: '4' } });
    expect(counts).to.deep.equal({ modules: 1, adapters: 0, env: 2 });
    expect(plan?.settings.drain_delay_ms).to.equal(5);
    expect(plan?.entries[0]?.config).to.deep.equal({ limit: 4 });
    expect(Object.isFrozen(plan?.entries[0]?.config)).to.equal(true);
  });

  it('has a fingerprint that changes with the config and the adapters, not with the place', async () => {
    const first = await goodPlan('modules:\n  - class: modules::http::HttpModule\n  - class: modules::steps::StepsModule\n', BUILTINS);
    const moved = await goodPlan('modules:\n  - class: modules::steps::StepsModule\n  - class: modules::http::HttpModule\n', BUILTINS);
    const changed = await goodPlan('modules:\n  - class: modules::steps::StepsModule\n    config: { runtimes: [] }\n', BUILTINS);
    const print = (plan: typeof first, id: string): string | undefined => plan.entries.find(({ instance }) => instance.id === id)?.fingerprint;
    expect(print(first, 'modules::steps::StepsModule')).to.equal(print(moved, 'modules::steps::StepsModule'));
    expect(print(first, 'modules::steps::StepsModule')).to.not.equal(print(changed, 'modules::steps::StepsModule'));
  });

  it('knows what printEffective needs', async () => {
    const plan = await goodPlan('plugins: []\nmodules:\n  - class: modules::api::RestApiModule\n    name: x\n', BUILTINS);
    expect(plan.effective.entries[0]).to.include({
      class: 'modules::http::HttpModule', servedAs: 'modules::api::RestApiModule', name: 'x', implicit: false,
    });
    expect(plan.effective.entries[1]).to.include({ class: 'modules::steps::StepsModule', implicit: true, at: undefined });
    expect(plan.effective.engine.config).to.have.property('drain_timeout_ms', 30_000);
  });

  it('goes on with the defaults of a faulty engine section', async () => {
    const { errors } = await planText('engine: { drain_delay_ms: soon }\nmodules:\n  - class: nothing\n', [
      definePlugin({ name: 'x', version: '1.0.0', api: '*' }),
    ]);
    expect(errors.map(({ code }) => code)).to.deep.equal(['CONFIG_BAD_VALUE', 'CONFIG_UNKNOWN_CLASS']);
  });
});
