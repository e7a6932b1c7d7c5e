import { expect } from 'chai';
import type { StepFileReport } from '@treadle/protocol';
import { discoverStepFiles } from '../discover.js';
import { AppFolder, bench, json, type Bench } from '../runner.fixture.js';

const step = (name: string, imports: string, body: string): string =>
  `${imports}\nexport const config = { name: '${name}', triggers: [{ type: 'http', method: 'GET', path: '/${name}' }] };\nexport const handler = async (): Promise<unknown> => ({ status: 200, body: ${body} });\n`;

const commonjs = (text: string): string =>
  `module.exports = { config: { name: "${text === '' ? 'B' : 'A'}", triggers: [{ type: "http", method: "GET", path: "/c" }] }, handler: () => ({ status: 200, body: ${JSON.stringify(text)} }) };`;

describe('loading Steps again', () => {
  let app: AppFolder;
  let made: Bench;

  afterEach(() => app.remove());

  async function load(): Promise<Map<string, StepFileReport>> {
    const reports = await made.runner.load(await discoverStepFiles(app.root));
    return new Map(reports.map((report) => [report.file, report]));
  }

  async function opened(files: Record<string, string>): Promise<Map<string, StepFileReport>> {
    app = new AppFolder(files);
    made = bench({ root: app.root, mode: 'development' });
    return load();
  }

  const body = async (name: string): Promise<unknown> => json(await made.http(name));

  it('loads a file that was removed and comes back with another content', async () => {
    for (const [name, text] of [['steps/a.step.ts', (word: string) => step('A', '', JSON.stringify(word))], ['steps/a.step.cjs', commonjs]] as const) {
      await opened({ [name]: text('one'), 'steps/b.step.ts': step('B', '', '1') });
      expect(await body('A')).to.equal('one');
      app.remove(name);
      await load();
      app.write(name, text('two'));
      await load();
      expect(await body('A'), name).to.equal('two');
    }
  });

  it('loads a module anew that changed while nothing imported it', async () => {
    const importing = step('A', "import { text } from '../src/text';", 'text');
    await opened({ 'src/text.ts': 'export const text = "one";', 'steps/a.step.ts': importing, 'steps/b.step.ts': step('B', '', '1') });
    app.remove('steps/a.step.ts');
    await load();
    app.write('src/text.ts', 'export const text = "two";');
    app.write('steps/c.step.ts', importing.replaceAll("'A'", "'C'"));
    await load();
    expect(await body('C')).to.equal('two');
  });

  it('swaps what a handler imports or requires when it runs, and watches it', async () => {
    const reports = await opened({
      'src/late.ts': 'export const text = "one";', 'src/late.json': '{ "n": 1 }', 'src/late.cjs': 'module.exports = "one";', 'src/none.ts': 'export const n = 1;',
      'steps/a.step.ts': step('A', '', "[(await import('../src/late')).text, (await import('../src/late.json', { with: { type: 'json' } })).default.n]"),
      'steps/b.step.cjs': commonjs('').replace('""', "require('../src/late.cjs')"),
      'steps/c.step.ts': step('C', '', "false ? (await import('../src/none')).n : ++state.n").replace('\n', '\nconst state = { n: 0 };\n'),
    });
    expect(reports.get('steps/a.step.ts')?.imports).to.deep.equal(['src/late.ts', 'src/late.json']);
    expect(reports.get('steps/b.step.cjs')?.imports).to.deep.equal(['src/late.cjs']);
    expect([await body('A'), await body('B'), await body('C')]).to.deep.equal([['one', 1], 'one', 1]);
    app.write('src/late.ts', 'export const text = "two";');
    app.write('src/late.json', '{ "n": 2 }');
    app.write('src/late.cjs', 'module.exports = "two";');
    await load();
    expect([await body('A'), await body('B'), await body('C')], 'what nobody has loaded has not changed').to.deep.equal([['two', 2], 'two', 2]);
  });

  it('goes on with a file that is held, whatever was written to it and what it imports', async () => {
    await opened({ 'src/text.ts': 'export const text = "one";', 'steps/a.step.ts': step('A', "import { text } from '../src/text';", '["a1", text]'), 'steps/b.step.ts': step('B', '', '1') });
    app.write('src/text.ts', 'export const text = "two";');
    app.write('steps/a.step.ts', 'process.exit(1);');
    app.write('steps/b.step.ts', step('B', '', '2'));
    const files = (await discoverStepFiles(app.root)).map((file) => (file.file === 'steps/a.step.ts' ? { ...file, held: true } : file));
    await made.runner.load([...files, { file: 'steps/new.step.ts', version: '1', held: true }]);
    expect([await body('A'), await body('B')]).to.deep.equal([['a1', 'one'], 2]);
  });
});
