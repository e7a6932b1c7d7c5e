import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ACME_PLUGIN } from '../acme-plugin.fixture.js';
import { addFiles, expectGolden, makeApp, removeApp, runCli } from '../cli.fixture.js';

const STEP = (name: string, trigger: string, more = ''): string => `
import { step } from 'treadle';
${more}
export default step({ name: '${name}', triggers: [${trigger}] }, async () => ({ status: 204 }));
`;
const HTTP = (path: string): string => `{ type: 'http', method: 'GET', path: '${path}' }`;
const BROKEN = `modules:
  - class: modules::http::HttpModule
    config:
      port: abc
      hosst: 127.0.0.1
  - class: modules::steps::StepsModul
`;

describe('treadle check', () => {
  let folder: string;
  beforeEach(() => { folder = makeApp(); });
  afterEach(() => removeApp(folder));
  const check = (...args: string[]) => runCli(['check', ...args], { cwd: folder });

  it('says of a valid application what was found, exit code 0', async () => {
    addFiles(folder, { 'config.yaml': 'modules:\n  - class: modules::http::HttpModule\n    config: { port: "${PORT:3111}" }\n' });
    addFiles(folder, { 'steps/a.step.ts': STEP('A', HTTP('/a')), 'src/deep/b.step.js': STEP('B', `${HTTP('/b')}, ${HTTP('/c')}`) });
    const { code, stdout, stderr } = await runCli(['check'], { cwd: folder, env: { PORT: '4000' } });
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expectGolden('check-valid.txt', stdout, folder);
  });

  it('warns of a route that takes the place of files, and of no other', async () => {
    const mounts = '[{ path: /, dir: public }, { path: /assets, dir: assets }]';
    addFiles(folder, {
      'config.yaml': `modules:\n  - class: modules::http::HttpModule\n    config: { port: 0, static: ${mounts} }\n`,
      'public/app.js': '', 'public/style.css': '', 'public/.hidden': '', 'public/deep/x.js': '', 'assets/logo.png': '',
      'steps/short.step.ts': STEP('Short', HTTP('/:code')), 'steps/other.step.ts': STEP('Other', HTTP('/links/:code')),
      'steps/exact.step.ts': STEP('Exact', HTTP('/app.js')), 'steps/rest.step.ts': STEP('Rest', HTTP('/assets/*rest')),
    });
    const { code, stdout } = await check();
    expect(code).to.equal(0);
    expect(stdout.match(/^.*STEP_SHADOWS_FILES.*$/gm)).to.deep.equal([
      'steps/rest.step.ts:4  warning  STEP_SHADOWS_FILES  config.triggers[0]: GET /assets/*rest takes the place of files of "assets": /assets/logo.png',
      'steps/short.step.ts:4  warning  STEP_SHADOWS_FILES  config.triggers[0]: GET /:code takes the place of files of "public": /app.js, /style.css',
    ]);
  });

  it('reads the default configuration where there is no file', async () => {
    expect((await check('--config-only')).stdout).to.match(/^default configuration: valid\. \d+ modules, \d+ adapters?, 2 values from the environment\.\n$/);
  });

  it('says that there are no Steps', async () => {
    addFiles(folder, { 'package.json': '{"name":"app"}' });
    expect((await check()).stdout).to.include('\nno Step files in steps/ and src/.\n');
  });

  it('warns of files that look like Steps and of links to folders', async () => {
    addFiles(folder, { 'steps/b_step.ts': STEP('B', HTTP('/b')), 'lib/c.step.ts': STEP('C', HTTP('/c')) });
    symlinkSync(join(folder, 'lib'), join(folder, 'src'));
    symlinkSync(join(folder, 'lib'), join(folder, 'steps/shared'));
    const { code, stdout } = await check();
    expect(code).to.equal(0);
    expect(stdout).to.contain('steps/b_step.ts  warning  STEP_FILE_OVERLOOKED').and.contain('hint: call it b.step.ts');
    expect(stdout).to.contain('steps/shared  warning  STEP_FILE_OVERLOOKED  links to folders are not followed');
  });

  it('prints every error of the configuration with its place, exit code 78, and leaves the Steps out', async () => {
    addFiles(folder, { 'broken.yaml': BROKEN, 'steps/a.step.ts': 'export const nonsense = ;' });
    const { code, stdout, stderr } = await check('--config', 'broken.yaml');
    expect({ code, stderr }).to.deep.equal({ code: 78, stderr: '' });
    expectGolden('check-broken-config.txt', stdout, folder);
  });

  it('prints every error of the Steps with its place, exit code 65', async () => {
    addFiles(folder, {
      'steps/a.step.ts': STEP('Same', HTTP('/a')),
      'steps/b.step.ts': STEP('Same', HTTP('/b')),
      'steps/c.step.ts': STEP('C', HTTP('/x/:id')),
      'steps/d.step.ts': STEP('D', HTTP('/x/:name')),
      'steps/e.step.ts': STEP('E', "{ type: 'htp', path: '/e' } as never"),
      'steps/f.step.ts': STEP('F', "{ type: 'cron', expression: '* * * * *' }"),
      'steps/g.step.ts': "export const config = { name: 'G', triggers: [{ type: 'cron', expression: '@daily' }] };\n",
      'steps/h.step.ts': 'export const nonsense = ;\n',
      'steps/i.step.ts': "throw new Error('no database');\n",
      'steps/j.step.ts': STEP('J', "{ type: 'http', method: 'GET', path: '/j', bodySchem: {} } as never"),
    });
    const { code, stdout, stderr } = await check();
    expect({ code, stderr }).to.deep.equal({ code: 65, stderr: '' });
    expectGolden('check-broken-steps.txt', stdout, folder);
  });

  it('checks Python files together with all others', async () => {
    addFiles(folder, {
      'steps/a.step.ts': STEP('Same', HTTP('/a')),
      'steps/b_step.py': 'config = {"name": "Same", "triggers": [{"type": "http", "method": "GET", "path": "/b", "bodySchem": {}}]}\ndef handler(): pass\n',
      'steps/c_step.py': 'config = {"name": "C", "triggers": [{"type": "htp"}]}\n\ndef handler(input, ctx):\n  return 1 +\n',
      'steps/d_step.py': 'def handler(input, ctx): pass\n',
      'steps/e_step.py': '\nimport nowhere\n',
    });
    const { code, stdout } = await check('--json');
    const { steps } = JSON.parse(stdout) as { steps: { diagnostics: { file: string; line?: number; code: string }[] } };
    expect(code).to.equal(65);
    expect(steps.diagnostics.map((found) => `${found.file}:${found.line ?? '-'} ${found.code}`)).to.deep.equal([
      'steps/b_step.py:1 STEP_UNKNOWN_KEY', 'steps/b_step.py:1 STEP_DUPLICATE_NAME', 'steps/c_step.py:4 STEP_SYNTAX', 'steps/d_step.py:1 STEP_NO_CONFIG', 'steps/e_step.py:2 STEP_IMPORT_FAILED',
    ]);
    addFiles(folder, { 'config.yaml': 'modules:\n  - class: modules::steps::StepsModule\n    config: { runtimes: [{ class: "modules::runtime::adapters::Python", config: { python: no-such-python } }] }\n' });
    expect((await check()).stdout).to.match(/steps\/b_step\.py:1 {2}error {2}STEP_NO_INTERPRETER {2}Python 3\.10 or newer is needed; "python" names no-such-python, which does not exist; the same holds for steps\/c_step\.py, steps\/d_step\.py, steps\/e_step\.py\n {4}hint: install Python 3\.10/)
      .and.not.match(/STEP_NO_INTERPRETER[^]*STEP_NO_INTERPRETER/);
  });

  it('goes on after files that end, block or crash the process', async () => {
    addFiles(folder, {
      'steps/a.step.ts': 'process.exit(3);\n',
      'steps/b.step.ts': 'process.kill(process.pid, "SIGKILL");\nawait new Promise(() => {});\n',
      'steps/c.step.ts': STEP('C', HTTP('/c')),
    });
    const { code, stdout } = await check('--json');
    const report = JSON.parse(stdout);
    expect(code).to.equal(65);
    expect(report.steps).to.deep.include({ files: 3, steps: 1 });
    expect(report.steps.diagnostics.map((found: { file: string; message: string }) => [found.file, found.message])).to.deep.equal([
      ['steps/a.step.ts', 'the process ended with exit code 3 while the file was loaded'],
      ['steps/b.step.ts', 'the process ended with signal SIGKILL while the file was loaded'],
    ]);
  });

  it('warns of a handler that nothing starts, in each language', async () => {
    const drawn = "export const config = { name: 'Drawn' };\n";
    addFiles(folder, {
      'steps/a.step.js': "export const config = { name: 'A', triggers: [] };\nexport const handler = async () => {};\n", 'steps/drawn.step.js': drawn,
      'steps/noop.step.js': "export const config = { name: 'Noop', type: 'noop' };\nexport const handler = async () => {};\n",
      'steps/b_step.py': 'config = {"name": "B"}\ndef handler(input, ctx):\n    pass\n',
    });
    const { code, stdout } = await check('--json');
    expect(code).to.equal(0);
    const { steps: { diagnostics } } = JSON.parse(stdout) as { steps: { diagnostics: readonly { file: string; code: string; severity: string }[] } };
    expect(diagnostics.map(({ file, code: found, severity }) => `${severity} ${found} ${file}`)).to.deep.equal([
      'warning STEP_NEVER_STARTED steps/a.step.js', 'warning STEP_NEVER_STARTED steps/b_step.py',
    ]);
  });

  it('ends although a Step file leaves timers and output behind', async () => {
    addFiles(folder, { 'steps/a.step.ts': STEP('A', HTTP('/a'), "setInterval(() => console.log('noise'), 10);\nconsole.log('noise');") });
    const { code, stdout } = await check();
    expect(code).to.equal(0);
    expect(stdout).not.to.include('noise');
  });

  it('keeps the engine\'s tokens from the Step files and gives them .env', async () => {
    const guard = "if (process.env.ENGINE_TOKEN || process.env.ADMIN_TOKEN) throw new Error('leaked');\nif (process.env.FROM_FILE !== 'yes') throw new Error('no .env');";
    addFiles(folder, { '.env': 'FROM_FILE=yes\n', 'steps/a.step.ts': STEP('A', HTTP('/a'), guard) });
    const { code, stdout } = await runCli(['check'], { cwd: folder, env: { ENGINE_TOKEN: 'x'.repeat(32), ADMIN_TOKEN: 'x'.repeat(32) } });
    expect(code, stdout).to.equal(0);
  });

  it('takes variables of .env where the environment does not set them', async () => {
    addFiles(folder, {
      'config.yaml': 'modules:\n  - class: modules::http::HttpModule\n    config: { port: "${THE_PORT}" }\n', '.env': 'THE_PORT=abc\n',
    });
    expect((await check()).stdout).to.include('THE_PORT');
    const { code } = await runCli(['check'], { cwd: folder, env: { THE_PORT: '4000' } });
    expect(code).to.equal(0);
  });

  it('says that a file has no runtime that runs its language', async () => {
    const onlyNode = 'modules:\n  - class: modules::steps::StepsModule\n    config: { runtimes: [{ class: "modules::runtime::adapters::Node" }] }\n';
    addFiles(folder, { 'steps/a.step.ts': STEP('A', HTTP('/a')), 'steps/b_step.py': 'config = {}\n', 'config.yaml': onlyNode });
    const { code, stdout } = await check();
    expect(code).to.equal(65);
    expect(stdout).to.include('steps/b_step.py:1  error  STEP_NO_RUNTIME  no runtime of this config serves this file\n'
      + '    hint: add modules::runtime::adapters::Python to "runtimes" of modules::steps::StepsModule\n1 error\n');
  });

  it('checks declarations of streams and does not count them as Steps', async () => {
    addFiles(folder, { 'steps/a.step.ts': STEP('A', HTTP('/a')), 'steps/b.stream.ts': "export const config = { nmae: 'b' };", 'steps/c.stream-auth.ts': '',
      'steps/d.stream.ts': "export const config = { name: 'd', schema: { type: 'strin' } };" });
    const { code, stdout } = await check();
    expect(code).to.equal(65);
    expect(stdout).to.include('steps/b.stream.ts:1  error  STEP_UNKNOWN_KEY  config: a stream config has no key "nmae"\n    hint: did you mean "name"?');
    expect(stdout).to.include('steps/c.stream-auth.ts:1  error  STEP_NO_AUTHENTICATE');
    expect(stdout).to.include('steps/d.stream.ts:1  error  STEP_BAD_SCHEMA  config.schema: schema cannot be used: type must be JSONType');
    const { stdout: json } = await runCli(['check', '--json'], { cwd: folder });
    expect((JSON.parse(json) as { steps: object }).steps).to.deep.include({ files: 1, steps: 1, triggers: 1 });
  });

  it('looks for no Steps where the configuration runs none', async () => {
    addFiles(folder, {
      'config.yaml': 'modules:\n  - class: modules::steps::StepsModule\n    config: { discover: false }\n', 'steps/a.step.ts': 'export const nonsense = ;',
    });
    const { code, stdout } = await check();
    expect(code).to.equal(0);
    expect(stdout).to.include('\nSteps: not checked, because this configuration runs no Steps.\n');
  });

  it('finds Steps and .env in the root that the configuration names', async () => {
    addFiles(folder, {
      'deploy/config.yaml': 'engine: { root: .. }\nmodules:\n  - class: modules::http::HttpModule\n    config: { port: "${THE_PORT}" }\n',
      '.env': 'THE_PORT=4000\n', 'steps/a.step.ts': STEP('A', HTTP('/a')),
    });
    const { code, stdout } = await check('--config', 'deploy/config.yaml');
    expect(stdout).to.equal('deploy/config.yaml: valid. 8 modules, 6 adapters, 3 values from the environment.\n1 Step in 1 file: valid. 1 trigger.\n');
    expect(code).to.equal(0);
  });

  it('leaves the Steps out with --config-only', async () => {
    addFiles(folder, { 'steps/a.step.ts': 'export const nonsense = ;' });
    const { code, stdout } = await check('--config-only');
    expect(code).to.equal(0);
    expect(stdout).not.to.include('Step');
  });

  it('names Steps that ask for what the configured adapter cannot do, and the adapter', async () => {
    addFiles(folder, {
      'weak/package.json': JSON.stringify({
        name: 'treadle-weak', version: '0.1.0', type: 'module', keywords: ['treadle-plugin'],
        treadle: { api: '^0.1.0', entry: './index.js', provides: ['acme::queue::adapters::Weak'] }, peerDependencies: { '@treadle/api': '^0.1.0' },
      }),
      'weak/index.js': `import { Adapter, definePlugin, slot } from '@treadle/api';
class Weak {}
Adapter({
  id: 'acme::queue::adapters::Weak', slot: slot('queue'), summary: 'Weak.', stability: 'alpha', since: '0.1.0', config: { type: 'object', additionalProperties: false, properties: {} },
  capabilities: { durable: false, ordering: 'none', delayed: false, dedupe: false, multiEngine: false, maxMessageBytes: 1000 }, variants: { plain: {} },
})(Weak);
export default definePlugin({ name: 'treadle-weak', version: '0.1.0', api: '^0.1.0', adapters: [Weak] });
`,
      'config.yaml': 'plugins: [./weak]\nmodules:\n  - class: modules::queue::QueueModule\n    config:\n      adapter: { class: acme::queue::adapters::Weak }\n',
      'steps/a.step.ts': STEP('A', "{ type: 'queue', topic: 't', config: { type: 'fifo', delaySeconds: 30 } }"),
      'steps/b.step.ts': STEP('B', "{ type: 'queue', topic: 't' }"),
    });
    const { code, stdout } = await check();
    expect(stdout.match(/^.*STEP_ADAPTER_LACKS.*$/gm)).to.deep.equal([
      'steps/a.step.ts:4  error  STEP_ADAPTER_LACKS  config.triggers[0].config.type: acme::queue::adapters::Weak (config.yaml:5:16) has no order of messages, as it is configured (ordering: "none")',
      'steps/a.step.ts:4  error  STEP_ADAPTER_LACKS  config.triggers[0].config.delaySeconds: acme::queue::adapters::Weak (config.yaml:5:16) has no delays, as it is configured (delayed: false)',
    ]);
    expect(code).to.equal(65);
  });

  it('makes warnings errors with --strict', async () => {
    const config = 'plugins: [./acme]\nengine: { implicit_modules: false }\nmodules:\n  - class: acme::queue::FastQueue\n'
      + '    config:\n      old_wait: 5\n      adapter: { class: acme::queue::adapters::Sqs, config: { region: eu } }\n';
    addFiles(folder, { ...ACME_PLUGIN, 'config.yaml': config });
    const lenient = await check();
    expect(lenient.code).to.equal(0);
    expectGolden('check-warning.txt', lenient.stdout, folder);
    expect((await check('--strict')).code).to.equal(78);
  });

  it('names a file that is not there, exit code 78', async () => {
    const { code, stdout } = await check('--config', 'nowhere.yaml');
    expect(code).to.equal(78);
    expect(stdout).to.include('CONFIG_NOT_FOUND  there is no file "nowhere.yaml"');
  });

  it('reports all of it as one JSON document', async () => {
    addFiles(folder, { 'broken.yaml': BROKEN });
    const { code, stdout, stderr } = await check('--config', 'broken.yaml', '--json');
    expect({ code, stderr }).to.deep.equal({ code: 78, stderr: '' });
    const report = JSON.parse(stdout);
    expect(report).to.deep.include({ valid: false, exitCode: 78, config: 'broken.yaml', warnings: [] });
    expect(report.errors.map((error: { code: string }) => error.code)).to.have.members(['CONFIG_BAD_VALUE', 'CONFIG_UNKNOWN_KEY', 'CONFIG_UNKNOWN_CLASS']);
    expect(report.errors[0].at).to.have.keys('file', 'line', 'column');
    expect(report).not.to.have.property('steps');
  });
});
