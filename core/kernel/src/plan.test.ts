import { expect } from 'chai';
import { Catalog, manyToken, slot, token, type ConfigSchema } from '@treadle/api';
import {
  adapterClass, builtin, injectToken, moduleClass, planText, printed, testFolder,
} from './kernel.fixture.js';
import { planEngine } from './plan.js';

const StatePort = token<unknown>('engine.StatePort');
const QueuePort = token<unknown>('engine.QueuePort');
const A = token<unknown>('acme.A');
const B = token<unknown>('acme.B');
const List = manyToken<unknown>('acme.List');

const portConfig: ConfigSchema = {
  type: 'object', additionalProperties: false,
  properties: { port: { type: 'integer', minimum: 0, maximum: 65535, default: 3112, description: 'Port.' }, host: { type: 'string', description: 'Host.' } },
};

const state = moduleClass('modules::state::StateModule', {
  provides: [StatePort], slots: { adapter: { slot: slot('state'), default: 'modules::state::adapters::Plain' } },
  requires: (config) => ((config as { strict?: boolean }).strict ? [{ slot: 'adapter', capability: 'compareAndSet' }] : []),
  config: { type: 'object', additionalProperties: false, properties: { strict: { type: 'boolean', description: 'Strict.' } } },
});
const plainState = adapterClass('modules::state::adapters::Plain', { capabilities: { compareAndSet: false } });
const http = moduleClass('modules::http::HttpModule', {
  aliases: ['modules::api::RestApiModule'], renamedFrom: ['modules::http::OldHttpModule'], config: portConfig,
});
const steps = moduleClass('modules::steps::StepsModule');
const sqs = adapterClass('acme::queue::adapters::Sqs');

const BUILTINS = [builtin([state, http, steps], [plainState, sqs])];
const ALONE = 'engine: { implicit_modules: false }\n';

describe('planEngine', () => {
  it('names a class that is not in this distribution with its place', async () => {
    const { plan, errors } = await planText(`${ALONE}modules:
  - class: modules::stream::StreamModule
    config:
      port: \${STREAM_PORT:3112}
      host: 127.0.0.1
      adapter:
        class: modules::stream::adapters::KvStore
        config: { store_method: file_based, file_path: ./data/stream_store }
`, BUILTINS);
    expect(plan).to.equal(undefined);
    expect(printed(errors)).to.deep.equal([
      'config.yaml:3:12  error  CONFIG_UNKNOWN_CLASS  modules[0].class: no loaded package provides class "modules::stream::StreamModule"',
    ]);
  });

  it('CONFIG_UNKNOWN_CLASS with a suggestion', async () => {
    const { errors } = await planText(`${ALONE}modules:\n  - class: modules::http::HttpModul\n`, BUILTINS);
    expect(printed(errors)).to.deep.equal([
      'config.yaml:3:12  error  CONFIG_UNKNOWN_CLASS  modules[0].class: no loaded package provides class "modules::http::HttpModul"\n'
      + '    hint: did you mean "modules::http::HttpModule"?',
    ]);
  });

  it('CONFIG_UNKNOWN_CLASS with the installed package that would provide it', async () => {
    const folder = testFolder({
      'node_modules/acme-treadle-sqs/package.json': JSON.stringify({
        name: 'acme-treadle-sqs', version: '0.3.1', treadle: { api: '*', entry: './x.js', provides: ['acme::mq::adapters::Sqs'] },
      }),
      'node_modules/@acme/broken/package.json': '{ "treadle"',
      'node_modules/plain/package.json': '{}',
      'node_modules/no-package/readme.txt': '',
      'node_modules/@acme/other/package.json': '{ "name": 7, "treadle": {} }',
      'node_modules/.bin/x': '',
    });
    const { errors } = await planText(`${ALONE}modules:\n  - class: acme::mq::adapters::Sqs\n`, BUILTINS, { folder });
    folder.remove();
    expect(printed(errors)).to.deep.equal([
      'config.yaml:3:12  error  CONFIG_UNKNOWN_CLASS  modules[0].class: no loaded package provides class "acme::mq::adapters::Sqs"\n'
      + '    hint: it is provided by acme-treadle-sqs 0.3.1; add it to "plugins"',
    ]);
  });

  it('CONFIG_WRONG_SLOT for an adapter of another slot, a module in a slot and an adapter in the list of modules', async () => {
    const { errors } = await planText(`${ALONE}modules:
  - class: modules::state::StateModule
    config: { adapter: { class: acme::queue::adapters::Sqs } }
  - class: modules::state::StateModule
    name: second
    config: { adapter: { class: modules::http::HttpModule } }
  - class: acme::queue::adapters::Sqs
`, BUILTINS);
    expect(printed(errors)).to.deep.equal([
      'config.yaml:4:33  error  CONFIG_WRONG_SLOT  modules[0].config.adapter.class: "acme::queue::adapters::Sqs" is a queue adapter; a state adapter is needed here',
      'config.yaml:5:12  error  PORT_DUPLICATE  engine.StatePort is provided by modules[0] modules::state::StateModule and by modules[1] modules::state::StateModule#second',
      'config.yaml:7:33  error  CONFIG_WRONG_SLOT  modules[1].config.adapter.class: "modules::http::HttpModule" is a module; '
      + 'a state adapter is needed here',
      'config.yaml:8:12  error  CONFIG_WRONG_SLOT  modules[2].class: "acme::queue::adapters::Sqs" is a queue adapter; a module is needed here',
    ]);
  });

  it('CAPABILITY_MISSING at the adapter', async () => {
    const { errors } = await planText(`${ALONE}modules:
  - class: modules::state::StateModule
    config: { strict: true, adapter: { class: modules::state::adapters::Plain } }
`, BUILTINS);
    expect(printed(errors)).to.deep.equal([
      'config.yaml:4:47  error  CAPABILITY_MISSING  modules::state::StateModule needs a state adapter with compareAndSet; '
      + 'modules::state::adapters::Plain has none',
    ]);
  });

  it('PORT_MISSING with the class that could be added', async () => {
    const needy = moduleClass('acme::needy::Needy', { injects: [injectToken(StatePort), injectToken(StatePort)] });
    const { errors } = await planText(`${ALONE}modules:\n  - class: acme::needy::Needy\n`, [...BUILTINS, builtin([needy], [], 'acme')]);
    expect(printed(errors)).to.deep.equal([
      'config.yaml:3:12  error  PORT_MISSING  acme::needy::Needy needs engine.StatePort, which no module in this config provides\n'
      + '    hint: add modules::state::StateModule',
    ]);
  });

  it('PORT_MISSING without a hint when no known class provides it', async () => {
    const needy = moduleClass('acme::needy::Needy', { injects: [injectToken(QueuePort)] });
    const { errors } = await planText(`${ALONE}modules:\n  - class: acme::needy::Needy\n`, [builtin([needy])]);
    expect(printed(errors)).to.deep.equal([
      'config.yaml:3:12  error  PORT_MISSING  acme::needy::Needy needs engine.QueuePort, which no module in this config provides',
    ]);
  });

  it('does not miss an optional port, a list, what the engine gives, or what a faulty entry would provide', async () => {
    const needy = moduleClass('acme::needy::Needy', {
      injects: [injectToken(QueuePort, true), injectToken(List), injectToken(Catalog), injectToken(StatePort)],
    });
    const { errors } = await planText(`${ALONE}modules:
  - class: acme::needy::Needy
  - class: modules::state::StateModule
    config: { strict: 7 }
`, [...BUILTINS, builtin([needy], [], 'acme')]);
    expect(errors.map(({ code }) => code)).to.deep.equal(['CONFIG_BAD_VALUE']);
  });

  it('PORT_DUPLICATE', async () => {
    const queue = moduleClass('modules::queue::QueueModule', { provides: [QueuePort] });
    const fast = moduleClass('acme::queue::FastQueue', { provides: [QueuePort] });
    const { errors } = await planText(`${ALONE}modules:
  - class: modules::http::HttpModule
  - class: modules::queue::QueueModule
  - class: acme::queue::FastQueue
`, [...BUILTINS, builtin([queue, fast], [], '@treadle/more')]);
    expect(printed(errors)).to.deep.equal([
      'config.yaml:5:12  error  PORT_DUPLICATE  engine.QueuePort is provided by modules[1] modules::queue::QueueModule '
      + 'and by modules[2] acme::queue::FastQueue',
    ]);
  });

  it('PORT_DUPLICATE for a port that the engine itself provides', async () => {
    const greedy = moduleClass('acme::aa::Greedy', { provides: [Catalog] });
    const { errors } = await planText(`${ALONE}modules:\n  - class: acme::aa::Greedy\n`, [builtin([greedy])]);
    expect(errors.map(({ message }) => message)).to.deep.equal([
      'engine.Catalog is provided by the engine and by modules[0] acme::aa::Greedy',
    ]);
  });

  it('MODULE_CYCLE', async () => {
    const a = moduleClass('acme::aa::Aa', { provides: [A], injects: [injectToken(B)] });
    const b = moduleClass('acme::bb::Bb', { provides: [B], injects: [injectToken(A)] });
    const c = moduleClass('acme::cc::Cc', { injects: [injectToken(A)] });
    const { errors } = await planText(`${ALONE}modules:
  - class: acme::cc::Cc
  - class: acme::aa::Aa
  - class: acme::bb::Bb
`, [builtin([a, b, c])]);
    expect(printed(errors)).to.deep.equal([
      'config.yaml:4:12  error  MODULE_CYCLE  modules depend on each other: acme::aa::Aa needs acme.B › acme::bb::Bb needs acme.A › acme::aa::Aa',
    ]);
  });

  it('CONFIG_DUPLICATE_INSTANCE, but not for entries with different names', async () => {
    const { errors } = await planText(`${ALONE}modules:
  - class: modules::http::HttpModule
  - class: modules::api::RestApiModule
  - { class: modules::http::HttpModule, name: inner }
`, BUILTINS);
    expect(printed(errors)).to.deep.equal([
      'config.yaml:4:5  error  CONFIG_DUPLICATE_INSTANCE  modules[1]: modules::http::HttpModule is already at modules[0]\n'
      + '    hint: give one of them another "name"',
    ]);
  });

  it('CONFIG_DUPLICATE_INSTANCE suggests no name for what can be there only once', async () => {
    const entry = '  - class: modules::state::StateModule\n';
    expect(printed((await planText(`${ALONE}modules:\n${entry}${entry}`, BUILTINS)).errors)).to.deep.equal([
      'config.yaml:4:5  error  CONFIG_DUPLICATE_INSTANCE  modules[1]: modules::state::StateModule is already at modules[0]\n    hint: remove one of them',
    ]);
  });

  it('CONFIG_DEPRECATED_CLASS for a former id, nothing for an alias', async () => {
    const { plan, errors, warnings } = await planText(`${ALONE}modules:
  - { class: modules::http::OldHttpModule, name: a }
  - { class: modules::api::RestApiModule, name: b }
`, BUILTINS);
    expect(errors).to.deep.equal([]);
    expect(printed(warnings)).to.deep.equal([
      'config.yaml:3:14  warning  CONFIG_DEPRECATED_CLASS  modules[0].class: class "modules::http::OldHttpModule" is deprecated; '
      + 'use "modules::http::HttpModule"',
    ]);
    expect(plan?.entries.map(({ instance, servedAs }) => [instance.id, servedAs])).to.deep.equal([
      ['modules::http::HttpModule#a', 'modules::http::OldHttpModule'], ['modules::http::HttpModule#b', 'modules::api::RestApiModule'],
    ]);
  });

  it('CONFIG_CONFLICT when two modules serve a trigger kind or an operation', async () => {
    const kind = { type: 'tick', summary: 's', schema: {} };
    const one = moduleClass('acme::aa::One', { triggerKinds: [kind], operations: [{ name: 'tick.now', summary: 's' }] });
    const two = moduleClass('acme::aa::Two', { triggerKinds: [kind], operations: [{ name: 'tick.now', summary: 's' }] });
    const { errors } = await planText(`${ALONE}modules:\n  - class: acme::aa::One\n  - class: acme::aa::Two\n`, [builtin([one, two])]);
    expect(printed(errors)).to.deep.equal([
      'config.yaml:4:12  error  CONFIG_CONFLICT  modules[1]: trigger kind "tick" is served by acme::aa::Two and by modules[0] acme::aa::One\n'
      + '    hint: remove one of them or set its "enabled" to false',
      'config.yaml:4:12  error  CONFIG_CONFLICT  modules[1]: operation "tick.now" is served by acme::aa::Two and by modules[0] acme::aa::One\n'
      + '    hint: remove one of them or set its "enabled" to false',
    ]);
  });

  it('CONFIG_CONFLICT for what a module finds contradictory in its config, at the key', async () => {
    const strict = moduleClass('acme::aa::Strict', {
      config: {
        type: 'object', additionalProperties: false,
        properties: { cors: { type: 'object', description: 'CORS.', properties: { any: { type: 'boolean', description: 'Any.' } } } },
      },
      conflicts: () => [{ key: 'cors', problem: 'too open', hint: 'close it' }, { key: 'absent', problem: 'not there' }],
    });
    const { errors } = await planText(`${ALONE}modules:\n  - class: acme::aa::Strict\n    config: { cors: { any: true } }\n`, [builtin([strict])]);
    expect(printed(errors)).to.deep.equal([
      'config.yaml:3:5  error  CONFIG_CONFLICT  modules[0].config.absent: not there',
      'config.yaml:4:28  error  CONFIG_CONFLICT  modules[0].config.cors: too open\n    hint: close it',
    ]);
  });

  it('CONFIG_CONFLICT for adapters that share something and do not agree about it, with the lines of both', async () => {
    const shared = adapterClass('acme::state::adapters::Shared', {
      config: {
        type: 'object', additionalProperties: false,
        properties: { file: { type: 'string', description: 'File.' }, mode: { type: 'string', default: 'safe', description: 'Mode.' } },
      },
      shares: (config, dataDir) => {
        const { file, mode } = config as { file: string; mode: string };
        return [{ resource: `${dataDir.split('/').at(-1)}/${file}`, key: 'mode', value: mode, hint: 'agree' }];
      },
    });
    const modules = ['One', 'Two', 'Three'].map((name) => moduleClass(`acme::aa::${name}`, { slots: { adapter: { slot: slot('state') } } }));
    const entry = (name: string, config: string): string => `  - class: acme::aa::${name}\n    config: { adapter: { class: acme::state::adapters::Shared, config: ${config} } }\n`;
    const { errors } = await planText(`${ALONE}modules:\n${entry('One', '{ file: a }')}${entry('Two', '{ file: b, mode: fast }')}${entry('Three', '{ file: a, mode: fast }')}`,
      [builtin(modules, [shared])]);
    expect(printed(errors)).to.deep.equal([
      'config.yaml:8:89  error  CONFIG_CONFLICT  modules[2].config.adapter.config.mode: "fast" for "data/a", for which '
      + 'modules[0].config.adapter.config.mode (config.yaml:4) says "safe"\n    hint: agree',
    ]);
  });

  it('DI_PARAM_WITHOUT_TOKEN is found before anything is built', async () => {
    class Careless {
      constructor(readonly limit: number) {}
    }
    const careless = moduleClass('acme::aa::Careless');
    Object.setPrototypeOf(careless, Careless);
    const { errors } = await planText(`${ALONE}modules:\n  - class: acme::aa::Careless\n`, [builtin([careless])]);
    expect(printed(errors)).to.deep.equal([
      'config.yaml:3:12  error  DI_PARAM_WITHOUT_TOKEN  parameter 0 of the constructor of Careless has no @Inject (constructor(limit))\n'
      + '    hint: every constructor parameter needs @Inject(token), @InjectConfig() or @InjectAdapter(path)',
    ]);
  });

  it('reports everything in one go, in the order of the file', async () => {
    const { errors, counts } = await planText(`modules:
  - class: modules::http::HttpModule
    config: { hosst: x, port: 70000 }
  - class: modules::state::StateModul
engine: { drain_delay: 1 }
plugins: [nowhere]
`, BUILTINS);
    expect(errors.map(({ code, at }) => `${at?.line}:${at?.column} ${code}`)).to.deep.equal([
      '3:15 CONFIG_UNKNOWN_KEY', '3:31 CONFIG_BAD_VALUE', '4:12 CONFIG_UNKNOWN_CLASS', '5:11 CONFIG_UNKNOWN_KEY', '6:11 PLUGIN_NOT_INSTALLED',
    ]);
    expect(counts.modules).to.be.greaterThan(0);
  });

  it('stops at a file that cannot be read or parsed', async () => {
    const result = await planEngine({ configFile: 'nowhere.yaml', cwd: '/', env: {}, builtins: BUILTINS, engineVersion: '0' });
    expect(printed(result.errors)).to.deep.equal(['nowhere.yaml  error  CONFIG_NOT_FOUND  there is no file "nowhere.yaml"']);
    expect((await planText('modules: [', BUILTINS)).errors.map(({ code }) => code)).to.deep.equal(['CONFIG_SYNTAX']);
  });

  it('blames the class whose requires() or capabilities() throws', async () => {
    const odd = moduleClass('acme::aa::Odd', {
      slots: { adapter: { slot: slot('queue') } }, requires: () => { throw new TypeError('odd'); },
    });
    const oddAdapter = adapterClass('acme::queue::adapters::Odd', { capabilities: () => { throw new Error('no'); } });
    const yaml = `${ALONE}modules:\n  - class: acme::aa::Odd\n    config: { adapter: { class: acme::queue::adapters::Odd } }\n`;
    const { errors } = await planText(yaml, [builtin([odd], [oddAdapter])]);
    expect(printed(errors)).to.deep.equal([
      'config.yaml:3:12  error  INTERNAL  acme::aa::Odd: requires() threw TypeError: odd',
      'config.yaml:4:33  error  INTERNAL  acme::queue::adapters::Odd: capabilities() threw Error: no',
    ]);
  });
});
