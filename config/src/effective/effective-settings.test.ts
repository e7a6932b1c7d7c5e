import { expect } from 'chai';
import { type EffectiveEntry, effectiveSettings } from '../index.js';

const at = (line: number, file = 'config.yaml') => ({ file, line, column: 3 });
const entry: EffectiveEntry = {
  path: 'modules[1].config', class: 'a::b::C', implicit: false, at: at(4),
  config: { port: 1, hosts: ['a', 'b'], none: [], deep: { flag: true }, api_key: 'hunter2', url: 'redis://me:hunter2@h/0', pool: 5, mode: 'x' },
  origins: {
    port: { kind: 'env', variable: 'PORT' }, 'hosts[0]': { kind: 'file', at: at(6) }, 'hosts[1]': { kind: 'env', variable: 'HOST_B', at: at(7), fromDefault: true },
    none: { kind: 'default' }, api_key: { kind: 'file', at: at(8) }, url: { kind: 'env', variable: 'URL', at: at(9) }, pool: { kind: 'file', at: { file: '(--pool)' } },
    mode: { kind: 'file', at: { file: '(the command)' } },
  },
  schema: {},
  adapters: [
    { path: 'modules[1].config.adapter.config', slot: 'adapter', many: false, class: 'a::b::adapters::D', config: { ttl: 3 }, origins: { ttl: { kind: 'file', at: at(2, '(production preset)') } }, schema: {} },
  ],
};

describe('effectiveSettings', () => {
  const shown = (): readonly string[] => effectiveSettings({ plugins: [], engine: { path: 'engine', config: { data_dir: './d' }, origins: { data_dir: { kind: 'default' } }, schema: {} }, entries: [entry] })
    .map(({ module, path, value, secret, origin }) => `${module ?? '-'} ${path} ${JSON.stringify(value)}${secret ? ' secret' : ''} ${JSON.stringify(origin)}`);

  it('names every value with where it comes from, and shows no secret', () => {
    expect(shown()).to.deep.equal([
      '- engine.data_dir "./d" {"kind":"default"}',
      'a::b::C modules[1].class "a::b::C" {"kind":"file","line":4}',
      'a::b::C modules[1].config.port 1 {"kind":"environment","variable":"PORT"}',
      'a::b::C modules[1].config.hosts[0] "a" {"kind":"file","line":6}',
      'a::b::C modules[1].config.hosts[1] "b" {"kind":"environment","variable":"HOST_B","line":7,"isDefault":true}',
      'a::b::C modules[1].config.none [] {"kind":"default"}',
      'a::b::C modules[1].config.deep.flag true {"kind":"default"}',
      'a::b::C modules[1].config.api_key "[redacted]" secret {"kind":"file","line":8}',
      'a::b::C modules[1].config.url "redis://[redacted]@h/0" {"kind":"environment","variable":"URL","line":9}',
      'a::b::C modules[1].config.pool 5 {"kind":"flag","flag":"--pool"}',
      'a::b::C modules[1].config.mode "x" {"kind":"command"}',
      'a::b::adapters::D modules[1].config.adapter.class "a::b::adapters::D" {"kind":"default"}',
      'a::b::adapters::D modules[1].config.adapter.config.ttl 3 {"kind":"preset","line":2}',
    ]);
  });
});
