import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { addFiles, makeApp, removeApp, runCli, type CommandOutcome } from '../cli.fixture.js';

const CLI = fileURLToPath(new URL('../..', import.meta.url));
const WORKSPACE = join(CLI, '..', 'node_modules');
const ADD = 'npm install @treadle/engine@0.1.0';

describe('the engine of an application', () => {
  let folder: string;
  beforeEach(() => {
    folder = makeApp({ 'package.json': '{"name":"app"}' }, { modules: false });
    installToolWithoutEngine();
  });
  afterEach(() => removeApp(folder));

  /** As npm leaves it: the tool as a real folder, its own dependencies below it. */
  function installToolWithoutEngine(): void {
    const target = join(folder, 'node_modules', '@treadle', 'cli');
    mkdirSync(target, { recursive: true });
    const { dependencies } = JSON.parse(readFileSync(join(CLI, 'package.json'), 'utf8')) as { readonly dependencies: Readonly<Record<string, string>> };
    for (const part of ['bin', 'dist', 'package.json', 'oclif.manifest.json']) cpSync(join(CLI, part), join(target, part), { recursive: true });
    for (const name of Object.keys(dependencies)) {
      const link = join(target, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(WORKSPACE, name), link);
    }
  }

  function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CommandOutcome> {
    return runCli(args, { cwd: folder, bin: join(folder, 'node_modules', '@treadle', 'cli', 'bin', 'run.js'), env });
  }

  /** A package manager that does what its name promises, without a registry. */
  function packageManager(name: string, script: string): { readonly PATH: string } {
    addFiles(folder, { [`bin/${name}`]: `#!/bin/sh\necho "$0 $@" >> ${folder}/calls\n${script}\n` });
    chmodSync(join(folder, 'bin', name), 0o755);
    return { PATH: [join(folder, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter) };
  }

  it('is asked for with exit code 69 and the command when it is missing', async () => {
    expect(await run(['modules', 'list', '--no-install'])).to.deep.equal({
      code: 69, stdout: '',
      stderr: `error  ENGINE_NOT_INSTALLED  @treadle/engine is not installed (looked in ${folder} and its parent folders)\n`
        + `    hint: ${ADD}\n`,
    });
  });

  it('is named in the command of the package manager that the application uses', async () => {
    addFiles(folder, { 'pnpm-lock.yaml': '' });
    const { code, stdout } = await run(['check', '--json']);
    expect(code).to.equal(69);
    expect(JSON.parse(stdout).errors[0].hint).to.equal('pnpm add @treadle/engine@0.1.0');
  });

  it('is only to be installed where package.json names it already', async () => {
    addFiles(folder, { 'package.json': '{"name":"app","dependencies":{"@treadle/engine":"^0.1.0"}}' });
    expect((await run(['check'])).stderr).to.match(/hint: npm install\n$/);
  });

  it('is installed by what runs or builds an application, with its package manager, saying so, and then used', async () => {
    const env = packageManager('npm', `ln -s ${join(WORKSPACE, '@treadle/engine')} ${folder}/node_modules/@treadle/engine; echo added 1 package`);
    const { code, stdout, stderr } = await run(['build'], env);
    expect(stderr).to.match(new RegExp(`^@treadle/engine is not installed; running "${ADD}" in this folder …\\n.*: done in \\d+ s\\n`));
    expect(stderr).to.include('BUILD_NO_STEPS');
    expect(stdout).not.to.include('added 1 package');
    expect(code).to.equal(65);
    expect(readFileSync(join(folder, 'calls'), 'utf8')).to.match(/npm install @treadle\/engine@0\.1\.0\n$/);
  });

  it('keeps stdout for the one JSON document while it is installed', async () => {
    const env = packageManager('npm', `ln -s ${join(WORKSPACE, '@treadle/engine')} ${folder}/node_modules/@treadle/engine; echo noise`);
    const { stdout } = await run(['build', '--json'], env);
    expect(JSON.parse(stdout).diagnostics).to.be.an('array').with.length(1);
  });

  for (const command of [['check'], ['doctor'], ['routes'], ['steps'], ['graph'], ['modules', 'list'], ['config', 'print'], ['schema'], ['openapi'], ['test']]) {
    it(`is never installed by "${command.join(' ')}"`, async () => {
      const { code } = await run(command, packageManager('npm', 'exit 0'));
      expect(code).to.be.greaterThan(0);
      expect(existsSync(join(folder, 'calls')), 'npm was called').to.equal(false);
    });
  }

  it('fails with the package manager\'s own words when that fails', async () => {
    const env = packageManager('npm', 'echo "E404 no such package" >&2; exit 3');
    const { code, stderr } = await run(['dev'], env);
    expect(code).to.equal(69);
    expect(stderr).to.include('E404 no such package\n');
    expect(stderr).to.include(`error  INSTALL_FAILED  "${ADD}" failed in ${folder}: exit code 3\n    hint: run it there yourself\n`);
  });

  it('fails in one line when the package manager itself is missing', async () => {
    addFiles(folder, { 'bun.lock': '' });
    const { code, stderr } = await run(['start'], packageManager('npm', ''));
    expect(code).to.equal(69);
    expect(stderr).to.include(`failed in ${folder}: bun is not installed`);
  });

  it('comes from the application before the one beside the tool', async () => {
    addFiles(folder, {
      'node_modules/@treadle/engine/package.json': JSON.stringify({ name: '@treadle/engine', version: '9.9.9', type: 'module', exports: './index.js' }),
      'node_modules/@treadle/engine/index.js': 'export const BUILTIN_PLUGINS = []; export const ENGINE_VERSION = "9.9.9";',
    });
    const { stdout } = await run(['modules', 'list', '--json'], {});
    expect(JSON.parse(stdout).classes).to.deep.equal([]);
  });
});
