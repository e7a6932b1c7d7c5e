import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPython } from '@treadle/runtime-python';
import { expect } from 'chai';
import { runCli, type CommandOutcome } from '../cli.fixture.js';

const FIXTURES = fileURLToPath(new URL('../../../test/fixtures/migrate', import.meta.url));

/** Files below a folder, by their paths. */
function filesOf(folder: string): Readonly<Record<string, string>> {
  const names = (readdirSync(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name)).filter((path) => !path.includes(`${folder}/.git/`)).sort();
  return Object.fromEntries(names.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8').replaceAll('0.1.0', '<version>')]));
}

describe('treadle migrate', () => {
  let folder: string;
  const migrate = (...args: string[]): Promise<CommandOutcome> => runCli(['migrate', ...args], { cwd: folder });
  const git = (...args: string[]): void => { execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], { cwd: folder, stdio: 'ignore' }); };

  before(async function () {
    const found = await findPython({ root: tmpdir() });
    if (!('problem' in found)) return;
    if (process.env['CI']) throw new Error(found.problem);
    this.skip();
  });

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'treadle-migrate-')));
    cpSync(join(FIXTURES, 'before'), folder, { recursive: true });
  });

  afterEach(() => { rmSync(folder, { recursive: true, force: true }); });

  it('brings every form over, tells the rest, and changes nothing the second time', async () => {
    const { code, stdout } = await migrate('--write', '--force');
    expect(code, stdout).to.equal(0);
    if (process.env['UPDATE_GOLDEN']) {
      rmSync(join(FIXTURES, 'after'), { recursive: true, force: true });
      for (const [name, text] of Object.entries(filesOf(folder))) {
        mkdirSync(dirname(join(FIXTURES, 'after', name)), { recursive: true });
        writeFileSync(join(FIXTURES, 'after', name), text);
      }
      writeFileSync(join(FIXTURES, 'notes.txt'), stdout);
    }
    expect(filesOf(folder)).to.deep.equal(filesOf(join(FIXTURES, 'after')));
    expect(stdout).to.equal(readFileSync(join(FIXTURES, 'notes.txt'), 'utf8'));
    const written = filesOf(folder);
    const again = await migrate('--write', '--force');
    expect(again.code).to.equal(0);
    expect(filesOf(folder)).to.deep.equal(written);
    expect(again.stdout).to.match(/^Nothing to change/m);
  });

  it('shows a unified diff that makes the same files, and writes nothing', async () => {
    const before = filesOf(folder);
    const { code, stdout } = await migrate();
    expect(code).to.equal(0);
    expect(filesOf(folder)).to.deep.equal(before);
    expect(stdout).to.contain('renamed file steps/sweep_step.ts => steps/sweep.step.ts').and.contain('deleted file motia-workbench.json');
    const hunk = /^--- a\/steps\/told\.step\.cjs\n[^]*?(?=^--- )/m.exec(stdout)?.[0] ?? '';
    writeFileSync(join(folder, 'one.patch'), hunk);
    git('init');
    git('apply', 'one.patch');
    expect(readFileSync(join(folder, 'steps/told.step.cjs'), 'utf8')).to.equal(readFileSync(join(FIXTURES, 'after/steps/told.step.cjs'), 'utf8'));
  });

  it('names places by the lines that are there: before the change, and after it', async () => {
    const lineOf = (text: string, part: string): number => text.split('\n').findIndex((line) => line.includes(part)) + 1;
    const find = 'too few';
    const dry = await migrate();
    expect(dry.stdout).to.contain(`steps/orders/take-order.step.ts:${lineOf(readFileSync(join(folder, 'steps/orders/take-order.step.ts'), 'utf8'), find)}  the reply lacks "error"`);
    const written = await migrate('--write', '--force');
    expect(written.stdout).to.contain(`steps/orders/take-order.step.ts:${lineOf(readFileSync(join(folder, 'steps/orders/take-order.step.ts'), 'utf8'), find)}  the reply lacks "error"`);
  });

  it('writes only what git could take back, unless it is forced', async () => {
    const without = await migrate('--write');
    expect([without.code, without.stderr]).to.deep.equal([64, `error  USAGE  ${folder} is not kept by git\n`
      + '    hint: commit first, so that the changes can be looked at and taken back, or say --force\n']);
    git('init');
    git('add', '.');
    git('commit', '-m', 'before');
    writeFileSync(join(folder, 'steps/new.txt'), 'not committed');
    const uncommitted = await migrate('--write');
    expect([uncommitted.code, uncommitted.stderr.split('\n')[0]]).to.deep.equal([64, `error  USAGE  ${folder} has changes that are not committed, such as steps/new.txt`]);
    expect(existsSync(join(folder, 'motia-workbench.json'))).to.equal(true);
    rmSync(join(folder, 'steps/new.txt'));
    git('rm', '-q', '--cached', 'motia-workbench.json');
    writeFileSync(join(folder, '.gitignore'), 'motia-workbench.json\n');
    git('add', '.gitignore');
    git('commit', '-m', 'ignored');
    const ignored = await migrate('--write');
    expect([ignored.code, ignored.stderr.split('\n')[0]]).to.deep.equal([64, 'error  USAGE  git does not keep motia-workbench.json, which would be changed']);
    git('add', '-f', 'motia-workbench.json');
    git('commit', '-m', 'kept');
    expect((await migrate('--write')).code).to.equal(0);
    expect(existsSync(join(folder, 'motia-workbench.json'))).to.equal(false);
  });

  it('leaves a file that cannot be parsed, and says so, in both languages', async () => {
    writeFileSync(join(folder, 'steps/bad.step.ts'), "import { EventConfig } from 'motia'\nexport const config = {\n  name: ;\n}\n");
    writeFileSync(join(folder, 'steps/bad_step.py'), 'config = {\n"a": \n');
    const { stdout } = await migrate('--write', '--force');
    expect(stdout).to.match(/steps\/bad\.step\.ts:3 {2}the file cannot be parsed: /).and.match(/steps\/bad_step\.py:\d {2}the file cannot be parsed: /);
    expect(readFileSync(join(folder, 'steps/bad.step.ts'), 'utf8')).to.contain("from 'motia'");
  });

  it('keeps line ends and byte order marks, in both languages', async () => {
    const name = (file: string): string => join(folder, 'steps', file);
    const windows = (text: string): string => `\uFEFF${text.replaceAll('\n', '\r\n')}`;
    for (const file of ['oven.step.ts', 'nightly_step.py']) writeFileSync(name(file), windows(readFileSync(name(file), 'utf8')));
    expect((await migrate('--write', '--force')).code).to.equal(0);
    for (const file of ['oven.step.ts', 'nightly_step.py']) {
      expect(readFileSync(name(file), 'utf8')).to.equal(windows(readFileSync(join(FIXTURES, 'after/steps', file), 'utf8')));
    }
  });

  it('says that Python files were not read where there is no interpreter', async () => {
    const { stdout, code } = await runCli(['migrate'], { cwd: folder, env: { PATH: '' } });
    expect(code).to.equal(0);
    expect(stdout).to.contain('steps/nightly_step.py:1  the file was not read: Python 3.10 or newer is needed');
    expect(stdout).to.contain('export const config');
  });

  it('refuses a folder without an application', async () => {
    const { code, stderr } = await migrate('nowhere');
    expect([code, stderr.split('\n')[0]]).to.deep.equal([64, 'error  USAGE  there is no folder nowhere']);
  });
});
