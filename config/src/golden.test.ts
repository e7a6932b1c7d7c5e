import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { outcomeOf } from './pipeline.fixture.js';

const folder = new URL('./golden/', import.meta.url);
const BORDER = '\n>>>\n';

/** Each file: variables as `# env NAME=value` lines, YAML, a border, what it comes to. UPDATE_GOLDEN=1 rewrites the last part. */
describe('golden configurations', () => {
  for (const name of readdirSync(folder).sort()) {
    it(`${name.replace('.txt', '').replaceAll('-', ' ')}`, () => {
      const file = new URL(name, folder);
      const [yaml = '', expected = ''] = readFileSync(file, 'utf8').split(BORDER);
      const env = Object.fromEntries([...yaml.matchAll(/^# env (\w+)=(.*)$/gm)].map(([, key, value]) => [key, value]));
      const actual = outcomeOf(yaml, env);
      if (process.env['UPDATE_GOLDEN']) writeFileSync(file, yaml + BORDER + actual);
      else expect(actual).to.equal(expected);
    });
  }
});
