import { expect } from 'chai';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtin, planText, printed, testFolder, type TestFolder } from './kernel.fixture.js';
import type { PlanResult } from './planned.js';

const FIXTURES = fileURLToPath(new URL('../../../test/fixtures/plugins', import.meta.url));
const API = dirname(createRequire(import.meta.url).resolve('@treadle/api/package.json'));
const API_VERSION = (createRequire(import.meta.url)('@treadle/api/package.json') as { version: string }).version;

/** An application with fixture packages installed: install name → fixture folder. */
function application(packages: Readonly<Record<string, string>>): TestFolder {
  const folder = testFolder();
  mkdirSync(join(folder.path, 'node_modules/@treadle'), { recursive: true });
  symlinkSync(API, join(folder.path, 'node_modules/@treadle/api'), 'dir');
  for (const [name, fixture] of Object.entries(packages)) {
    cpSync(join(FIXTURES, fixture), join(folder.path, 'node_modules', name), { recursive: true });
  }
  return folder;
}

async function planWith(folder: TestFolder, plugins: string, pluginTimeoutMs = 10_000): Promise<PlanResult> {
  const yaml = `plugins: [${plugins}]\nengine: { implicit_modules: false }\n`;
  const result = await planText(yaml, [], { folder, pluginTimeoutMs });
  folder.remove();
  return result;
}

async function errorsOf(fixture: string, name = 'acme-treadle-sqs', timeoutMs?: number): Promise<string[]> {
  return printed((await planWith(application({ [name]: fixture }), name, timeoutMs)).errors);
}

const SUBJECT = 'plugin "acme-treadle-sqs" 0.3.1';

describe('the plugin loader', () => {
  it('loads a package that is in order', async () => {
    const { plan, errors, warnings } = await planWith(application({ 'acme-treadle-sqs': 'good' }), 'acme-treadle-sqs');
    expect(printed(errors)).to.deep.equal([]);
    expect(printed(warnings)).to.deep.equal([]);
    expect(plan?.registry.find('acme::queue::adapters::Sqs')).to.deep.include({
      builtin: false, package: { name: 'acme-treadle-sqs', version: '0.3.1' },
    });
  });

  it('loads a scoped CommonJS package from a folder above', async () => {
    const folder = application({ '@acme/treadle-sqs': 'common-js' });
    const nested: TestFolder = { ...folder, write: (file, text) => folder.write(`deep/down/${file}`, text), path: join(folder.path, 'deep/down') };
    const { plan, errors } = await planWith({ ...nested, remove: folder.remove }, '"@acme/treadle-sqs"');
    expect(printed(errors)).to.deep.equal([]);
    expect(plan?.registry.find('acme::queue::adapters::Sqs')?.package.name).to.equal('@acme/treadle-sqs');
  });

  it('loads a folder and a single file by relative path', async () => {
    const folder = application({});
    cpSync(join(FIXTURES, 'good'), join(folder.path, 'plugins/sqs'), { recursive: true });
    folder.write('plugins/one.mjs', "export default { $type: 'treadle/Plugin', format: 1, name: 'one', version: '1.0.0', api: '*', modules: [], adapters: [] };");
    const { plan, errors } = await planWith(folder, './plugins/sqs, ./plugins/one.mjs');
    expect(printed(errors)).to.deep.equal([]);
    expect(plan?.registry.find('acme::queue::adapters::Sqs')).to.not.equal(undefined);
  });

  it('takes no second copy of what the distribution brings', async () => {
    const { errors } = await planText('plugins: ["@treadle/test"]\nengine: { implicit_modules: false }\n', [builtin([])]);
    expect(printed(errors)).to.deep.equal([]);
  });

  it('refuses the same package listed twice', async () => {
    const { errors } = await planWith(application({ 'acme-treadle-sqs': 'good' }), 'acme-treadle-sqs, ./node_modules/acme-treadle-sqs');
    expect(printed(errors)).to.deep.equal([
      'config.yaml:1:29  error  CONFIG_BAD_VALUE  plugins[1]: "./node_modules/acme-treadle-sqs" is already listed at plugins[0]',
    ]);
  });

  it('PLUGIN_NOT_INSTALLED', async () => {
    const folder = application({});
    const parents = folder.path.split('/').length - 1;
    expect(printed((await planWith(folder, 'acme-treadle-sqs')).errors)).to.deep.equal([
      `config.yaml:1:11  error  PLUGIN_NOT_INSTALLED  plugin "acme-treadle-sqs" is not installed (looked in ${folder.path}/node_modules `
      + `and ${parents} parent folders)\n    hint: npm install acme-treadle-sqs`,
    ]);
  });

  it('PLUGIN_NOT_FOUND', async () => {
    const folder = application({});
    folder.write('empty/file.txt', '');
    expect(printed((await planWith(folder, './nowhere, ./empty')).errors)).to.deep.equal([
      `config.yaml:1:11  error  PLUGIN_NOT_FOUND  plugin "./nowhere" does not exist (looked for ${folder.path}/nowhere)`,
      `config.yaml:1:22  error  PLUGIN_NOT_FOUND  plugin "./empty" does not exist (looked for ${folder.path}/empty/package.json)`,
    ]);
  });

  it('PLUGIN_NOT_A_PLUGIN', async () => {
    expect(await errorsOf('not-a-plugin', 'left-pad')).to.deep.equal([
      'config.yaml:1:11  error  PLUGIN_NOT_A_PLUGIN  package "left-pad" 1.3.0 has no "treadle" section in its package.json',
    ]);
  });

  it('PLUGIN_BAD_MANIFEST', async () => {
    expect(await errorsOf('bad-manifest')).to.deep.equal([
      `config.yaml:1:11  error  PLUGIN_BAD_MANIFEST  ${SUBJECT}: its package.json has no range of versions in "treadle.api", e.g. "^1.0.0"`,
    ]);
  });

  const good = { name: 'p', version: '1.0.0', treadle: { api: '*', entry: './x.js', provides: [] as unknown } };
  const manifests: readonly (readonly [string, string])[] = [
    ['{ "name": ', 'plugin "./p" (no version): its package.json is not valid JSON: Unexpected end of JSON input'],
    ['[]', 'plugin "./p" (no version): its package.json is not valid JSON: it is no object'],
    [JSON.stringify({ ...good, version: undefined }), 'plugin "p" (no version): its package.json has no "version"'],
    [JSON.stringify({ ...good, treadle: { ...good.treadle, provides: [1] } }), 'plugin "p" 1.0.0: its package.json has no list of class IDs in "treadle.provides"'],
    [JSON.stringify({ ...good, treadle: { ...good.treadle, entry: '' } }), 'plugin "p" 1.0.0: its package.json names no file in "treadle.entry", e.g. "./dist/index.js"'],
    [JSON.stringify({ ...good, treadle: { ...good.treadle, entry: '../x.js' } }), 'plugin "p" 1.0.0: its package.json names an entry outside of the package: "../x.js"'],
    [JSON.stringify(good), 'plugin "p" 1.0.0: its package.json names the entry "./x.js", which does not exist'],
  ];
  for (const [text, message] of manifests) {
    it(`PLUGIN_BAD_MANIFEST: ${message.replace(/.*package\.json /, '')}`, async () => {
      const folder = application({});
      folder.write('p/package.json', text);
      expect((await planWith(folder, './p')).errors.map((error) => error.message)).to.deep.equal([message]);
    });
  }

  it('PLUGIN_BAD_MANIFEST: a package.json that cannot be read', async () => {
    const folder = application({});
    folder.write('p/package.json/x', '');
    const [error] = (await planWith(folder, './p')).errors;
    expect(error?.message).to.equal('plugin "./p" (no version): its package.json is not valid JSON: EISDIR: illegal operation on a directory, read');
  });

  it('PLUGIN_API_MISMATCH', async () => {
    expect(await errorsOf('api-mismatch')).to.deep.equal([
      `config.yaml:1:11  error  PLUGIN_API_MISMATCH  ${SUBJECT} needs @treadle/api ^2.0.0; this engine has ${API_VERSION}\n`
      + '    hint: install acme-treadle-sqs@^0.2 or upgrade the engine',
    ]);
  });

  it('PLUGIN_API_MISMATCH of a single file, too old for the engine', async () => {
    const folder = application({});
    folder.write('one.mjs', "export default { $type: 'treadle/Plugin', format: 1, name: 'one', version: '1.0.0', api: '<0.0.1', modules: [], adapters: [] };");
    expect(printed((await planWith(folder, './one.mjs')).errors)).to.deep.equal([
      `config.yaml:1:11  error  PLUGIN_API_MISMATCH  plugin "one" 1.0.0 needs @treadle/api <0.0.1; this engine has ${API_VERSION}\n`
      + '    hint: install a version made for this engine or upgrade the engine',
    ]);
  });

  it('PLUGIN_NODE_MISMATCH', async () => {
    expect(await errorsOf('node-mismatch')).to.deep.equal([
      `config.yaml:1:11  error  PLUGIN_NODE_MISMATCH  ${SUBJECT} needs Node >=99.15; this is ${process.versions.node}`,
    ]);
  });

  it('PLUGIN_DEPENDENCY_MISSING', async () => {
    expect(await errorsOf('dependency-missing')).to.deep.equal([
      `config.yaml:1:11  error  PLUGIN_DEPENDENCY_MISSING  ${SUBJECT} could not be loaded: its dependency "@aws-sdk/client-sqs" `
      + 'is not installed (imported from node_modules/acme-treadle-sqs/lib/sqs.js)',
    ]);
  });

  it('PLUGIN_DEPENDENCY_MISSING for a file of its own and from CommonJS', async () => {
    const folder = application({ 'acme-treadle-sqs': 'good', '@acme/treadle-sqs': 'common-js' });
    writeFileSync(join(folder.path, 'node_modules/acme-treadle-sqs/lib/index.js'), "import './gone.js';");
    writeFileSync(join(folder.path, 'node_modules/@acme/treadle-sqs/lib/index.cjs'), "require('absent');");
    expect((await planWith(folder, 'acme-treadle-sqs, "@acme/treadle-sqs"')).errors.map(({ message }) => message)).to.deep.equal([
      `${SUBJECT} could not be loaded: its dependency "node_modules/acme-treadle-sqs/lib/gone.js" is not installed `
      + '(imported from node_modules/acme-treadle-sqs/lib/index.js)',
      'plugin "@acme/treadle-sqs" 0.3.1 could not be loaded: its dependency "absent" is not installed '
      + '(imported from node_modules/@acme/treadle-sqs/lib/index.cjs)',
    ]);
  });

  it('PLUGIN_LOAD_FAILED', async () => {
    expect(await errorsOf('load-failed')).to.deep.equal([
      `config.yaml:1:11  error  PLUGIN_LOAD_FAILED  ${SUBJECT} threw while loading: TypeError: x is not a function `
      + '(node_modules/acme-treadle-sqs/lib/index.js:8)',
    ]);
  });

  it('PLUGIN_LOAD_FAILED for a syntax error and for a thrown text', async () => {
    const [syntax] = await errorsOf('syntax-error');
    // Node does not say the line of a syntax error to who imports.
    expect(syntax).to.match(/PLUGIN_LOAD_FAILED {2}plugin "acme-treadle-sqs" 0\.3\.1 threw while loading: SyntaxError: .* \(node_modules\/acme-treadle-sqs\/lib\/index\.js(:3)?\)$/);
    const folder = application({ 'acme-treadle-sqs': 'good' });
    writeFileSync(join(folder.path, 'node_modules/acme-treadle-sqs/lib/index.js'), "throw 'no reason';");
    expect((await planWith(folder, 'acme-treadle-sqs')).errors[0]?.message)
      .to.equal(`${SUBJECT} threw while loading: the value "no reason" (node_modules/acme-treadle-sqs/lib/index.js)`);
  });

  it('PLUGIN_BAD_EXPORT', async () => {
    expect(await errorsOf('bad-export')).to.deep.equal([
      `config.yaml:1:11  error  PLUGIN_BAD_EXPORT  ${SUBJECT}: lib/index.js has no default export made by definePlugin() `
      + '(found: object with keys a, b)',
    ]);
  });

  const exported: readonly (readonly [string, string])[] = [
    ['', 'no exports'],
    ['export const one = 1, two = 2;', 'named exports one, two'],
    ['export default null;', 'null'],
    ['export default function connect() {}', 'function connect'],
    ['export default (() => 1);', 'function default'],
    ['export default [1, 2];', 'a list of 2'],
    ['export default {};', 'an empty object'],
    ['export default { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 };', 'object with keys a, b, c, d, e, …'],
    ['export default 7;', 'number'],
    ["export default { $type: 'treadle/Plugin', format: 7 };", 'a plugin of format 7 without lists of classes'],
  ];
  for (const [code, found] of exported) {
    it(`PLUGIN_BAD_EXPORT: ${found}`, async () => {
      const folder = application({ 'acme-treadle-sqs': 'good' });
      writeFileSync(join(folder.path, 'node_modules/acme-treadle-sqs/lib/index.js'), code);
      expect((await planWith(folder, 'acme-treadle-sqs')).errors[0]?.message)
        .to.equal(`${SUBJECT}: lib/index.js has no default export made by definePlugin() (found: ${found})`);
    });
  }

  it('PLUGIN_PROVIDES_MISMATCH in both directions', async () => {
    expect(await errorsOf('provides-mismatch')).to.deep.equal([
      `config.yaml:1:11  error  PLUGIN_PROVIDES_MISMATCH  ${SUBJECT} exports acme::queue::adapters::Sqs2, which its package.json `
      + '"treadle.provides" does not list',
      `config.yaml:1:11  error  PLUGIN_PROVIDES_MISMATCH  ${SUBJECT} lists acme::queue::adapters::Sqs in "treadle.provides" of its `
      + 'package.json, but does not export it',
    ]);
  });

  /** Gives the installed package a copy of @treadle/api of its own. */
  function withOwnApi(fixture: string): TestFolder {
    const folder = application({ 'acme-treadle-sqs': fixture });
    const copy = join(folder.path, 'node_modules/acme-treadle-sqs/node_modules/@treadle/api');
    cpSync(API, copy, { recursive: true, filter: (from) => !from.endsWith('/src') });
    writeFileSync(join(copy, 'package.json'), JSON.stringify({ name: '@treadle/api', version: '1.2.0', type: 'module', exports: './dist/index.js' }));
    const reflect = dirname(createRequire(import.meta.url).resolve('reflect-metadata'));
    symlinkSync(reflect, join(folder.path, 'node_modules/reflect-metadata'), 'dir');
    return folder;
  }

  it('PLUGIN_DUPLICATE_API_COPY, and the classes work all the same', async () => {
    const { plan, errors, warnings } = await planWith(withOwnApi('duplicate-api'), 'acme-treadle-sqs');
    expect(printed(errors)).to.deep.equal([]);
    expect(printed(warnings)).to.deep.equal([
      `config.yaml:1:11  warning  PLUGIN_DUPLICATE_API_COPY  ${SUBJECT} brings its own copy of @treadle/api `
      + '(1.2.0 in node_modules/acme-treadle-sqs/node_modules)\n    hint: make it a peerDependency',
    ]);
    expect(plan?.registry.find('acme::queue::adapters::Sqs')).to.not.equal(undefined);
  });

  it('PLUGIN_DUPLICATE_API for a format that the kernel does not know', async () => {
    const { errors } = await planWith(withOwnApi('duplicate-api-format'), 'acme-treadle-sqs');
    expect(printed(errors)).to.deep.equal([
      `config.yaml:1:11  error  PLUGIN_DUPLICATE_API  ${SUBJECT} brings its own copy of @treadle/api `
      + '(1.2.0 in node_modules/acme-treadle-sqs/node_modules)\n    hint: make it a peerDependency',
    ]);
    expect((await errorsOf('duplicate-api-format'))[0]).to.match(/PLUGIN_BAD_EXPORT .*\(found: a plugin of format 2\)$/);
  });

  it('PLUGIN_TIMEOUT', async () => {
    expect(await errorsOf('timeout', 'acme-treadle-sqs', 100)).to.deep.equal([
      `config.yaml:1:11  error  PLUGIN_TIMEOUT  ${SUBJECT} did not finish loading in 0.1 s (top-level await?)`,
    ]);
  });

  it('CLASS_BAD_ID, CLASS_RESERVED_OWNER, CLASS_UNDECLARED and CLASS_DUPLICATE from packages', async () => {
    expect(await errorsOf('bad-id')).to.deep.equal([
      'config.yaml:1:11  error  CLASS_BAD_ID  plugin "acme-treadle-sqs": "acme.queue.Sqs" is not a class ID '
      + '(owner::block::Name or owner::block::adapters::Name)',
    ]);
    expect(await errorsOf('reserved-owner')).to.deep.equal([
      'config.yaml:1:11  error  CLASS_RESERVED_OWNER  plugin "acme-treadle-sqs": class IDs starting with "modules::" are reserved; '
      + 'use your own owner, e.g. "acme::queue::adapters::Sqs"',
    ]);
    expect(await errorsOf('undeclared')).to.deep.equal([
      'config.yaml:1:11  error  CLASS_UNDECLARED  plugin "acme-treadle-sqs": Sqs in "adapters" has no @Adapter declaration',
    ]);
    const both = application({ 'acme-treadle-sqs': 'good', 'acme-treadle-sqs-fork': 'fork' });
    expect(printed((await planWith(both, 'acme-treadle-sqs, acme-treadle-sqs-fork')).errors)).to.deep.equal([
      'config.yaml:1:29  error  CLASS_DUPLICATE  class acme::queue::adapters::Sqs is provided by acme-treadle-sqs 0.3.1 '
      + 'and by acme-treadle-sqs-fork 0.1.0\n    hint: remove one of them from "plugins"',
    ]);
  });
});
