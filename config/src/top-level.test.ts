import { type Environment, formatError } from '@treadle/api';
import { expect } from 'chai';
import { interpolate, parseConfig, readAdapterEntry, readPreset, readTopLevel, type TopLevel } from './index.js';

const read = (yaml: string, env: Environment = {}): { value: TopLevel; errors: string[] } => {
  const tree = interpolate(parseConfig(yaml, 'c.yaml').value!, env).value;
  const { value, issues } = readTopLevel(tree, 'c.yaml');
  return { value, errors: issues.map(formatError) };
};

describe('readTopLevel', () => {
  it('gives the entries with their places', () => {
    const { value, errors } = read([
      'plugins: [acme, ./local]', 'engine: {mode: production}', 'modules:',
      '  - class: a::b::C', '  - {class: "d::e::F", name: x-1_Y, enabled: false, config: {port: 1}}',
    ].join('\n'));
    expect(errors).to.deep.equal([]);
    const at = (line: number, column: number): object => ({ file: 'c.yaml', line, column });
    expect(value.plugins).to.deep.equal([{ name: 'acme', at: at(1, 11) }, { name: './local', at: at(1, 17) }]);
    expect(value.engine?.at).to.deep.equal(at(2, 9));
    const [first, second] = value.modules;
    expect(first).to.deep.equal({ class: 'a::b::C', classAt: at(4, 12), enabled: true, at: at(4, 5), path: 'modules[0]', index: 0 });
    const { config, ...rest } = second!;
    expect(rest).to.deep.equal({
      class: 'd::e::F', classAt: at(5, 13), name: 'x-1_Y', enabled: false, at: at(5, 5), path: 'modules[1]', index: 1,
    });
    expect(config?.at).to.deep.equal(at(5, 61));
  });

  it('takes sections and keys with nothing behind them as not written', () => {
    expect(read('modules:\nplugins:\nengine:\n')).to.deep.equal({ value: { modules: [], plugins: [], engine: undefined }, errors: [] });
    expect(read('modules: [{class: a::b::C, config: , name: , enabled: }]').errors).to.deep.equal([]);
  });

  it('reads variables: names as text, enabled as true or false', () => {
    const yaml = 'modules: [{class: "${C}", name: "${N}", enabled: "${E}"}]\nplugins: ["${P:acme}"]';
    const { value, errors } = read(yaml, { C: 'a::b::C', N: '01', E: 'false' });
    expect(errors).to.deep.equal([]);
    expect(value.modules[0]).to.include({ class: 'a::b::C', name: '01', enabled: false });
    expect(value.plugins[0]?.name).to.equal('acme');
  });

  it('says nothing more of variables that are missing', () => {
    const yaml = 'modules: ["${X}", {class: "${X}"}, {class: a::b::C, name: "${X}", enabled: "${X}", config: "${X}"}]\nplugins: ["${X}"]\nengine: "${X}"';
    const { value, errors } = read(yaml);
    expect(errors).to.deep.equal([]);
    expect(value.modules.map((entry) => entry.class)).to.deep.equal(['a::b::C']);
    expect(value.plugins).to.deep.equal([]);
  });

  const faults: readonly [string, string, Environment?][] = [
    ['modul: []', 'c.yaml:1:1  error  CONFIG_UNKNOWN_KEY  modul: c.yaml has no setting "modul"\n    hint: did you mean "modules"?'],
    ['"a\\nb": 1', 'c.yaml:1:1  error  CONFIG_UNKNOWN_KEY  ["a\\nb"]: c.yaml has no setting "a\\nb"'],
    ['modules: 5', 'c.yaml:1:10  error  CONFIG_BAD_VALUE  modules: expected list of entries with a "class", got 5'],
    ['plugins: acme', 'c.yaml:1:10  error  CONFIG_BAD_VALUE  plugins: expected list of package names or paths, got "acme"'],
    ['plugins: [{a: 1}]', 'c.yaml:1:11  error  CONFIG_BAD_VALUE  plugins[0]: expected package name or path, got a map'],
    ['plugins: [""]', 'c.yaml:1:11  error  CONFIG_BAD_VALUE  plugins[0]: expected package name or path, got ""'],
    ['modules: [x]', 'c.yaml:1:11  error  CONFIG_BAD_VALUE  modules[0]: expected map with "class", got "x"'],
    ['modules: [{}]', 'c.yaml:1:11  error  CONFIG_MISSING_KEY  modules[0].class: a module entry needs "class"'],
    ['modules: [{class: ""}]', 'c.yaml:1:19  error  CONFIG_BAD_VALUE  modules[0].class: expected string, got ""'],
    ['modules: [{class: [a]}]', 'c.yaml:1:19  error  CONFIG_BAD_VALUE  modules[0].class: expected string, got a list'],
    ['modules: [{class: a, conf: 1}]',
      'c.yaml:1:22  error  CONFIG_UNKNOWN_KEY  modules[0].conf: a module entry has no setting "conf"\n    hint: did you mean "config"?'],
    ['modules: [{class: a, config: [1]}]', 'c.yaml:1:30  error  CONFIG_BAD_VALUE  modules[0].config: expected map, got a list'],
    ['modules: [{class: a, name: a b}]',
      'c.yaml:1:28  error  CONFIG_BAD_VALUE  modules[0].name: expected name of 1 to 64 letters, digits, "_" or "-", got "a b"'],
    ['modules: [{class: a, name: [x]}]',
      'c.yaml:1:28  error  CONFIG_BAD_VALUE  modules[0].name: expected name of 1 to 64 letters, digits, "_" or "-", got a list'],
    ['modules: [{class: a, enabled: yes}]', 'c.yaml:1:31  error  CONFIG_BAD_VALUE  modules[0].enabled: expected true or false, got "yes"'],
    ['modules: [{class: a, enabled: [yes]}]', 'c.yaml:1:31  error  CONFIG_BAD_VALUE  modules[0].enabled: expected true or false, got a list'],
    ['modules: [{class: a, enabled: "${E}"}]',
      'c.yaml:1:31  error  CONFIG_BAD_ENV  modules[0].enabled: E is "maybe"; a module entry enabled must be true or false', { E: 'maybe' }],
  ];
  for (const [yaml, expected, env] of faults) {
    it(`refuses ${yaml}`, () => expect(read(yaml, env).errors).to.deep.equal([expected]));
  }

  it('takes the default preset', () => {
    const { text, file } = readPreset('default');
    const { value, issues } = readTopLevel(parseConfig(text, file).value!, file);
    expect(issues).to.deep.equal([]);
    const blocks = ['http::HttpModule', 'steps::StepsModule', 'state::StateModule', 'queue::QueueModule', 'stream::StreamModule', 'cron::CronModule'];
    const classes = [...blocks, 'console::ConsoleModule', 'observability::OtelModule'].map((id) => `modules::${id}`);
    expect(value.modules.map((entry) => entry.class)).to.deep.equal(classes);
  });
});

describe('readAdapterEntry', () => {
  const readOne = (yaml: string): { value: unknown; errors: string[] } => {
    const { value, issues } = readAdapterEntry(parseConfig(`a: ${yaml}`, 'c.yaml').value!.entries.get('a')!.value, 'modules[2].config.adapter');
    return { value, errors: issues.map(formatError) };
  };

  it('gives class and config', () => {
    const at = (column: number): object => ({ file: 'c.yaml', line: 1, column });
    const { value, errors } = readOne('{class: a::b::adapters::C}');
    expect(errors).to.deep.equal([]);
    expect(value).to.deep.equal({ class: 'a::b::adapters::C', classAt: at(12), at: at(4), path: 'modules[2].config.adapter' });
    expect(readOne('{class: a::b::adapters::C, config: {x: 1}}').value).to.have.nested.property('config.kind', 'map');
  });

  const faults: readonly [string, string][] = [
    ['x', 'c.yaml:1:4  error  CONFIG_BAD_VALUE  modules[2].config.adapter: expected map with "class", got "x"'],
    ['{}', 'c.yaml:1:4  error  CONFIG_MISSING_KEY  modules[2].config.adapter.class: an adapter entry needs "class"'],
    ['{class: a, name: x}', 'c.yaml:1:15  error  CONFIG_UNKNOWN_KEY  modules[2].config.adapter.name: an adapter entry has no setting "name"'],
  ];
  for (const [yaml, expected] of faults) {
    it(`refuses ${yaml}`, () => expect(readOne(yaml).errors).to.deep.equal([expected]));
  }
});
