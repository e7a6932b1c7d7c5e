import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { addFiles, expectGolden, makeApp, removeApp, runCli } from '../cli.fixture.js';

const FILES = [
  '.env.example', '.gitignore', '.vscode/launch.json', 'README.md', 'package.json', 'src/greeted.ts', 'steps/count-greeting.step.ts', 'steps/hello.step.ts',
  'tests/greetings.test.ts', 'tsconfig.json',
];
const SOMEBODY = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.com', GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.com' };
const NOBODY = {
  GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', EMAIL: undefined,
  GIT_AUTHOR_NAME: undefined, GIT_AUTHOR_EMAIL: undefined, GIT_COMMITTER_NAME: undefined, GIT_COMMITTER_EMAIL: undefined,
};

describe('treadle create', function () {
  this.timeout(120_000);
  let folder: string;
  beforeEach(() => { folder = makeApp({}, { modules: false }); });
  afterEach(() => removeApp(folder));
  const create = (...args: string[]) => runCli(['create', ...args], { cwd: folder, env: SOMEBODY });
  const git = (...args: string[]): string => spawnSync('git', args, { cwd: join(folder, 'my-app'), encoding: 'utf8' }).stdout.trim();

  it('writes a complete application with a git repository and says what to do next', async () => {
    const { code, stdout, stderr } = await create('my-app', '--no-install', '--yes');
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expectGolden('create.txt', stdout, folder);
    expect(filesIn(join(folder, 'my-app'))).to.deep.equal(FILES);
    expect(git('log', '--format=%an: %s')).to.equal('Ada: Create my-app');
    expect(git('status', '--short')).to.equal('');
  });

  it('names the project, its own version and the language in the files, leaving no placeholder', async () => {
    await create('my-app', '--no-install', '--language', 'py', '--template', 'full-stack');
    const manifest = JSON.parse(readFileSync(join(folder, 'my-app', 'package.json'), 'utf8'));
    const ours = ['@treadle/cli', '@treadle/engine', '@treadle/stream-client', 'treadle'];
    // What production installs can run the application, and has the command line where the data is.
    expect(manifest).to.deep.include({ name: 'my-app', dependencies: Object.fromEntries(ours.map((name) => [name, '^0.1.0'])) });
    expect(Object.keys(manifest)[0]).to.equal('name');
    expect(readFileSync(join(folder, 'my-app', 'README.md'), 'utf8')).to.include('# my-app\n').and.include('Python 3.10 or newer, and Node.js 20.19').and.include('`*_step.py`');
    for (const file of filesIn(join(folder, 'my-app'))) expect(readFileSync(join(folder, 'my-app', file), 'utf8'), file).not.to.match(/\{\{\w+\}\}/);
  });

  it('lets VS Code start the application in Node.js languages, and the tests in Python', async () => {
    const started = async (language: string): Promise<unknown> => {
      await create(language, '--no-install', '--language', language, '--template', 'basic');
      const { configurations } = JSON.parse(readFileSync(join(folder, language, '.vscode/launch.json'), 'utf8')) as { readonly configurations: readonly { readonly name: string; readonly type: string }[] };
      return configurations.map(({ name, type }) => `${name}: ${type}`);
    };
    expect([await started('js'), await started('py')]).to.deep.equal([['treadle dev: node'], ['treadle test: debugpy']]);
  });

  it('adds the editor schema where there is a config.yaml to check', async () => {
    await create('my-app', '--no-install', '--template', 'full-stack');
    expect(filesIn(join(folder, 'my-app'))).to.include.members(['config.yaml', 'treadle.schema.json', 'public/index.html']);
  });

  it('says which choices it takes when nobody can be asked', async () => {
    expect((await create('a', '--no-install')).stderr).to.equal('not a terminal that can answer: taking --language ts --template basic\n');
    expect((await create('b', '--no-install', '--language', 'js')).stderr).to.equal('not a terminal that can answer: taking --template basic\n');
    expect((await create('c', '--no-install', '--language', 'js', '--template', 'api')).stderr).to.equal('');
  });

  it('makes no repository inside one', async () => {
    spawnSync('git', ['init', '--quiet'], { cwd: folder });
    const { stdout } = await create('my-app', '--no-install');
    expect(stdout).to.include('with 10 files; the git repository around it is left as it is.\n');
    expect(existsSync(join(folder, 'my-app', '.git'))).to.equal(false);
  });

  it('commits nothing in the name of nobody', async () => {
    const { code, stdout } = await runCli(['create', 'my-app', '--no-install'], { cwd: folder, env: NOBODY });
    expect(code).to.equal(0);
    expect(stdout).to.include('and a git repository without a commit: git knows neither user.name nor user.email.\n');
    expect(git('log')).to.equal('');
    expect(git('status', '--short')).to.include('?? package.json');
  });

  it('does without git where it is not installed', async () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    symlinkSync(process.execPath, join(bin, 'node'));
    const { code, stdout } = await runCli(['create', 'my-app', '--no-install'], { cwd: folder, env: { PATH: bin } });
    expect(code).to.equal(0);
    expect(stdout).to.include('with 10 files; git is not installed, so there is no repository.\n');
    expect(filesIn(join(folder, 'my-app'))).to.deep.equal(FILES);
  });

  it('notes that Python is missing, and makes the project all the same', async () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const { code, stderr } = await runCli(['create', 'my-app', '--no-install', '--yes', '--language', 'py'], { cwd: folder, env: { PATH: bin } });
    expect(code).to.equal(0);
    expect(stderr).to.match(/^note: Python 3\.10 or newer is needed; .* python3 does not exist, python does not exist\n$/);
  });

  it('tells the same as one JSON document with --json', async () => {
    const { stdout, stderr } = await create('my-app', '--no-install', '--json');
    expect(stderr).to.equal('');
    expect(JSON.parse(stdout)).to.deep.equal({
      name: 'my-app', folder: join(folder, 'my-app'), language: 'ts', template: 'basic', files: FILES, kept: [], git: 'committed',
      installed: false, packageManager: 'npm', next: ['cd my-app', 'npm install', 'npm run dev'],
    });
  });

  it('installs with the package manager in use, shows its progress on stderr, and commits its lock file', async () => {
    addFiles(folder, { 'pnpm-lock.yaml': '', 'bin/pnpm': '#!/bin/sh\necho noise\npwd > installed-in\n' });
    spawnSync('chmod', ['+x', join(folder, 'bin', 'pnpm')]);
    const env = { ...SOMEBODY, PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}` };
    const { code, stdout, stderr } = await runCli(['create', 'my-app', '--yes'], { cwd: folder, env });
    expect(code).to.equal(0);
    expect(stderr).to.match(/^installing dependencies with pnpm …\ninstalling dependencies with pnpm: done in \d+ s\n$/);
    expect(stdout).to.include('pnpm dev').and.not.include('noise').and.not.include('pnpm install');
    expect(git('show', 'HEAD:installed-in')).to.equal(join(folder, 'my-app'));
  });

  it('leaves the project in place when installing fails', async () => {
    addFiles(folder, { 'bun.lock': '' });
    const { code, stderr } = await runCli(['create', 'my-app'], { cwd: folder, env: { ...SOMEBODY, PATH: '/usr/bin:/bin' } });
    expect(code).to.equal(69);
    expect(stderr).to.include('\nmy-app is there; only its dependencies are missing.\nerror  INSTALL_FAILED  "bun install" failed in ');
    expect(filesIn(join(folder, 'my-app'))).to.deep.equal(FILES);
    expect(git('log', '--format=%s')).to.equal('Create my-app');
  });

  for (const [what, args, text] of [
    ['a path', ['../x'], 'error  USAGE  "../x" is a path, not a name\n    hint: change to the parent folder and give the name alone, or "." for the folder you are in\n'],
    ['no name without a terminal', [], 'error  USAGE  the project needs a name\n'],
    ['a language that is none', ['x', '--language', 'cobol'], 'error  USAGE  option "--language" must be one of ts, js, py, got "cobol"'],
    ['a template that is none', ['x', '--template', 'blog'], 'error  USAGE  option "--template" must be one of basic, api, full-stack, got "blog"'],
  ] as const) {
    it(`refuses ${what}, writing nothing`, async () => {
      const before = readdirSync(folder);
      const { code, stderr } = await create(...args, '--no-install');
      expect(code).to.equal(64);
      expect(stderr).to.satisfy((shown: string) => shown.startsWith(text), stderr);
      expect(readdirSync(folder)).to.deep.equal(before);
    });
  }

  it('refuses a folder with content and a file of that name, touching neither', async () => {
    addFiles(folder, { 'full/keep.txt': 'mine', file: 'mine' });
    expect(await create('full', '--no-install', '--yes')).to.deep.include({
      code: 64, stderr: `error  USAGE  folder "${join(folder, 'full')}" is not empty: it has "keep.txt"\n    hint: choose another name or empty it\n`,
    });
    expect(await create('file', '--no-install', '--yes')).to.deep.include({
      code: 64, stderr: `error  USAGE  "${join(folder, 'file')}" is a file\n    hint: choose another name\n`,
    });
    expect(readdirSync(join(folder, 'full'))).to.deep.equal(['keep.txt']);
  });

  it('refuses a link, wherever it leads, and leaves it', async () => {
    mkdirSync(join(folder, 'elsewhere'));
    for (const [name, target] of [['empty', 'elsewhere'], ['nowhere', 'missing']] as const) {
      symlinkSync(join(folder, target), join(folder, name));
      expect(await create(name, '--no-install', '--yes')).to.deep.include({
        code: 64, stderr: `error  USAGE  "${join(folder, name)}" is a symbolic link\n    hint: choose another name\n`,
      });
    }
    expect(readdirSync(folder).sort()).to.include.members(['elsewhere', 'empty', 'nowhere']);
    expect(readdirSync(join(folder, 'elsewhere'))).to.deep.equal([]);
  });

  it('takes an empty folder', async () => {
    mkdirSync(join(folder, 'empty'));
    expect((await create('empty', '--no-install')).code).to.equal(0);
  });

  it('goes into a cloned repository with ".", leaves its files and adds to .gitignore what it lacks', async () => {
    addFiles(folder, { 'my-app/README.md': 'mine', 'my-app/.gitignore': '*.log\nnode_modules/', 'my-app/LICENSE': 'mine' });
    const cwd = join(folder, 'my-app');
    git('init', '--quiet');
    const { code, stdout } = await runCli(['create', '.', '--no-install', '--yes'], { cwd, env: SOMEBODY });
    expect(code).to.equal(0);
    expect(stdout).to.include('Created my-app ').and.include('README.md was there before and is left as it is.').and.include('\nNext:\n  npm install\n');
    expect(readFileSync(join(cwd, 'README.md'), 'utf8')).to.equal('mine');
    expect(readFileSync(join(cwd, '.gitignore'), 'utf8')).to.match(/^\*\.log\nnode_modules\/\ndist\/\n/).and.not.match(/log[^]*\.log/);
    expect(JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'))).to.include({ name: 'my-app' });
  });

  it('writes nothing with "." beside a project that is there', async () => {
    addFiles(folder, { 'package.json': '{}' });
    const before = readdirSync(folder);
    const { code, stderr } = await create('.', '--no-install');
    expect(code).to.equal(64);
    expect(stderr).to.include('is not empty: it has "package.json"');
    expect(readdirSync(folder)).to.deep.equal(before);
  });

  it('takes a scope, and puts the application into a folder without it', async () => {
    const { stdout } = await create('@acme/my-app', '--no-install', '--yes');
    expect(stdout).to.include('Created @acme/my-app ').and.include('  cd my-app\n');
    expect(JSON.parse(readFileSync(join(folder, 'my-app/package.json'), 'utf8'))).to.include({ name: '@acme/my-app' });
  });

  it('makes no repository with --no-git', async () => {
    expect((await create('my-app', '--no-install', '--yes', '--no-git')).stdout).to.include(' with 10 files.\n');
    expect(existsSync(join(folder, 'my-app/.git'))).to.equal(false);
  });

  it('speaks the words of the package manager that is asked for', async () => {
    const { stdout } = await create('my-app', '--no-install', '--yes', '--package-manager', 'pnpm');
    expect(stdout).to.include('  pnpm install\n  pnpm dev\n').and.include('pnpm exec treadle docs').and.not.include('npx');
    expect(readFileSync(join(folder, 'my-app/README.md'), 'utf8')).to.include('pnpm install\npnpm dev\n').and.include('`pnpm build`').and.not.match(/npm run|npx/);
  });

  it('shows no stack of the package manager, and what is wrong in one line where the registry cannot be reached', async () => {
    const failing = async (output: string): Promise<string> => {
      addFiles(folder, { 'bin/npm': `#!/bin/sh\nprintf '${output}' >&2\nexit 1\n` });
      spawnSync('chmod', ['+x', join(folder, 'bin', 'npm')]);
      const env = { ...SOMEBODY, PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}` };
      return (await runCli(['create', `app-${output.length}`, '--yes', '--package-manager', 'npm'], { cwd: folder, env })).stderr;
    };
    expect(await failing('npm error code ECONNREFUSED\\nnpm error     at internalConnect (node:net:1:2)\\n'))
      .to.include('the package registry cannot be reached (ECONNREFUSED)').and.not.include('npm error');
    expect(await failing('npm error code E404\\nnpm error     at fetch (node:net:1:2)\\nnpm error 404 not here\\n'))
      .to.include('npm error code E404\nnpm error 404 not here\n').and.not.include('node:net');
  });
});

/** Paths of all files of a project, without git's own; sorted. */
function filesIn(project: string): string[] {
  return readdirSync(project, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes(`${project}/.git`))
    .map((entry) => join(entry.parentPath, entry.name).slice(project.length + 1)).sort();
}
