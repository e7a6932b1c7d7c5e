import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatError } from '@treadle/api';
import { BUILTIN_PLUGINS, ENGINE_VERSION } from '@treadle/engine';
import { planEngine } from '@treadle/kernel';
import { expect } from 'chai';
import { ACME_CONFIG, ACME_PLUGIN } from '../acme-plugin.fixture.js';
import { addFiles, expectGolden, makeApp, removeApp, runCli } from '../cli.fixture.js';

const CONFIG = `modules:
  - class: modules::api::RestApiModule
    config:
      port: \${PORT:4111}
`;
const COMMITTED_SCHEMA = fileURLToPath(new URL('../../../config/schema/treadle.schema.json', import.meta.url));

describe('commands that look at a configuration', () => {
  let folder: string;
  beforeEach(() => { folder = makeApp(); });
  afterEach(() => removeApp(folder));
  const run = (...args: string[]) => runCli(args, { cwd: folder });

  async function golden(name: string, ...args: string[]): Promise<void> {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expectGolden(name, stdout, folder);
  }

  describe('treadle modules list', () => {
    it('lists the built-in classes', () => golden('modules-list.txt', 'modules', 'list'));

    it('marks the classes in use with --config', async () => {
      addFiles(folder, { 'config.yaml': 'engine: { implicit_modules: false }\nmodules:\n  - class: modules::http::HttpModule\n' });
      await golden('modules-list-config.txt', 'modules', 'list', '--config', 'config.yaml');
    });

    it('lists the classes of plugins, retired ones only with --all', async () => {
      addFiles(folder, { ...ACME_PLUGIN, 'config.yaml': ACME_CONFIG });
      await golden('modules-list-plugin.txt', 'modules', 'list', '--config', 'config.yaml');
      expect((await run('modules', 'list')).stdout).not.to.include('acme::queue::Former');
      expect((await run('modules', 'list', '--all')).stdout).to.include('acme::queue::Former');
    });

    it('gives all facts with --json', async () => {
      const { classes } = JSON.parse((await run('modules', 'list', '--json')).stdout);
      const http = classes.find((entry: { class: string }) => entry.class === 'modules::http::HttpModule');
      expect(http).to.deep.include({
        kind: 'module', aliases: ['modules::api::RestApiModule'], plugin: false, provides: ['engine.HttpPort'], inUse: true,
      });
    });

    it('still lists the built-in classes when config.yaml is broken, and says so on stderr', async () => {
      addFiles(folder, { 'config.yaml': 'modules: [' });
      const { code, stdout, stderr } = await run('modules', 'list');
      expect(code).to.equal(0);
      expect(stdout).to.include('modules::http::HttpModule');
      expect(stderr).to.equal('config.yaml has errors ("treadle check" shows them); only built-in classes are known.\n');
      expect((await run('modules', 'list', '--config', 'config.yaml')).code).to.equal(78);
    });
  });

  describe('treadle modules show', () => {
    it('shows all that is known of a module', async () => {
      addFiles(folder, { ...ACME_PLUGIN, 'config.yaml': ACME_CONFIG });
      await golden('modules-show-module.txt', 'modules', 'show', 'acme::queue::FastQueue');
    });

    it('shows all that is known of an adapter, capabilities for each variant', async () => {
      addFiles(folder, { ...ACME_PLUGIN, 'config.yaml': ACME_CONFIG });
      await golden('modules-show-adapter.txt', 'modules', 'show', 'acme::queue::adapters::Sqs');
    });

    it('shows the settings of built-in classes', async () => {
      const { stdout } = await run('modules', 'show', 'modules::http::HttpModule');
      expect(stdout).to.match(/^ {2}port +integer 0-65535 +3111 /m).and.match(/^ {2}cors\.allowed_origins +list of string +required /m);
    });

    it('tells the settings that a running module takes from those that restart it', async () => {
      const { stdout } = await run('modules', 'show', 'modules::steps::StepsModule');
      expect(stdout).to.match(/^ {2}SETTING .* RELOAD +MEANING$/m);
      const settings = JSON.parse((await run('modules', 'show', 'modules::http::HttpModule', '--json')).stdout).settings as { key: string; live?: true }[];
      expect(settings.filter(({ live }) => live).map(({ key }) => key)).to.include.members(['body_limit_bytes', 'cors.allowed_origins']);
      expect(stdout).to.match(/^ {2}discover .* restart +Find/m);
    });

    it('knows a class by its alias', async () => {
      expect((await run('modules', 'show', 'modules::api::RestApiModule')).stdout).to.match(/^modules::http::HttpModule\n/);
    });

    it('refuses a class that does not exist with the nearest one', async () => {
      expect(await run('modules', 'show', 'modules::http::HttpModul')).to.deep.equal({
        code: 64, stdout: '',
        stderr: 'error  USAGE  no loaded package provides class "modules::http::HttpModul"\n    hint: did you mean "modules::http::HttpModule"?\n',
      });
    });

    it('shows an example of each class that the engine accepts', async function () {
      this.timeout(240_000);
      addFiles(folder, { ...ACME_PLUGIN, 'config.yaml': ACME_CONFIG });
      const { classes } = JSON.parse((await run('modules', 'list', '--json')).stdout);
      expect(classes).not.to.be.empty;
      for (const { class: id } of classes as { class: string }[]) {
        const { example } = JSON.parse((await run('modules', 'show', id, '--json')).stdout);
        // A plugin that is installed is named as its package; here it is a folder.
        addFiles(folder, { 'example.yaml': example.replace('- acme-treadle-sqs', '- ./acme') });
        const { errors } = await planEngine({
          cwd: folder, configFile: 'example.yaml', env: {}, builtins: BUILTIN_PLUGINS, engineVersion: ENGINE_VERSION,
        });
        expect(errors.map(formatError), `${id}\n${example}`).to.deep.equal([]);
      }
    });
  });

  describe('treadle graph', () => {
    beforeEach(() => addFiles(folder, { 'config.yaml': CONFIG }));
    it('draws the start order and the ports', () => golden('graph.txt', 'graph'));

    it('draws which module gives another what it needs', async () => {
      addFiles(folder, { ...ACME_PLUGIN, 'config.yaml': ACME_CONFIG });
      await golden('graph-needs.txt', 'graph');
    });

    it('writes a Mermaid flowchart', async () => {
      addFiles(folder, { ...ACME_PLUGIN, 'config.yaml': ACME_CONFIG });
      await golden('graph.mmd', 'graph', '--mermaid');
    });

    it('gives the same with --json', async () => {
      const graph = JSON.parse((await run('graph', '--json')).stdout);
      expect(graph.config).to.equal('config.yaml');
      const http = graph.modules.find((entry: { class: string }) => entry.class === 'modules::http::HttpModule');
      expect(http).to.deep.include({ implicit: false, servedAs: 'modules::api::RestApiModule', at: 'config.yaml:2:5' });
      expect(graph.modules.some((entry: { implicit: boolean }) => entry.implicit)).to.equal(true);
    });
  });

  describe('treadle config print', () => {
    beforeEach(() => addFiles(folder, { 'config.yaml': CONFIG }));
    it('prints each value with its origin, secrets hidden', async () => {
      addFiles(folder, { ...ACME_PLUGIN, 'config.yaml': ACME_CONFIG, '.env': 'ACME_WAIT_MS=20\n' });
      await golden('config-print.txt', 'config', 'print');
      expect((await run('config', 'print', '--json')).stdout).not.to.include('hush-hush');
    });

    it('gives the same with --json', async () => {
      const printed = JSON.parse((await run('config', 'print', '--json')).stdout);
      expect(JSON.stringify(printed)).to.include('4111').and.include('modules::http::HttpModule');
    });

    it('prints what is wrong instead, on stderr, exit code 78', async () => {
      addFiles(folder, { 'config.yaml': 'modules:\n  - class: modules::http::HttpModule\n    config: { port: abc }\n' });
      const { code, stdout, stderr } = await run('config', 'print');
      expect({ code, stdout }).to.deep.equal({ code: 78, stdout: '' });
      expect(stderr).to.match(/^config\.yaml:3:\d+ {2}error {2}CONFIG_BAD_VALUE {2}modules\[0\]\.config\.port: /);
    });
  });

  it('print what is wrong as one JSON document with --json', async () => {
    addFiles(folder, { 'config.yaml': 'modules:\n  - class: modules::http::HttpModul\n' });
    for (const command of [['graph'], ['config', 'print'], ['modules', 'list', '--config', 'config.yaml']]) {
      const { code, stdout, stderr } = await run(...command, '--json');
      expect({ code, stderr }).to.deep.equal({ code: 78, stderr: '' });
      expect(JSON.parse(stdout)).to.deep.equal({
        errors: [{
          severity: 'error', code: 'CONFIG_UNKNOWN_CLASS', hint: 'did you mean "modules::http::HttpModule"?',
          message: 'modules[0].class: no loaded package provides class "modules::http::HttpModul"',
          at: { file: 'config.yaml', line: 2, column: 12 },
        }],
        warnings: [], exitCode: 78,
      });
    }
  });

  describe('treadle schema', () => {
    it('prints the schema on stdout and how to use it on stderr', async () => {
      const { code, stdout, stderr } = await run('schema');
      expect(code).to.equal(0);
      expect(JSON.parse(stdout)).to.have.property('$schema').that.includes('draft-07');
      expect(stderr).to.match(/^treadle\.schema\.json: draft-07, \d+ modules, \d+ adapters?, 0 plugins\nPut this first in your YAML: {2}# yaml-language-server: \$schema=\.\/treadle\.schema\.json\n$/);
    });

    it('knows the classes of plugins', async () => {
      addFiles(folder, { ...ACME_PLUGIN, 'config.yaml': ACME_CONFIG });
      const { stdout, stderr } = await run('schema');
      expect(stdout).to.include('acme::queue::adapters::Sqs').and.include('acme::queue::QuickQueue');
      expect(stderr).to.match(/^treadle\.schema\.json: draft-07, \d+ modules, \d+ adapters, 1 plugin\n/);
    });

    it('writes a file with --output', async () => {
      const { code, stdout, stderr } = await run('schema', '--output', 'my.schema.json');
      expect({ code, stdout }).to.deep.equal({ code: 0, stdout: '' });
      expect(stderr).to.include('$schema=./my.schema.json\n');
      expect(JSON.parse(readFileSync(join(folder, 'my.schema.json'), 'utf8'))).to.have.property('properties');
    });

    it('says why a file cannot be written, exit code 74', async () => {
      const { code, stderr } = await run('schema', '--output', 'no/such/folder.json');
      expect(code).to.equal(74);
      expect(stderr).to.match(/^error {2}FILE_NOT_WRITABLE {2}"no\/such\/folder\.json" cannot be written: ENOENT/);
    });

    it('is the committed schema of the built-in classes; "npm run schema" in cli/ rewrites it', async () => {
      expect((await run('schema')).stdout).to.equal(readFileSync(COMMITTED_SCHEMA, 'utf8'));
    });
  });
});
