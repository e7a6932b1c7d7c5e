import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { addFiles, makeApp, removeApp } from '../cli.fixture.js';
import { applyChanges, requireCommitted, requireKept } from './apply-changes.js';
import type { FileChange } from './migration.js';

const change = (file: string, renamed?: string): FileChange => ({ file, renamed, before: 'a', after: 'b' });

describe('changes that git can take back', () => {
  let folder = '';
  const git = (...args: string[]): void => { execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], { cwd: folder, stdio: 'ignore' }); };
  beforeEach(() => {
    folder = makeApp({ '.gitignore': 'generated/\n', 'a.ts': 'a', 'generated/b.ts': 'a', 'app/c \u00E4.ts': 'a' }, { modules: false });
    git('init');
    git('add', '.');
    git('commit', '-m', 'before');
  });
  afterEach(() => removeApp(folder));

  it('are those of files that it keeps, whatever their names are', () => {
    requireCommitted(join(folder, 'app'));
    requireKept(join(folder, 'app'), [change('c \u00E4.ts')]);
    requireKept(folder, [change('a.ts'), change('app/c \u00E4.ts')]);
  });

  it('are not those of files that it ignores', () => {
    requireCommitted(folder);
    expect(() => requireKept(folder, [change('a.ts'), change('generated/b.ts')])).to.throw('git does not keep generated/b.ts, which would be changed');
    expect(() => requireKept(join(folder, 'generated'), [change('b.ts')])).to.throw('git does not keep b.ts');
  });

  it('are not those of files whose changes it was told not to see', () => {
    git('update-index', '--assume-unchanged', 'a.ts');
    expect(() => requireKept(folder, [change('a.ts')])).to.throw('git does not keep a.ts');
  });

  it('are not those beside new files, also where git is set not to show these', () => {
    git('config', 'status.showUntrackedFiles', 'no');
    addFiles(folder, { 'app/n\u00E9w.ts': '' });
    expect(() => requireCommitted(folder)).to.throw('has changes that are not committed, such as app/n\u00E9w.ts');
  });

  it('put no file in the place of another', () => {
    symlinkSync('nowhere', join(folder, 'b.ts'));
    expect(() => applyChanges(folder, [change('app/c \u00E4.ts'), change('a.ts', 'b.ts')])).to.throw('a.ts would be called b.ts, and that is there');
    expect(readFileSync(join(folder, 'app/c \u00E4.ts'), 'utf8')).to.equal('a');
  });
});
