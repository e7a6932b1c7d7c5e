import { existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkDataFolder } from '../doctor/data-folder.js';
import { Made } from './made.js';

describe('what a command has made', () => {
  let root = '';
  beforeEach(() => { root = mkdtempSync(join(tmpdir(), 'treadle-made-')); });
  afterEach(() => rmSync(root, { recursive: true }));
  const at = (path: string): string => join(root, path);

  it('goes, and what was there stays', async () => {
    mkdirSync(at('old'));
    const made = new Made();
    await made.write(at('old/new/deep/a.txt'), 'A');
    await made.write(at('old/b.txt'), 'B');
    await made.takeBack();
    expect([existsSync(at('old')), existsSync(at('old/new')), existsSync(at('old/b.txt'))]).to.deep.equal([true, false, false]);
  });

  it('stays where somebody else has put something into it', async () => {
    const made = new Made();
    await made.write(at('new/deep/a.txt'), 'A');
    writeFileSync(at('new/theirs.txt'), 'theirs');
    await made.takeBack();
    expect([existsSync(at('new/theirs.txt')), existsSync(at('new/deep'))]).to.deep.equal([true, false]);
  });

  it('is not a link that leads nowhere', async () => {
    symlinkSync('nowhere', at('link'));
    const made = new Made();
    for (const path of ['link', 'link/a.txt']) expect(await made.write(at(path), 'A').catch((error: Error) => error.message), path).to.match(/EEXIST/);
    await made.takeBack();
    expect(readlinkSync(at('link'))).to.equal('nowhere');
  });
});

describe('a look at the data folder', () => {
  let root = '';
  beforeEach(() => { root = mkdtempSync(join(tmpdir(), 'treadle-doctor-')); });
  afterEach(() => rmSync(root, { recursive: true }));

  it('makes the folder for the time of the look alone', async () => {
    const [finding] = await checkDataFolder(join(root, 'a/b/data'));
    expect([finding?.status, existsSync(join(root, 'a'))]).to.deep.equal(['ok', false]);
  });

  it('leaves what an engine puts there meanwhile', async () => {
    const data = join(root, 'data');
    const look = checkDataFolder(data);
    while (!existsSync(data)) await new Promise(setImmediate);
    writeFileSync(join(data, 'treadle.db'), 'data');
    expect((await look)[0]?.status).to.equal('ok');
    expect(existsSync(join(data, 'treadle.db'))).to.equal(true);
  });

  it('leaves a link that leads nowhere', async () => {
    symlinkSync('nowhere', join(root, 'data'));
    expect((await checkDataFolder(join(root, 'data')))[0]?.status).to.equal('failed');
    expect(readlinkSync(join(root, 'data'))).to.equal('nowhere');
  });
});
