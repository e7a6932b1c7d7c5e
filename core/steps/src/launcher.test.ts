import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

describe('the treadle launcher', () => {
  let folder: string;
  let launcher: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'treadle-launcher-')));
    launcher = join(folder, 'global/node_modules/treadle');
    // As npm installs it: nothing of this repository is in reach.
    for (const part of ['bin', 'package.json']) cpSync(join(PACKAGE, part), join(launcher, part), { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function launch(cwd: string, args: readonly string[], more = {}): { status: number | null; stdout: string; stderr: string } {
    const env = { ...process.env, PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`, NODE_OPTIONS: '', ...more };
    return spawnSync(process.execPath, [join(launcher, 'bin/treadle.js'), ...args], { cwd, env, encoding: 'utf8' });
  }

  function writeProgram(path: string, text: string): void {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, 0o755);
  }

  it('runs the command line of the application, also from a folder inside it', () => {
    const cli = join(folder, 'app/node_modules/@treadle/cli');
    writeProgram(join(cli, 'bin/run.js'), 'process.stdout.write(`cli ${process.argv.slice(2).join(" ")}`); process.exitCode = 65;');
    writeFileSync(join(cli, 'package.json'), JSON.stringify({ name: '@treadle/cli', version: '9.9.9', type: 'module', bin: { 'treadle-cli': './bin/run.js' } }));
    mkdirSync(join(folder, 'app/steps'), { recursive: true });
    for (const cwd of ['app', 'app/steps']) {
      expect(launch(join(folder, cwd), ['check', '--json'])).to.include({ status: 65, stdout: 'cli check --json' });
    }
  });

  it('runs the same version through npm when the application has none, and hands its exit code on', () => {
    // The second call finds the package in npm's cache: the command line itself has failed.
    writeProgram(join(folder, 'bin/npm'), '#!/bin/sh\n[ "$3" = --offline ] && exit 0\necho "$@"\nexit 7\n');
    const { status, stdout } = launch(folder, ['create', 'my app']);
    expect(stdout.trim()).to.match(/^exec --yes --prefer-offline --package=@treadle\/cli@\d+\.\d+\.\d+\S* -- treadle-cli create my app$/);
    expect(status).to.equal(7);
  });

  it('brings the engine along, in npm\'s cache, for what looks at an application: the folder stays as it is', () => {
    writeProgram(join(folder, 'bin/npm'), '#!/bin/sh\necho "$@"\n');
    for (const command of ['check', 'doctor', 'dev', 'test']) {
      expect(launch(folder, [command]).stdout.trim()).to.match(/--package=@treadle\/cli@(\S+) --package=@treadle\/engine@\1 -- treadle-cli \w+$/);
    }
  });

  it('runs the command line that is installed beside it', () => {
    const cli = join(launcher, '../@treadle/cli');
    writeProgram(join(cli, 'bin/run.js'), 'process.stdout.write("beside");');
    writeFileSync(join(cli, 'package.json'), JSON.stringify({ name: '@treadle/cli', version: '9.9.9', type: 'module', bin: './bin/run.js' }));
    expect(launch(folder, ['backup', 'a.db'])).to.include({ status: 0, stdout: 'beside' });
  });

  it('says clearly when npm cannot fetch it', () => {
    writeProgram(join(folder, 'bin/npm'), '#!/bin/sh\necho "npm error code ENOTFOUND" >&2\nexit 1\n');
    const { status, stdout, stderr } = launch(folder, ['create', 'my-app']);
    expect({ status, stdout }).to.deep.equal({ status: 69, stdout: '' });
    expect(stderr).to.match(/^npm error code ENOTFOUND\ntreadle: @treadle\/cli@\d+\.\d+\.\d+\S* is not installed here, and npm could not fetch it, /);
  });

  it('says so when there is no npm', () => {
    const { status, stderr } = launch(folder, ['create'], { PATH: join(folder, 'nothing') });
    expect(status).to.equal(69);
    expect(stderr).to.equal('treadle: @treadle/cli is not installed here, and npm cannot be run: spawn npm ENOENT\n');
  });
});
