import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const LAUNCHER = fileURLToPath(new URL('../bin/treadle.js', import.meta.url));

describe('the treadle launcher', () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'treadle-launcher-')));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function launch(cwd: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
    const env = { ...process.env, PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`, NODE_OPTIONS: '' };
    return spawnSync(process.execPath, [LAUNCHER, ...args], { cwd, env, encoding: 'utf8' });
  }

  function writeProgram(path: string, text: string): void {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, 0o755);
  }

  it('runs the command line of the application, also from a folder inside it', () => {
    const cli = join(folder, 'app/node_modules/@treadle/cli');
    writeProgram(join(cli, 'bin/run.js'), 'process.stdout.write(`cli ${process.argv.slice(2).join(" ")}`); process.exitCode = 65;');
    writeFileSync(join(cli, 'package.json'), JSON.stringify({ name: '@treadle/cli', version: '9.9.9', type: 'module', bin: { treadle: './bin/run.js' } }));
    mkdirSync(join(folder, 'app/steps'), { recursive: true });
    for (const cwd of ['app', 'app/steps']) {
      expect(launch(join(folder, cwd), 'check', '--json')).to.include({ status: 65, stdout: 'cli check --json' });
    }
  });

  it('runs the same version through npm when the application has none, and hands its exit code on', () => {
    writeProgram(join(folder, 'bin/npm'), '#!/bin/sh\necho "$@"\nexit 7\n');
    const { status, stdout } = launch(folder, 'create', 'my app');
    expect(stdout.trim()).to.match(/^exec --yes --package=@treadle\/cli@\d+\.\d+\.\d+\S* -- treadle create my app$/);
    expect(status).to.equal(7);
  });
});
