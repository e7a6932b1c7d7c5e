import { join } from 'node:path';
import { expect } from 'chai';
import type { StepFileReport } from '@treadle/protocol';
import { discoverStepFiles } from '../discover.js';
import { AppFolder, bench, json, type Bench } from '../runner.fixture.js';

const STORE = 'export const store = { n: 0 };\n';
const step = (name: string, imports: string, body: string): string =>
  `${imports}\nexport const config = { name: '${name}', triggers: [{ type: 'http', method: 'GET', path: '/${name}' }] };\nexport const handler = async (): Promise<unknown> => ({ status: 200, body: ${body} });\n`;

describe('loading Steps', () => {
  let app: AppFolder;
  let made: Bench;

  afterEach(() => app.remove());

  async function load(): Promise<Map<string, StepFileReport>> {
    const reports = await made.runner.load(await discoverStepFiles(app.root));
    return new Map(reports.map((report) => [report.file, report]));
  }

  async function opened(files: Record<string, string>, mode: 'development' | 'production' = 'development'): Promise<Map<string, StepFileReport>> {
    app = new AppFolder(files);
    made = bench({ root: app.root, mode });
    return load();
  }

  const body = async (name: string): Promise<unknown> => json(await made.http(name));

  it('serves TypeScript, ES modules and CommonJS in a package without a type', async () => {
    const reports = await opened({
      'steps/a.step.ts': step('A', '', '"ts"'),
      'steps/b.step.mts': step('B', '', '"mts"'),
      'src/deep/c.step.js': step('C', '', '"js"').replace(': Promise<unknown>', ''),
      'src/d.step.mjs': step('D', '', '"mjs"').replace(': Promise<unknown>', ''),
      'src/e.step.cjs': 'module.exports = { config: { name: "E", triggers: [{ type: "http", method: "GET", path: "/e" }] }, handler: () => ({ status: 200, body: "cjs" }) };',
      'src/f.step.js': '// export const is only in this comment\nexports.config = { name: "F", triggers: [{ type: "http", method: "GET", path: "/f" }] };\nexports.handler = () => ({ status: 200, body: require("node:path").sep });',
      'src/g.step.ts': "import { step, http } from 'treadle';\nexport const { config, handler } = step({ name: 'G', triggers: [http('GET', '/g')] }, () => ({ status: 200, body: 'step' }));",
      'src/board_stream.py': 'this is not loaded',
      'src/x_step.py': 'nor this',
    });
    expect([...reports.values()].filter(({ problem }) => problem)).to.deep.equal([]);
    expect([...reports.keys()]).to.deep.equal(['src/d.step.mjs', 'src/deep/c.step.js', 'src/e.step.cjs', 'src/f.step.js', 'src/g.step.ts', 'steps/a.step.ts', 'steps/b.step.mts']);
    expect(await Promise.all(['A', 'B', 'C', 'D', 'E', 'F', 'G'].map(body))).to.deep.equal(['ts', 'mts', 'js', 'mjs', 'cjs', '/', 'step']);
    expect(reports.get('src/g.step.ts')?.steps[0]?.line).to.equal(2);
  });

  it('resolves extensionless, .js and folder specifiers, JSON, and shares one instance of a module', async () => {
    await opened({
      'src/lib/store.ts': STORE,
      'src/lib/index.ts': "export * from './store.js';",
      'src/lib/names.json': '{ "a": 1 }',
      'steps/a.step.ts': step('A', "import { store } from '../src/lib/store';\nimport names from '../src/lib/names.json';", '[++store.n, names.a]'),
      'steps/b.step.ts': step('B', "import { store } from '../src/lib';\nimport { store as same } from '../src/lib/index.js';", '[++store.n, store === same]'),
    });
    expect([await body('A'), await body('B'), await body('A')]).to.deep.equal([[1, 1], [2, true], [3, 1]]);
  });

  it('resolves the paths of tsconfig.json, also those that it inherits', async () => {
    const reports = await opened({
      'tsconfig.base.json': '{ "compilerOptions": { "paths": { "@/*": ["./src/*"], "config": ["./src/none", "./src/config.ts"] } } }',
      'tsconfig.json': '{ // comments are fine\n "extends": "./tsconfig.base.json" }',
      'src/util.ts': 'export const util = "mapped";', 'src/config.ts': 'export const port = 1;',
      'steps/a.step.ts': step('A', "import { util } from '@/util';\nimport { port } from 'config';\nimport { join } from 'node:path';", '[util, port, typeof join]'),
      'steps/b.step.ts': step('B', "import { util } from '@/nothing';", 'util'),
    });
    expect(await body('A')).to.deep.equal(['mapped', 1, 'function']);
    expect(reports.get('steps/a.step.ts')?.imports).to.have.members(['src/config.ts', 'src/util.ts']);
    expect(reports.get('steps/b.step.ts')?.problem).to.deep.include({ kind: 'import', message: 'cannot find "@/nothing"' });
  });

  it('resolves the paths of jsconfig.json where no tsconfig.json is as near', async () => {
    await opened({
      'jsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }', 'src/util.js': 'export const util = "mapped";',
      'steps/a.step.mjs': step('A', "import { util } from '@/util';", 'util').replace('async (): Promise<unknown> =>', 'async () =>'),
    });
    expect(await body('A')).to.equal('mapped');
  });

  it('finds sources of a package of the workspace that has no exports', async () => {
    const workspace = new AppFolder({
      'lib/package.json': '{ "name": "@w/lib" }', 'lib/val.ts': 'import { deep } from "./deep/more.js";\nexport const val = deep;', 'lib/deep/more.ts': 'export const deep = "found";',
      'lib/index.ts': 'export const main = "index";', 'closed/package.json': '{ "name": "@w/closed", "exports": { ".": "./val.ts" } }', 'closed/val.ts': 'export const val = 1;',
    });
    app = new AppFolder({
      'steps/a.step.ts': step('A', "import { val } from '@w/lib/val';\nimport { main } from '@w/lib';", '[val, main]'),
      'steps/b.step.ts': step('B', "import { val } from '@w/closed/val';", 'val'),
    });
    app.link('steps/node_modules/@w/lib', join(workspace.root, 'lib'));
    app.link('steps/node_modules/@w/closed', join(workspace.root, 'closed'));
    made = bench({ root: app.root });
    const reports = await load();
    expect(await body('A')).to.deep.equal(['found', 'index']);
    expect(reports.get('steps/b.step.ts')?.problem?.message).to.contain('cannot find "@w/closed/val"');
    workspace.remove();
  });

  it('goes on without a tsconfig.json that cannot be read, and leaves an unreadable package to Node', async () => {
    const reports = await opened({
      'tsconfig.json': '{ "extends": "./nowhere.json", "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }', 'src/util.ts': 'export const util = 1;',
      'steps/a.step.ts': step('A', "import { util } from '../src/util';", 'util'), 'steps/b.step.ts': step('B', "import { val } from '@w/broken/val';", 'val'),
      'steps/node_modules/@w/broken/package.json': '{ "name": ', 'steps/node_modules/@w/broken/val.ts': 'export const val = 1;',
    });
    expect(await body('A')).to.equal(1);
    expect(reports.get('steps/b.step.ts')?.problem).to.deep.include({ kind: 'import' });
  });

  it('takes a script for what Node takes it for, whatever its lines begin with', async () => {
    const config = (name: string): string => `{ name: '${name}', triggers: [{ type: 'http', method: 'GET', path: '/${name}' }] }`;
    const reports = await opened({
      'steps/a.step.js': `exports.config = ${config('A')};\nexports.handler = async () => {\n  const one = 1;\n  await null;\nawait null;\n  return { status: 200, body: one + typeof require };\n};`,
      'steps/b.step.js': `#!/usr/bin/env node\nconst text = \`\nimport x from 'y';\nexport default 1;\n\`;\nmodule.exports = { config: ${config('B')}, handler: () => ({ status: 200, body: text.length + typeof require }) };`,
      'steps/c.step.js': `const one = await Promise.resolve(1);\nexport const config = ${config('C')}; export const handler = () => ({ status: 200, body: one + typeof require });`,
      'steps/d.step.js': `const { url } = import.meta;\nexport default { config: ${config('D')}, handler: () => ({ status: 200, body: typeof url }) };`,
    });
    expect([...reports.values()].map(({ problem }) => problem?.message).filter(Boolean)).to.deep.equal([]);
    expect(await Promise.all(['A', 'B', 'C', 'D'].map(body))).to.deep.equal(['1function', '38function', '1undefined', 'string']);
  });

  it('reports the files that a Step imports, in development alone', async () => {
    const files = { 'src/a.ts': "import './b.js';\nexport const a = 1;", 'src/b.ts': 'export {};', 'steps/a.step.ts': step('A', "import { a } from '../src/a';", 'a') };
    const reports = await opened(files);
    expect(reports.get('steps/a.step.ts')?.imports).to.deep.equal(['src/a.ts', 'src/b.ts']);
    app.remove();
    expect((await opened(files, 'production')).get('steps/a.step.ts')).not.to.have.property('imports');
  });

  it('swaps a changed Step and keeps the modules that did not change', async () => {
    await opened({
      'src/store.ts': STORE,
      'steps/a.step.ts': step('A', "import { store } from '../src/store';", '["a1", ++store.n]'),
      'steps/b.step.ts': step('B', "import { store } from '../src/store';", '["b1", ++store.n]'),
    });
    expect([await body('A'), await body('B')]).to.deep.equal([['a1', 1], ['b1', 2]]);
    app.write('steps/a.step.ts', step('A', "import { store } from '../src/store';", '["a2", ++store.n]'));
    await load();
    expect([await body('A'), await body('B')]).to.deep.equal([['a2', 3], ['b1', 4]]);
  });

  it('swaps what imports a changed module, directly or not, and nothing else', async () => {
    await opened({
      'src/store.ts': STORE,
      'src/text.ts': 'export const text = "one";',
      'src/middle.ts': "import { text } from './text.js';\nimport { store } from './store.js';\nstore.n++;\nexport const shown = text;",
      'steps/a.step.ts': step('A', "import { shown } from '../src/middle';\nimport { store } from '../src/store';", '[shown, store.n]'),
      'steps/b.step.ts': step('B', "import { store } from '../src/store';\nconst made = {};", '[store.n, (made as { n?: number }).n = ((made as { n?: number }).n ?? 0) + 1]'),
    });
    expect([await body('A'), await body('B')]).to.deep.equal([['one', 1], [1, 1]]);
    app.write('src/text.ts', 'export const text = "two";');
    await load();
    expect([await body('A'), await body('B')]).to.deep.equal([['two', 2], [2, 2]]);
  });

  it('swaps CommonJS modules too', async () => {
    const cjs = (text: string): string => `module.exports = { text: ${JSON.stringify(text)} };`;
    await opened({
      'src/text.cjs': cjs('one'),
      'steps/a.step.cjs': 'const { text } = require("../src/text.cjs");\nmodule.exports = { config: { name: "A", triggers: [{ type: "http", method: "GET", path: "/a" }] }, handler: () => ({ status: 200, body: text }) };',
    });
    expect(await body('A')).to.equal('one');
    app.write('src/text.cjs', cjs('two'));
    await load();
    expect(await body('A')).to.equal('two');
  });

  it('lets running handlers finish on the old version', async () => {
    await opened({ 'steps/a.step.ts': step('A', '', 'await new Promise((done) => setTimeout(done, 40, "old"))') });
    const running = body('A');
    app.write('steps/a.step.ts', step('A', '', '"new"'));
    await load();
    expect(await body('A')).to.equal('new');
    expect(await running).to.equal('old');
  });

  it('forgets files that are not named any more', async () => {
    await opened({ 'steps/a.step.ts': step('A', '', '1'), 'steps/b.step.ts': step('B', '', '1') });
    app.remove('steps/a.step.ts');
    await load();
    expect((await made.failure('A')).code).to.equal('no_worker');
    expect(await body('B')).to.equal(1);
  });

  it('goes on with the last good version in development and names line and column of the error', async () => {
    await opened({ 'src/lib.ts': 'export const n = 1;', 'steps/a.step.ts': step('A', "import { n } from '../src/lib';", '["good", n]') });
    app.write('steps/a.step.ts', 'export const config = {\n  name: "A",\n  triggers: [ ;\n};\n');
    const broken = (await load()).get('steps/a.step.ts');
    expect(broken?.problem).to.deep.equal({ kind: 'syntax', message: 'Unexpected ";"', line: 3, column: 15 });
    expect(broken?.steps).to.deep.equal([]);
    expect(broken?.imports).to.deep.equal(['src/lib.ts']);
    expect(await body('A')).to.deep.equal(['good', 1]);
    app.write('steps/a.step.ts', step('A', '', '"mended"'));
    expect((await load()).get('steps/a.step.ts')?.problem).to.equal(undefined);
    expect(await body('A')).to.equal('mended');
  });

  it('goes on when a module of a Step breaks, and takes up its repair', async () => {
    await opened({ 'src/lib.ts': 'export const n = 1;', 'steps/a.step.ts': step('A', "import { n } from '../src/lib';", 'n') });
    app.write('src/lib.ts', 'export const n = ;');
    expect((await load()).get('steps/a.step.ts')?.problem).to.deep.include({ kind: 'syntax', at: 'src/lib.ts', line: 1 });
    expect(await body('A')).to.equal(1);
    app.write('src/lib.ts', 'export const n = 2;');
    expect((await load()).get('steps/a.step.ts')?.problem).to.equal(undefined);
    expect(await body('A')).to.equal(2);
  });

  it('takes up a Step whose missing import appears', async () => {
    const reports = await opened({ 'steps/a.step.ts': step('A', "\nimport { n } from '../src/late';", 'n') });
    expect(reports.get('steps/a.step.ts')?.problem).to.deep.equal({ kind: 'import', message: 'cannot find "../src/late"', line: 2, column: 19 });
    app.write('src/late.ts', 'export const n = 5;');
    expect((await load()).get('steps/a.step.ts')?.problem).to.equal(undefined);
    expect(await body('A')).to.equal(5);
  });

  it('does not serve a broken file in production', async () => {
    await opened({ 'steps/a.step.ts': step('A', '', '1') }, 'production');
    app.write('steps/a.step.ts', 'export const config = ;');
    expect((await load()).get('steps/a.step.ts')?.problem?.kind).to.equal('syntax');
    expect((await made.failure('A')).code).to.equal('no_worker');
  });

  it('lets the Step that serves a name go on, else the first by path', async () => {
    await opened({ 'steps/b.step.ts': step('A', '', '"b"') });
    app.write('steps/a.step.ts', step('A', '', '"a"'));
    await load();
    expect(await body('A')).to.equal('b');
    app.remove();
    await opened({ 'steps/b.step.ts': step('A', '', '"b"'), 'steps/a.step.ts': step('A', '', '"a"') });
    expect(await body('A')).to.equal('a');
  });

  it('maps stacks to the lines of the TypeScript', async () => {
    await opened({ 'steps/a.step.ts': `interface Wide {\n  a: string;\n}\n\n${step('A', '', '(() => { throw new Error("here"); })()')}` });
    const { stack } = await made.failure('A');
    expect(stack).to.match(/steps\/a\.step\.ts:7:\d+/);
    app.write('steps/a.step.ts', step('A', '', '(() => { throw new Error("there"); })()'));
    await load();
    expect((await made.failure('A')).stack).not.to.contain('?t=');
  });
});

describe('problems of Step files', () => {
  const cases: readonly [string, string, object][] = [
    ['a config that is missing', 'export const handler = () => undefined;', { kind: 'missing_config', message: 'the file exports no config; write "export const config" and "export const handler", or "export default step(config, handler)"' }],
    ['a config that is no object', '\nexport const config = [];\nexport const handler = () => undefined;', { kind: 'missing_config', message: 'config must be an object, not an array', line: 2 }],
    ['a handler that is missing', 'export const config = { name: "A", triggers: [{ type: "cron", expression: "@daily" }] };', { kind: 'missing_handler', message: 'the file exports no handler; write "export const config" and "export const handler", or "export default step(config, handler)"', line: 1 }],
    ['a handler that is no function', 'export default { config: { name: "A" }, handler: 7 };', { kind: 'missing_handler', message: 'handler must be a function, not a number', line: 1 }],
    ['an import that throws', 'const port: number = 1;\n\nthrow new TypeError(`no ${port}`);', { kind: 'import', message: 'TypeError: no 1', line: 3, column: 7 }],
    ['a package that is not there', 'import { a } from "no-such-package";\nexport const config = a;', { kind: 'import', message: 'cannot find "no-such-package"', line: 1, column: 19 }],
    ['an export that is not there', 'import { nothing } from "node:path";\nexport const config = nothing;', { kind: 'import', message: "SyntaxError: The requested module 'node:path' does not provide an export named 'nothing'", line: 1 }],
    ['a schema that is none', 'export const config = { name: "A", triggers: [{ type: "http", bodySchema: "string" }] };\nexport const handler = () => undefined;', { kind: 'schema', message: 'triggers[0].bodySchema: a schema must be a Standard Schema (zod, …) or JSON Schema, not "string"', line: 1 }],
  ];
  for (const [what, source, problem] of cases) {
    it(`name ${what}`, async () => {
      const app = new AppFolder({ 'steps/a.step.ts': source, 'steps/good.step.ts': step('Good', '', '1') });
      const made = bench({ root: app.root });
      const [report, good] = await made.runner.load(await discoverStepFiles(app.root));
      app.remove();
      expect(report?.problem).to.deep.equal(problem);
      expect(good?.problem).to.equal(undefined);
    });
  }

  it('name the place in JavaScript, and the file when it is another one', async () => {
    const app = new AppFolder({ 'package.json': '{ "type": "module" }', 'src/lib.js': 'export const a = 1;\nexport const b = (;\n', 'steps/a.step.js': 'import "../src/lib.js";', 'steps/b.step.js': 'const a = {;\n' });
    const [a, b] = await bench({ root: app.root }).runner.load(await discoverStepFiles(app.root));
    app.remove();
    expect(a?.problem).to.deep.include({ kind: 'syntax', at: 'src/lib.js', line: 2 });
    expect(b?.problem).to.deep.equal({ kind: 'syntax', message: 'Expected identifier but found ";"', line: 1, column: 12 });
  });

  it('say that a file does not finish loading, while the others serve', async () => {
    const app = new AppFolder({ 'steps/a.step.mjs': 'await new Promise(() => undefined);\nexport const config = {};', 'steps/b.step.ts': step('B', '', '1') });
    const made = bench({ root: app.root, importTimeoutMs: 200 });
    const [report] = await made.runner.load(await discoverStepFiles(app.root));
    app.remove();
    expect(report?.problem).to.deep.equal({ kind: 'timeout', message: 'the file did not finish loading in 0.2 s (top-level await?)' });
    expect(json(await made.http('B'))).to.equal(1);
  });

  it('say what to install when TypeScript cannot be transformed', async () => {
    const app = new AppFolder({ 'steps/a.step.ts': step('A', '', '1') });
    app.remove('node_modules');
    const [report] = await bench({ root: app.root }).runner.load(await discoverStepFiles(app.root));
    app.remove();
    expect(report?.problem).to.deep.equal({ kind: 'import', message: `TypeScript needs esbuild, but it is not installed; run "npm install --save-dev esbuild" in ${app.root}` });
  });
});
