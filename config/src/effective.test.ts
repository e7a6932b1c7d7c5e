import { expect } from 'chai';
import fc from 'fast-check';
import { effectiveJson, printEffective, parseConfig, interpolate, type EffectiveConfig, type EffectiveEntry } from './index.js';
import { plainOf } from './located.fixture.js';

const entry = (config: Record<string, unknown>, more: Partial<EffectiveEntry> = {}): EffectiveEntry =>
  ({ path: 'modules[0].config', class: 'a::b::C', implicit: false, at: { file: 'c.yaml', line: 2 }, config, origins: {}, schema: {}, adapters: [], ...more });
const effective = (...entries: EffectiveEntry[]): EffectiveConfig =>
  ({ plugins: [], engine: { path: 'engine', config: {}, origins: {}, schema: {} }, entries });

describe('printEffective', () => {
  it('marks what was added, what an alias is served by, and where each value comes from', () => {
    const adapters = [
      { path: 'modules[0].config.store.config', slot: 'store', many: false, class: 'a::s::adapters::S', servedAs: 'a::s::Old', at: { file: 'c.yaml', line: 5 }, config: { path: 'x' }, origins: {}, schema: {} },
      { path: 'modules[0].config.runtimes[0].config', slot: 'runtimes', many: true, class: 'a::r::adapters::R', config: {}, origins: {}, schema: {} },
      { path: 'modules[0].config.runtimes[1].config', slot: 'runtimes', many: true, class: 'a::r::adapters::Q', config: {}, origins: {}, schema: {} },
    ];
    const first = entry({ port: 1, list: [], map: {}, nothing: null }, {
      servedAs: 'a::old::C', name: 'main', adapters,
      origins: {
        port: { kind: 'env', variable: 'P' }, list: { kind: 'file', at: { file: 'c.yaml', line: 3 } }, map: { kind: 'default' },
        nothing: { kind: 'env', variable: 'Q', at: { file: 'c.yaml', line: 4, column: 2 }, fromDefault: true },
      },
    });
    const plugins = [{ name: './p q', at: { file: 'c.yaml', line: 1 } }, { name: 'acme' }];
    expect(printEffective({ ...effective(first, entry({}, { implicit: true, at: undefined })), plugins })).to.equal([
      'plugins:', '  - "./p q" # c.yaml:1', '  - acme',
      'engine: {}',
      'modules:',
      '  - class: a::old::C # c.yaml:2, served by a::b::C',
      '    name: main',
      '    config:',
      '      port: 1 # env P',
      '      list: [] # c.yaml:3',
      '      map: {} # default',
      '      nothing: null # default of Q, c.yaml:4',
      '      store:',
      '        class: a::s::Old # c.yaml:5, served by a::s::adapters::S',
      '        config:',
      '          path: x',
      '      runtimes:',
      '        - class: a::r::adapters::R # added: not in the file',
      '        - class: a::r::adapters::Q # added: not in the file',
      '  - class: a::b::C # added: not in the file',
      '',
    ].join('\n'));
  });

  it('prints an engine without modules', () => expect(printEffective(effective())).to.equal('engine: {}\nmodules: []\n'));

  it('hides secrets, however they came in', () => {
    const text = printEffective(effective(entry(
      {
        pin: 1234, nested: { deep: ['s3cret'] }, fromEnv: 'hunter2', several: 'x hunter2', apiKey: 'hunter2', api_keys: ['hunter2'], max_tokens: 5, token_ttl_ms: 5,
        url: 'redis://me:hunter2@h/0', pem: 'a -----BEGIN PRIVATE KEY-----\nhunter2', jwt: 'eyJhbGciOiJI.eyJzdWIiOiIx.hunter2', header: 'Bearer hunter2xyz',
      },
      {
        schema: { properties: { pin: { type: 'integer', 'x-secret': true }, nested: { 'x-secret': true } } },
        origins: { fromEnv: { kind: 'env', variable: 'DB_PASSWORD' }, several: { kind: 'env', variable: 'A, MY_API_KEY' } },
      },
    )));
    expect(text).to.not.contain('hunter2').and.not.contain('1234').and.not.contain('s3cret');
    expect(text).to.contain('pin: "[redacted]"\n').and.contain('- "[redacted]"\n').and.contain('fromEnv: "[redacted]" # env DB_PASSWORD\n');
    expect(text).to.contain('apiKey: "[redacted]"\n').and.contain('max_tokens: 5\n').and.contain('token_ttl_ms: 5\n');
    expect(text).to.contain('url: "redis://[redacted]@h/0"\n').and.contain('header: "Bearer [redacted]"\n').and.contain('pem: "a [redacted]"\n');
  });

  it('is YAML that this package reads back to the same values', () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(
      '', 'yes', 'null', '1', '0x1', '1e5', 'a: b', '- x', '#c', '${X}', '$${X}', '[x]', "it's", '"', '\n', ' x ', '<<', '__proto__', '\u2028', '\x7f\x80', 'a::b', 'a:', '*x', '.5', '.inf',
    ));
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ maxDepth: 3 }, text, fc.integer(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null),
        fc.array(tie('any'), { maxLength: 3 }), fc.dictionary(text, tie('any'), { maxKeys: 3 })),
    })).any;
    fc.assert(fc.property(fc.dictionary(text, value, { maxKeys: 4 }), (config) => {
      const hidden = /secret|token|password|passwd|cookie|credential|dsn|auth|key|:\/\//i.test(JSON.stringify(config));
      fc.pre(!hidden && !/[\ud800-\udfff]/.test(JSON.stringify(config).replace(/[\ud800-\udbff][\udc00-\udfff]/g, '')) && !JSON.stringify(config).includes('\\ud'));
      const { value: tree, issues } = parseConfig(printEffective(effective(entry(config))), 'x');
      expect(issues).to.deep.equal([]);
      const { modules } = plainOf(interpolate(tree!, {}).value) as { modules: { config?: unknown }[] };
      expect(modules[0]?.config ?? {}).to.deep.equal(config);
    }), { numRuns: 400, seed: 20_261_120 });
  });

  it('prints numbers that JSON does not have', () => {
    expect(printEffective(effective(entry({ a: Infinity, b: -Infinity, c: NaN })))).to.contain('a: .inf\n').and.contain('b: -.inf\n').and.contain('c: .nan\n');
  });

  it('keeps a comment on its line', () => {
    expect(printEffective(effective(entry({}, { at: { file: 'a\nb', line: 1 } })))).to.contain('# a b:1\n');
  });
});

describe('effectiveJson', () => {
  it('gives the same as a JSON value', () => {
    const at = { file: 'c.yaml', line: 2 };
    const adapter = { path: 'modules[0].config.s.config', slot: 's', many: false, class: 'a::s::adapters::S', config: { token: 'x' }, origins: {}, schema: {} };
    const json = effectiveJson({
      ...effective(
        entry({ p: 1 }, { origins: { p: { kind: 'default' } }, name: 'n', servedAs: 'a::o::C', adapters: [adapter, { ...adapter, at, servedAs: 'a::s::Old' }] }),
        entry({}, { implicit: true, at: undefined }),
      ),
      plugins: [{ name: 'acme', at }, { name: 'b' }],
    });
    expect(JSON.parse(JSON.stringify(json))).to.deep.equal({
      plugins: [{ name: 'acme', at }, { name: 'b' }],
      engine: { config: {}, origins: {} },
      modules: [
        {
          class: 'a::b::C', servedAs: 'a::o::C', name: 'n', added: false, at, config: { p: 1 }, origins: { p: { kind: 'default' } },
          adapters: [
            { slot: 's', class: 'a::s::adapters::S', added: true, config: { token: '[redacted]' }, origins: {} },
            { slot: 's', class: 'a::s::adapters::S', servedAs: 'a::s::Old', added: false, at, config: { token: '[redacted]' }, origins: {} },
          ],
        },
        { class: 'a::b::C', added: true, config: {}, origins: {}, adapters: [] },
      ],
    });
  });
});
