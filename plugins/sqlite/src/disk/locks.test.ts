import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openStore } from '../store/open-store.js';
import { DRIVERS, errorOf, freshFolder, surroundings } from '../testing/store.fixture.js';

const put = (key: string) => ({ operation: 'state.put', rows: [['g', key, '1', 1, null]] });

/** Those that this process has in the system on the files of a store: what another process meets. */
function locksOn(file: string): readonly string[] {
  const names = new Map(['', '-shm', '.lock'].filter((end) => existsSync(file + end)).map((end) => [statSync(file + end).ino, end || 'database']));
  const lines = readFileSync('/proc/locks', 'utf8').split('\n').map((line) => line.split(/\s+/));
  const own = lines.filter(([, , , , pid]) => Number(pid) === process.pid).map(([, , , , , place]) => names.get(Number(place?.split(':')[2])));
  return [...new Set(own.filter((name) => name !== undefined))].sort();
}

describe('the locks of a store in the system', function suite() {
  const ALL = ['-shm', '.lock', 'database'];

  before(function onLinux() {
    if (!existsSync('/proc/locks')) this.skip();
  });

  for (const driver of DRIVERS) {
    for (const commits of ['loop', 'thread'] as const) {
      it(`are there when it was closed and opened again in the same process (${driver.name}, commits on the ${commits})`, async () => {
        const options = { file: join(freshFolder(), 'a.db'), durability: 'full' as const, driver, commits };
        for (let round = 0; round < 3; round += 1) {
          const store = await openStore({ ...options, ...surroundings() });
          await store.apply(put(`k${round}`));
          expect(locksOn(options.file), `round ${round}`).to.deep.equal(ALL);
          await store.close();
          expect(locksOn(options.file)).to.not.include('.lock');
        }
      });
    }

    it(`are there when it went over to a thread while it closed (${driver.name})`, async () => {
      const options = { file: join(freshFolder(), 'a.db'), durability: 'full' as const, driver, commits: 'loop' as const };
      const first = await openStore({ ...options, loopLimitMs: 0, ...surroundings() });
      for (let index = 0; index < 64; index += 1) await first.apply(put(`k${index}`));
      await first.close();
      expect(first.commitsOn).to.equal('thread');
      if (driver.name !== 'libsql') expect(locksOn(options.file)).to.deep.equal([]);
      const store = await openStore({ ...options, ...surroundings() });
      await store.apply(put('later'));
      expect(locksOn(options.file)).to.deep.equal(ALL);
      await store.close();
    });

    it(`stay when the same file is opened once more by another name (${driver.name})`, async () => {
      const folder = freshFolder();
      mkdirSync(join(folder, 'real'));
      symlinkSync(join(folder, 'real'), join(folder, 'link'));
      const file = join(folder, 'real/a.db');
      const options = { durability: 'full' as const, commits: 'loop' as const };
      const store = await openStore({ file, driver, ...options, ...surroundings() });
      await store.apply(put('a'));
      for (const name of [file, join(folder, 'link/a.db')]) {
        for (const other of DRIVERS) {
          const error = await errorOf(() => openStore({ file: name, driver: other, ...options, ...surroundings() }));
          expect(error).to.include({ code: 'STORE_LOCKED' });
          expect(error.message).to.contain(`pid ${process.pid}`);
        }
      }
      expect(locksOn(file)).to.deep.equal(ALL);
      await store.close();
      await (await openStore({ file: join(folder, 'link/a.db'), driver, ...options, ...surroundings() })).close();
    });
  }
});
