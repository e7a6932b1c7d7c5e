import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkStore } from '../salvage/check-store.js';
import { salvageStore } from '../salvage/salvage-store.js';
import { DRIVERS, errorOf, freshFolder, surroundings } from '../testing/store.fixture.js';
import { openStore } from './open-store.js';
import { realFile } from './real-file.js';
import { sharedStore, STORE_DEFAULTS, storeName } from './store.config.js';

describe('a store whose name is a link', () => {
  /** `link/a.db` is a link to `real/a.db`, which need not be there. */
  function linked(): { readonly link: string; readonly real: string } {
    const folder = freshFolder();
    for (const name of ['link', 'real']) mkdirSync(join(folder, name));
    symlinkSync('../real/a.db', join(folder, 'link/a.db'));
    return { link: join(folder, 'link/a.db'), real: join(folder, 'real/a.db') };
  }

  for (const driver of DRIVERS) {
    for (const commits of ['loop', 'thread'] as const) {
      it(`is opened with everything beside its file, also when that is not there yet (${driver.name}, commits on the ${commits})`, async () => {
        const { link, real } = linked();
        const options = { durability: 'full' as const, driver, commits };
        const store = await openStore({ file: link, ...options, ...surroundings() });
        await store.apply({ operation: 'state.put', rows: [['g', 'k', '1', 1, null]] });
        expect(['-wal', '.mark', '.lock', '.pid'].map((end) => [existsSync(real + end), existsSync(link + end)])).to.deep.equal(Array(4).fill([true, false]));
        expect((await errorOf(() => openStore({ file: real, ...options, ...surroundings() }))).code).to.equal('STORE_LOCKED');
        expect(checkStore(link, driver).state).to.equal('in_use');
        await store.close();
        expect(checkStore(link, driver)).to.include({ file: real, state: 'sound' });
        expect(salvageStore(link, join(freshFolder(), 'saved.db'), driver).source).to.equal(real);
        await (await openStore({ file: link, ...options, ...surroundings() })).close();
      });
    }
  }

  it('is the same store for all that name it', () => {
    const { link, real } = linked();
    const config = { ...STORE_DEFAULTS, file_path: 'a.db' };
    expect(storeName(config, join(link, '..'))).to.equal(storeName(config, join(real, '..')));
    expect(sharedStore(config, join(link, '..'))).to.deep.equal(sharedStore(config, join(real, '..')));
  });

  it('is found through folders that are links or missing, and left as it is where links lead in a circle', () => {
    const folder = freshFolder();
    mkdirSync(join(folder, 'real'));
    symlinkSync('real', join(folder, 'link'));
    symlinkSync('circle', join(folder, 'circle'));
    expect(realFile(join(folder, 'link/deep/er/a.db'))).to.equal(join(folder, 'real/deep/er/a.db'));
    expect(realFile(join(folder, 'circle'))).to.equal(join(folder, 'circle'));
  });
});
