import { expect } from 'chai';
import { ACME_CONFIG, ACME_PLUGIN } from '../acme-plugin.fixture.js';
import { addFiles, makeApp, removeApp, runCli } from '../cli.fixture.js';

const COMMAND = (id: string): string => `
const { Command } = require('@oclif/core');
module.exports = class extends Command {
  static description = 'Says ${id}.';
  async run() { await this.parse(this.constructor); this.log('this is ${id}'); }
};
module.exports.default = module.exports;
`;
const FAILING = `
const { Command } = require('@oclif/core');
module.exports = class extends Command {
  static description = 'Fails.';
  async run() { this.error('the queue is not there', { exit: 3 }); }
};
module.exports.default = module.exports;
`;
const manifest = (name: string, more: object = {}): string => JSON.stringify({
  name, version: '0.3.1', keywords: ['treadle-plugin'], oclif: { commands: './commands' }, ...more,
});

describe('commands of plugins', () => {
  let folder: string;
  afterEach(() => removeApp(folder));

  /** The packages are real folders of the application's own node_modules. */
  function app(packages: Readonly<Record<string, Readonly<Record<string, string>>>>, files: Readonly<Record<string, string>> = {}): void {
    folder = makeApp(files, { modules: false });
    for (const [name, contents] of Object.entries(packages)) {
      for (const [file, text] of Object.entries(contents)) addFiles(folder, { [`node_modules/${name}/${file}`]: text });
    }
    linkOclif();
  }

  function linkOclif(): void {
    // What npm does: the plugin's own dependency is installed beside it.
    addFiles(folder, { 'node_modules/@oclif/core/package.json': JSON.stringify({ name: '@oclif/core', main: './index.cjs' }) });
    addFiles(folder, { 'node_modules/@oclif/core/index.cjs': `module.exports = require(${JSON.stringify(oclif())});` });
  }

  const DEPENDING = { 'package.json': JSON.stringify({ name: 'app', dependencies: { 'acme-treadle-sqs': '*' } }) };
  const SQS = { 'package.json': manifest('acme-treadle-sqs'), 'commands/sqs/drain.js': COMMAND('sqs drain') };

  it('run when the application depends on the package, and show in the help', async () => {
    app({ 'acme-treadle-sqs': SQS }, DEPENDING);
    expect(await runCli(['sqs', 'drain'], { cwd: folder })).to.deep.equal({ code: 0, stdout: 'this is sqs drain\n', stderr: '' });
    expect((await runCli(['--help'], { cwd: folder })).stdout).to.match(/^ {2}sqs /m);
  });

  it('run when it is a development dependency', async () => {
    app({ 'acme-treadle-sqs': SQS }, { 'package.json': JSON.stringify({ devDependencies: { 'acme-treadle-sqs': '*' } }) });
    expect((await runCli(['sqs', 'drain'], { cwd: folder })).stdout).to.equal('this is sqs drain\n');
  });

  it('run when only the configuration lists the package, also one given with --config', async () => {
    app({ 'acme-treadle-sqs': SQS }, { 'config.yaml': 'plugins: [acme-treadle-sqs]\n', 'other.yaml': 'modules: []\n' });
    expect((await runCli(['sqs', 'drain'], { cwd: folder })).stdout).to.equal('this is sqs drain\n');
    expect((await runCli(['sqs', 'drain', '--config', 'other.yaml'], { cwd: folder })).code).to.equal(64);
  });

  it('run from a folder that the configuration lists', async () => {
    app({}, { 'config.yaml': 'plugins:\n  - ./local\n', 'local/package.json': manifest('local'), 'local/commands/local.js': COMMAND('local') });
    expect((await runCli(['local'], { cwd: folder })).stdout).to.equal('this is local\n');
  });

  it('come with the classes of the same plugin, by the configuration alone', async () => {
    folder = makeApp({ ...ACME_PLUGIN, 'config.yaml': ACME_CONFIG });
    expect((await runCli(['sqs', 'drain'], { cwd: folder })).stdout).to.equal('drained\n');
    expect((await runCli(['modules', 'list'], { cwd: folder })).stdout).to.include('acme-treadle-sqs 0.3.1 (plugin)');
  });

  it('are left alone when the package is neither listed nor depended on', async () => {
    app({ 'acme-treadle-sqs': SQS }, { 'package.json': '{}' });
    expect((await runCli(['sqs', 'drain'], { cwd: folder })).code).to.equal(64);
  });

  it('are left alone without the keyword or the oclif section', async () => {
    const tripwire = { 'commands/sqs/drain.js': 'throw new Error("loaded");' };
    app({
      'no-keyword': { 'package.json': manifest('no-keyword', { keywords: [] }), ...tripwire },
      'no-oclif': { 'package.json': manifest('no-oclif', { oclif: undefined }), ...tripwire },
    }, { 'package.json': JSON.stringify({ dependencies: { 'no-keyword': '*', 'no-oclif': '*' } }) });
    expect(await runCli(['sqs', 'drain'], { cwd: folder })).to.deep.include({ code: 64 });
  });

  it('give way to a built-in command of the same name, with a warning', async () => {
    app({ 'acme-treadle-sqs': { ...SQS, 'commands/modules/list.js': COMMAND('not this') } }, DEPENDING);
    const { stdout, stderr } = await runCli(['sqs', 'drain'], { cwd: folder });
    expect(stderr).to.equal('warning: command "modules list" of acme-treadle-sqs is hidden by treadle\n');
    expect(stdout).to.equal('this is sqs drain\n');
    expect((await runCli(['modules', 'list'], { cwd: folder })).stdout).not.to.include('not this');
  });

  it('give way to the same command of a package that comes first by name, with a warning', async () => {
    app(
      { 'a-plugin': { 'package.json': manifest('a-plugin'), 'commands/same.js': COMMAND('a') },
        'b-plugin': { 'package.json': manifest('b-plugin'), 'commands/same.js': COMMAND('b') } },
      { 'package.json': JSON.stringify({ dependencies: { 'b-plugin': '*', 'a-plugin': '*' } }) },
    );
    const { stdout, stderr } = await runCli(['same'], { cwd: folder });
    expect(stderr).to.equal('warning: command "same" of b-plugin is hidden by a-plugin\n');
    expect(stdout).to.equal('this is a\n');
  });

  it('are left out with a warning when they cannot be loaded, and nothing else suffers', async () => {
    app({ 'acme-treadle-sqs': { ...SQS, 'commands/broken.js': 'throw new Error("no such thing");' } }, DEPENDING);
    const { code, stderr } = await runCli(['--help'], { cwd: folder });
    expect(code).to.equal(0);
    expect(stderr).to.equal('warning: the commands of acme-treadle-sqs cannot be loaded: no such thing\n');
  });

  it('fail in the one form of errors with the exit code that they ask for', async () => {
    app({ 'acme-treadle-sqs': { ...SQS, 'commands/fail.js': FAILING } }, DEPENDING);
    expect(await runCli(['fail'], { cwd: folder })).to.deep.equal({
      code: 3, stdout: '', stderr: 'error  COMMAND_FAILED  the queue is not there\n',
    });
  });
});

function oclif(): string {
  return new URL('../../../node_modules/@oclif/core/lib/index.js', import.meta.url).pathname;
}
