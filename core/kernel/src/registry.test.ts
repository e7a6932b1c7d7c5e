import { expect } from 'chai';
import { definePlugin, type Ctor, type Lifecycle } from '@treadle/api';
import { adapterClass, builtin, moduleClass, printed } from './kernel.fixture.js';
import { Registry, type PluginSource } from './registry.js';

const at = { file: 'config.yaml', line: 3, column: 5 };

function loaded(modules: readonly Ctor<Lifecycle>[], adapters: readonly Ctor<Lifecycle>[] = [], name = 'acme-treadle-sqs'): PluginSource {
  return { plugin: definePlugin({ name, version: '0.3.1', api: '*', modules, adapters }), builtin: false, at };
}

describe('Registry', () => {
  it('finds classes by id and alias and lists them sorted', () => {
    const { registry, errors } = Registry.build([
      { plugin: builtin([moduleClass('modules::http::HttpModule', { aliases: ['modules::api::RestApiModule'] })]), builtin: true },
      loaded([], [adapterClass('acme::queue::adapters::Sqs')]),
    ]);
    expect(errors).to.deep.equal([]);
    expect(registry.classes().map(({ spec }) => spec.id)).to.deep.equal(['acme::queue::adapters::Sqs', 'modules::http::HttpModule']);
    expect(registry.find('modules::api::RestApiModule')).to.equal(registry.find('modules::http::HttpModule'));
    const sqs = registry.find('acme::queue::adapters::Sqs');
    expect(sqs).to.include({ kind: 'adapter', builtin: false });
    expect(sqs?.package).to.deep.equal({ name: 'acme-treadle-sqs', version: '0.3.1' });
    expect(registry.find('acme::queue::adapters::Other')).to.equal(undefined);
  });

  it('CLASS_BAD_ID', () => {
    const { registry, errors } = Registry.build([loaded([moduleClass('acme.queue.Sqs')])]);
    expect(printed(errors)).to.deep.equal([
      'config.yaml:3:5  error  CLASS_BAD_ID  plugin "acme-treadle-sqs": "acme.queue.Sqs" is not a class ID '
      + '(owner::block::Name or owner::block::adapters::Name)',
    ]);
    expect(registry.classes()).to.deep.equal([]);
  });

  it('CLASS_BAD_ID for a module that is named like an adapter and the reverse', () => {
    const { errors } = Registry.build([loaded([moduleClass('acme::queue::adapters::Sqs')], [adapterClass('acme::queue::Other')])]);
    expect(errors.map(({ code }) => code)).to.deep.equal(['CLASS_BAD_ID', 'CLASS_BAD_ID']);
  });

  it('CLASS_RESERVED_OWNER', () => {
    const { errors } = Registry.build([
      loaded([], [adapterClass('modules::queue::adapters::Sqs')]),
      loaded([moduleClass('acme::aa::Aa', { aliases: ['engine::aa::Aa'] })], [], 'other'),
    ]);
    expect(printed(errors)).to.deep.equal([
      'config.yaml:3:5  error  CLASS_RESERVED_OWNER  plugin "acme-treadle-sqs": class IDs starting with "modules::" are reserved; '
      + 'use your own owner, e.g. "acme::queue::adapters::Sqs"',
      'config.yaml:3:5  error  CLASS_RESERVED_OWNER  plugin "other": class IDs starting with "engine::" are reserved; '
      + 'use your own owner, e.g. "acme::aa::Aa"',
    ]);
  });

  it('lets the packages of this repository use the reserved owners, built in or not', () => {
    const { errors } = Registry.build([
      { plugin: builtin([moduleClass('modules::aa::Aa')]), builtin: true },
      loaded([], [adapterClass('modules::queue::adapters::Redis')], '@treadle/plugin-redis'),
    ]);
    expect(errors).to.deep.equal([]);
  });

  it('CLASS_DUPLICATE', () => {
    const { registry, errors } = Registry.build([
      loaded([], [adapterClass('acme::queue::adapters::Sqs')]),
      { ...loaded([], [adapterClass('acme::queue::adapters::Sqs')], 'acme-treadle-sqs-fork'), plugin: definePlugin({
        name: 'acme-treadle-sqs-fork', version: '0.1.0', api: '*', adapters: [adapterClass('acme::queue::adapters::Sqs')],
      }) },
    ]);
    expect(printed(errors)).to.deep.equal([
      'config.yaml:3:5  error  CLASS_DUPLICATE  class acme::queue::adapters::Sqs is provided by acme-treadle-sqs 0.3.1 '
      + 'and by acme-treadle-sqs-fork 0.1.0\n    hint: remove one of them from "plugins"',
    ]);
    expect(registry.find('acme::queue::adapters::Sqs')?.package.name).to.equal('acme-treadle-sqs');
  });

  it('CLASS_DUPLICATE for an alias that is the id of another class', () => {
    const { errors } = Registry.build([
      loaded([moduleClass('acme::aa::Aa'), moduleClass('acme::aa::Bb', { aliases: ['acme::aa::Aa'] })]),
    ]);
    expect(errors.map(({ message }) => message)).to.deep.equal([
      'class acme::aa::Aa is provided by acme-treadle-sqs 0.3.1 and by acme-treadle-sqs 0.3.1',
    ]);
  });

  it('CLASS_UNDECLARED', () => {
    class Plain {}
    const { errors } = Registry.build([
      loaded([Plain as Ctor<Lifecycle>, adapterClass('acme::queue::adapters::Sqs')], [7 as unknown as Ctor<Lifecycle>]),
    ]);
    expect(printed(errors)).to.deep.equal([
      'config.yaml:3:5  error  CLASS_UNDECLARED  plugin "acme-treadle-sqs": Plain in "modules" has no @Module declaration',
      'config.yaml:3:5  error  CLASS_UNDECLARED  plugin "acme-treadle-sqs": Sqs in "modules" has no @Module declaration',
      'config.yaml:3:5  error  CLASS_UNDECLARED  plugin "acme-treadle-sqs": number in "adapters" has no @Adapter declaration',
    ]);
  });
});
