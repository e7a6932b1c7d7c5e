import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { CLI_ROOT } from '../version.js';
import { LANGUAGES, TEMPLATES } from './choices.js';
import { templateFiles } from './template-files.js';

const VALUES = { name: 'my-app', version: '1.2.3', suffix: '.step.ts', requirements: 'a computer' };

describe('the files of a template', () => {
  it('come from folders of which none is left over', () => {
    const ids = (choices: readonly { readonly id: string }[]): string[] => choices.map(({ id }) => id);
    const known = ['common', ...ids(TEMPLATES), ...ids(LANGUAGES), ...ids(TEMPLATES).flatMap((template) => ids(LANGUAGES).map((language) => `${template}-${language}`))];
    expect(readdirSync(join(CLI_ROOT, 'templates')).sort()).to.deep.equal(known.sort());
  });

  it('have the manifests of template and language in one, with sorted dependencies', async () => {
    const manifest = JSON.parse((await templateFiles('full-stack', 'ts', VALUES)).get('package.json') ?? '') as { dependencies: Record<string, string>; scripts: object };
    expect(Object.entries(manifest.dependencies)).to.deep.equal([
      ['@treadle/cli', '^1.2.3'], ['@treadle/engine', '^1.2.3'], ['@treadle/stream-client', '^1.2.3'], ['treadle', '^1.2.3'], ['zod', '^4.0.0'],
    ]);
    expect(manifest.scripts).to.deep.include({ dev: 'treadle dev', check: 'tsc && treadle check' });
    expect((await templateFiles('basic', 'ts', VALUES)).get('package.json')).not.to.include('stream-client');
  });

  it('prefer those of the language, and are called as in a project', async () => {
    const [ts, py] = await Promise.all([templateFiles('basic', 'ts', VALUES), templateFiles('basic', 'py', VALUES)]);
    expect(ts.get('.gitignore')).to.include('node_modules/').and.not.include('__pycache__');
    expect(py.get('.gitignore')).to.include('node_modules/').and.include('__pycache__');
    expect([...ts.keys()]).not.to.include('gitignore');
  });

  it('are filled in', async () => {
    const text = (await templateFiles('basic', 'ts', VALUES)).get('README.md') ?? '';
    expect(text).to.include('# my-app\n').and.include('You need a computer.').and.include('`*.step.ts`');
  });
});
