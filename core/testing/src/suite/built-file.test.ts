import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { builtFile } from './built-file.js';

describe('the built file of a source', () => {
  const folders: string[] = [];
  after(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

  /** A package whose files were written so many seconds ago. */
  function packageOf(files: Readonly<Record<string, number>>): (path: string) => string {
    const folder = mkdtempSync(join(tmpdir(), 'treadle-src-'));
    folders.push(folder);
    const now = Date.now() / 1000;
    for (const [path, age] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), '');
      utimesSync(join(folder, path), now - age, now - age);
    }
    return (path) => pathToFileURL(join(folder, path)).href;
  }

  it('is taken when nothing was changed since', () => {
    const url = packageOf({ 'src/index.ts': 20, 'src/store/a.ts': 15, 'dist/index.js': 10, 'dist/store/a.js': 10 });
    expect(builtFile(url('src/index.ts'))).to.equal(url('dist/index.js'));
    expect(builtFile(url('src/store/a.js')), 'a name as imports have it').to.equal(url('dist/store/a.js'));
  });

  it('is taken when the compiler found that nothing it writes is another', () => {
    const url = packageOf({ 'src/index.ts': 5, 'dist/index.js': 10, 'dist/.tsbuildinfo': 3 });
    expect(builtFile(url('src/index.ts'))).to.equal(url('dist/index.js'));
  });

  it('is not taken when a source of the package was changed since, be it another one', () => {
    const url = packageOf({ 'src/index.ts': 20, 'src/store/a.ts': 5, 'dist/index.js': 10, 'dist/store/a.js': 10 });
    expect(builtFile(url('src/index.ts'))).to.equal(undefined);
  });

  it('is not there without a build, for a file that is not built, and for a package', () => {
    expect(builtFile(packageOf({ 'src/index.ts': 20 })('src/index.ts'))).to.equal(undefined);
    const url = packageOf({ 'src/index.ts': 20, 'src/a.fixture.ts': 20, 'dist/index.js': 10, 'index.ts': 20 });
    expect([url('src/a.fixture.ts'), url('index.ts'), url('dist/index.js'), '@acme/plugin'].map(builtFile)).to.deep.equal([undefined, undefined, undefined, undefined]);
  });
});
