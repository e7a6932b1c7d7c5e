import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeKey, type TreadleError } from '@treadle/api';
import { expect } from 'chai';
import { DRIVERS, errorOf, freshFolder, surroundings } from '../testing/store.fixture.js';
import { openStore } from './open-store.js';
import { pragma } from './open-connection.js';

const [driver] = DRIVERS;

describe('A backup', () => {
  async function opened(folder: string, name = 'a.db') {
    const store = await openStore({ file: join(folder, name), durability: 'full', ...driver ? { driver } : {}, ...surroundings() });
    const put = (key: string) => store.apply({ operation: 'state.put', rows: [[encodeKey('g'), encodeKey(key), '1', 1, null]] });
    for (let index = 0; index < 200; index += 1) await put(`${name}-${index}`);
    return store;
  }

  const isWhole = (file: string): void => {
    const copy = driver?.open(file);
    if (!copy) throw new Error('no driver');
    expect(pragma(copy, 'integrity_check')).to.equal('ok');
    expect(copy.prepare('SELECT count(*) AS n FROM state_entries').get()?.['n']).to.equal(200);
    copy.close();
  };

  it('is refused while another one is being written to the same file, which it does not touch', async () => {
    const folder = freshFolder();
    const [store, other] = [await opened(folder), await opened(folder, 'b.db')];
    const target = join(folder, 'copy.db');
    const first = store.backup(target);
    const refused = await Promise.all([errorOf(() => store.backup(target)), errorOf(() => other.backup(join(folder, '.', 'copy.db')))]);
    for (const { code, message } of refused) {
      expect(code).to.equal('FILE_NOT_WRITABLE');
      expect(message).to.match(/copy\.db" cannot be written: another backup is being written to it/);
    }
    await first;
    isWhole(target);
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).to.deep.equal([]);
    await Promise.all([store.close(), other.close()]);
  });

  it('never takes the place of a file that came to be meanwhile', async () => {
    const folder = freshFolder();
    const store = await opened(folder);
    const target = join(folder, 'copy.db');
    const copying = errorOf(() => store.backup(target));
    while (!readdirSync(folder).some((name) => name.includes('partial'))) await new Promise(setImmediate);
    writeFileSync(target, 'mine');
    expect((await copying as TreadleError).message).to.match(/cannot be written: it exists already/);
    expect(readFileSync(target, 'utf8')).to.equal('mine');
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).to.deep.equal([]);
    await store.close();
  });

  it('is not kept from its target by what a killed process left there, and removes that; what a living one writes stays', async () => {
    const folder = freshFolder();
    const store = await opened(folder);
    const target = join(folder, 'copy.db');
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    const left = [`${target}.${dead}.partial`, `${target}.${process.pid}.partial`];
    const living = `${target}.${process.ppid}.partial`;
    for (const file of [...left, living]) writeFileSync(file, 'half');
    await store.backup(target);
    isWhole(target);
    for (const file of left) expect(existsSync(file), file).to.equal(false);
    expect(readFileSync(living, 'utf8')).to.equal('half');
    await store.close();
  });
});
