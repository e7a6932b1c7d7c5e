import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TreadleError } from '@treadle/api';
import { expect } from 'chai';
import { writeNew } from './write-new.js';

describe('new files', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'treadle-new-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const refused = (contents: Readonly<Record<string, unknown>>): Promise<unknown> => writeNew(folder, contents as Record<string, string>).then(() => undefined, (error: unknown) => error);

  it('come with their folders', async () => {
    await writeNew(folder, { 'a.txt': 'A', 'deep/er/b.txt': 'B' });
    expect([readFileSync(join(folder, 'a.txt'), 'utf8'), readFileSync(join(folder, 'deep/er/b.txt'), 'utf8')]).to.deep.equal(['A', 'B']);
  });

  it('come all or not at all: one exists', async () => {
    writeFileSync(join(folder, 'b.txt'), 'mine');
    expect(await refused({ 'a.txt': 'A', 'b.txt': 'B' })).to.be.instanceOf(TreadleError).and.have.property('code', 'USAGE');
    expect([existsSync(join(folder, 'a.txt')), readFileSync(join(folder, 'b.txt'), 'utf8')]).to.deep.equal([false, 'mine']);
  });

  it('come all or not at all: the writing of one fails half-way', async () => {
    const half = (async function* pieces() {
      yield await Promise.resolve('half');
      throw new Error('no space left on device');
    })();
    expect(await refused({ 'a.txt': 'A', 'b.txt': half })).to.be.instanceOf(TreadleError).and.have.property('code', 'FILE_NOT_WRITABLE');
    expect([existsSync(join(folder, 'a.txt')), existsSync(join(folder, 'b.txt'))]).to.deep.equal([false, false]);
  });
});
