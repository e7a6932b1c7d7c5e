import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { CLI_ROOT } from '../version.js';
import { LANGUAGES, TEMPLATES } from './choices.js';
import { templateFiles } from './template-files.js';

const VALUES = { name: 'my-app', version: '1.2.3', suffix: '.step.ts', requirements: 'a computer' };

/** True when a line is another one without some of its characters. */
function isPartOf(line: string, whole: string): boolean {
  let at = -1;
  return [...line].every((letter) => (at = whole.indexOf(letter, at + 1)) >= 0);
}

describe('the files of a template', () => {
  it('come from folders of which none is left over', () => {
    const ids = (choices: readonly { readonly id: string }[]): string[] => choices.map(({ id }) => id);
    const written = ids(LANGUAGES).filter((language) => language !== 'js');
    const known = ['common', 'node', ...ids(TEMPLATES), ...written, ...ids(TEMPLATES).flatMap((template) => written.map((language) => `${template}-${language}`))];
    expect(readdirSync(join(CLI_ROOT, 'templates')).sort()).to.deep.equal(known.sort());
    expect(readdirSync(join(CLI_ROOT, 'dist/templates')).sort()).to.deep.equal(ids(TEMPLATES).map((template) => `${template}-js`).sort());
  });

  for (const { id } of TEMPLATES) {
    it(`${id}: are in JavaScript what they are in TypeScript, line by line without the types`, async () => {
      const [ts, js] = await Promise.all([templateFiles(id, 'ts', VALUES), templateFiles(id, 'js', VALUES)]);
      const code = (files: typeof ts, ending: RegExp): string[] => [...files.keys()].filter((file) => ending.test(file)).map((file) => file.replace(ending, ''));
      expect(code(js, /\.js$/)).to.include.members(code(ts, /(?<!\.d)\.ts$/));
      for (const [file, text] of [...js].filter(([name]) => name.endsWith('.js') && ts.has(name.replace(/js$/, 'ts')))) {
        const lines = (ts.get(file.replace(/js$/, 'ts')) ?? '').split('\n').filter((line) => !/^(import|export) type /.test(line));
        const [whole, plain] = [lines.join('\n').trim().split('\n'), text.trim().split('\n')];
        expect(plain.length, file).to.equal(whole.length);
        for (const [at, line] of plain.entries()) expect(isPartOf(line, whole[at] ?? ''), `${file}: ${line}`).to.equal(true);
        expect(text, file).not.to.match(/[ \t]$|\S {2,}\S|: [A-Z]\w+[,;)]| (?:as|satisfies|type) [A-Z]/m);
      }
    });
  }

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
