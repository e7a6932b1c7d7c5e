import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from 'chai';
import { addFiles, expectGolden, linkWorkspace, makeApp, removeApp, runCli } from '../cli.fixture.js';

const FILES = [
  '.gitignore', 'README.md', 'config.yaml', 'package.json', 'src/split-bill.ts', 'steps/days-until.step.ts',
  'steps/hello.step.ts', 'steps/split-bill.step.ts', 'treadle.schema.json', 'tsconfig.json',
];

describe('treadle create', () => {
  let folder: string;
  beforeEach(() => { folder = makeApp({}, { modules: false }); });
  afterEach(() => removeApp(folder));
  const create = (...args: string[]) => runCli(['create', ...args], { cwd: folder });

  it('writes a complete application with a git repository and says what to do next', async () => {
    const { code, stdout, stderr } = await create('my-app', '--no-install');
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expectGolden('create.txt', stdout, folder);
    const written = readdirSync(join(folder, 'my-app'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('.git'))
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + '/my-app/'.length));
    expect(written.sort()).to.deep.equal([...FILES].sort());
    expect(existsSync(join(folder, 'my-app', '.git'))).to.equal(true);
  });

  it('names the project and its own version in the files, leaving no placeholder', async () => {
    await create('my-app', '--no-install');
    const manifest = JSON.parse(readFileSync(join(folder, 'my-app', 'package.json'), 'utf8'));
    expect(manifest.name).to.equal('my-app');
    expect(manifest.dependencies.treadle).to.equal('^0.1.0');
    expect(Object.keys(manifest.devDependencies)).to.include.members(['@treadle/cli', '@treadle/engine']);
    for (const file of FILES) expect(readFileSync(join(folder, 'my-app', file), 'utf8')).not.to.match(/\{\{|\}\}(?!\n)/);
  });

  it('makes no repository inside one', async () => {
    spawnSync('git', ['init', '--quiet'], { cwd: folder });
    const { stdout } = await create('my-app', '--no-install', '--json');
    expect(JSON.parse(stdout).git).to.equal(false);
    expect(existsSync(join(folder, 'my-app', '.git'))).to.equal(false);
  });

  it('tells the same as one JSON document with --json', async () => {
    const { stdout, stderr } = await create('my-app', '--no-install', '--json');
    expect(stderr).to.equal('');
    expect(JSON.parse(stdout)).to.deep.equal({
      name: 'my-app', folder: join(folder, 'my-app'), language: 'ts', template: 'basic', files: [...FILES].sort(), git: true,
      installed: false, packageManager: 'npm', next: ['cd my-app', 'npm install', 'npm run dev'],
    });
  });

  it('installs with the package manager in use and shows its progress on stderr', async () => {
    addFiles(folder, { 'pnpm-lock.yaml': '', 'bin/pnpm': '#!/bin/sh\necho noise\npwd > installed-in\n' });
    spawnSync('chmod', ['+x', join(folder, 'bin', 'pnpm')]);
    const env = { PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}` };
    const { code, stdout, stderr } = await runCli(['create', 'my-app'], { cwd: folder, env });
    expect(code).to.equal(0);
    expect(stderr).to.match(/^installing dependencies with pnpm …\ninstalling dependencies with pnpm: done in \d+ s\n$/);
    expect(stdout).to.include('pnpm dev').and.not.include('noise').and.not.include('pnpm install');
    expect(readFileSync(join(folder, 'my-app', 'installed-in'), 'utf8').trim()).to.equal(join(folder, 'my-app'));
  });

  it('leaves the project in place when installing fails', async () => {
    addFiles(folder, { 'bun.lock': '' });
    const { code, stderr } = await runCli(['create', 'my-app'], { cwd: folder, env: { PATH: '/usr/bin:/bin' } });
    expect(code).to.equal(69);
    expect(stderr).to.include('\nmy-app is there; only its dependencies are missing.\nerror  INSTALL_FAILED  "bun install" failed in ');
    expect(existsSync(join(folder, 'my-app', 'config.yaml'))).to.equal(true);
  });

  for (const [what, args, text] of [
    ['a path', ['../x'], 'error  USAGE  "../x" is a path, not a name\n    hint: change to the parent folder and give the name alone\n'],
    ['no name without a terminal', [], 'error  USAGE  the project needs a name\n'],
    ['JavaScript, which this version does not have', ['x', '--language', 'js'], 'error  USAGE  language "js" is not in this version\n    hint: available: ts\n'],
    ['Python, which this version does not have', ['x', '--language', 'py'], 'error  USAGE  language "py" is not in this version\n    hint: available: ts\n'],
    ['a template that this version does not have', ['x', '--template', 'full-stack'], 'error  USAGE  template "full-stack" is not in this version\n    hint: available: basic\n'],
  ] as const) {
    it(`refuses ${what}, writing nothing`, async () => {
      const before = readdirSync(folder);
      const { code, stderr } = await create(...args, '--no-install');
      expect(code).to.equal(64);
      expect(stderr).to.satisfy((shown: string) => shown.startsWith(text));
      expect(readdirSync(folder)).to.deep.equal(before);
    });
  }

  it('refuses a folder with content and a file of that name, touching neither', async () => {
    addFiles(folder, { 'full/keep.txt': 'mine', file: 'mine' });
    expect(await create('full', '--no-install')).to.deep.include({
      code: 64, stderr: `error  USAGE  folder "${join(folder, 'full')}" is not empty\n    hint: choose another name or empty it\n`,
    });
    expect(await create('file', '--no-install')).to.deep.include({
      code: 64, stderr: `error  USAGE  "${join(folder, 'file')}" is a file\n    hint: choose another name\n`,
    });
    expect(readdirSync(join(folder, 'full'))).to.deep.equal(['keep.txt']);
  });

  it('takes an empty folder', async () => {
    addFiles(folder, { 'empty/x': '' });
    spawnSync('rm', [join(folder, 'empty', 'x')]);
    expect((await create('empty', '--no-install')).code).to.equal(0);
  });

  it('makes an application that the compiler and the check accept', async () => {
    await create('my-app', '--no-install');
    const app = join(folder, 'my-app');
    linkWorkspace(app);
    const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
    const compiled = spawnSync(process.execPath, [tsc, '-p', app], { encoding: 'utf8' });
    expect(compiled.stdout).to.equal('');
    const { code, stdout, stderr } = await runCli(['check', '--strict'], { cwd: app });
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expectGolden('check-template.txt', stdout, folder);
  });
});
