import { expect } from 'chai';
import { ENGINE_SCHEMA, validateConfig, type Located } from './index.js';

const settings = (tree: Located | undefined): unknown => {
  const at = { file: 'c.yaml' };
  const { value, issues } = validateConfig({ tree, schema: ENGINE_SCHEMA, path: 'engine', owner: 'engine', at, env: {}, slotKeys: [] });
  expect(issues).to.deep.equal([]);
  return { ...value?.config };
};

describe('engine settings', () => {
  const defaults = {
    mode: 'production', data_dir: './data', implicit_modules: true, drain_delay_ms: 0, drain_timeout_ms: 30_000,
    init_timeout_ms: 10_000, start_timeout_ms: 30_000, stop_timeout_ms: 10_000,
  };

  it('have the defaults of the specification', () => expect(settings(undefined)).to.deep.equal(defaults));

  it('are all described, with units', () => {
    for (const [key, schema] of Object.entries(ENGINE_SCHEMA.properties ?? {})) {
      expect(schema.description, key).to.be.a('string');
      if (key.endsWith('_ms')) expect(schema['x-unit'], key).to.equal('ms');
    }
  });
});
