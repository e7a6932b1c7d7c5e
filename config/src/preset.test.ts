import { type Environment, formatError } from '@treadle/api';
import { expect } from 'chai';
import { ENGINE_PRESETS, ENGINE_SCHEMA, type EngineSettings, interpolate, parseConfig, readPreset, validateConfig, withPreset } from './index.js';

function engine(yaml: string, env: Environment = {}): { settings: EngineSettings | undefined; origins: object; errors: string[] } {
  const tree = interpolate(parseConfig(yaml, 'c.yaml').value!, env).value;
  const { value, issues } = validateConfig({
    tree: withPreset(tree.entries.get('engine')?.value), schema: ENGINE_SCHEMA, path: 'engine', owner: 'engine', at: { file: 'c.yaml' }, env, slotKeys: [],
  });
  return { settings: value?.config as EngineSettings | undefined, origins: value?.origins ?? {}, errors: issues.map(formatError) };
}

describe('a preset', () => {
  for (const name of ['default', ...ENGINE_PRESETS] as const) {
    it(`called ${name} is shipped, and parses`, () => {
      const { text, file } = readPreset(name);
      expect(file).to.equal(`(${name} preset)`);
      expect(parseConfig(text, file).issues).to.deep.equal([]);
    });
  }

  it('gives what the section that names it does not write', () => {
    const { settings, origins, errors } = engine('engine: { preset: production, stop_timeout_ms: 7 }');
    expect(errors).to.deep.equal([]);
    expect(settings).to.include({ mode: 'production', drain_delay_ms: 5000, stop_timeout_ms: 7 });
    expect(origins).to.have.nested.property('drain_delay_ms.at.file', '(production preset)');
    expect(engine('engine: { preset: development }').settings).to.include({ mode: 'development', drain_delay_ms: 0 });
  });

  it('gives way to what the section writes, wherever that stands', () => {
    expect(engine('engine: { drain_delay_ms: 1, preset: production }').settings).to.include({ drain_delay_ms: 1 });
  });

  it('may be named by a variable', () => {
    expect(engine('engine: { preset: "${PRESET:development}" }', { PRESET: 'production' }).settings).to.include({ drain_delay_ms: 5000 });
  });

  it('that does not exist is refused', () => {
    const [error] = engine('engine: { preset: producton }').errors;
    expect(error).to.contain('c.yaml:1:19  error  CONFIG_BAD_VALUE  engine.preset').and.to.contain('production');
    expect(engine('engine: { preset: [production] }').errors).to.have.length(1);
    expect(engine('engine: production').errors).to.have.length(1);
    expect(engine('modules: []').settings).to.include({ drain_delay_ms: 0 });
  });
});
