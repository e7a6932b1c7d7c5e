import { copyFileSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { DRIVERS, freshFolder, surroundings } from '../testing/store.fixture.js';
import { openStore } from './open-store.js';
import type { SqliteStore } from './sqlite-store.js';

const WEEK_MS = 7 * 86_400_000;
const put = (store: SqliteStore, value: string) => store.apply({ operation: 'state.put', rows: [['g', 'k', value, 1, null]] });
const held = (store: SqliteStore) => store.reads.prepare("SELECT value FROM state_entries WHERE key = 'k'").get()?.['value'];

for (const driver of DRIVERS) {
  describe(`a copy put back where an engine died (${driver.name})`, () => {
    const options = (file: string) => ({ file, durability: 'full' as const, driver, ...surroundings() });

    /** The files of an engine that died after a backup, which has 1 where the lost file has 2. */
    async function died(): Promise<{ readonly file: string; readonly copy: string }> {
      const [folder, after] = [freshFolder(), freshFolder()];
      const store = await openStore(options(join(folder, 'a.db')));
      await put(store, '1');
      await store.backup(join(folder, 'copy.db'));
      await put(store, '2');
      for (const name of ['a.db', 'a.db-wal', 'a.db-shm']) copyFileSync(join(folder, name), join(after, name));
      await store.close();
      return { file: join(after, 'a.db'), copy: join(folder, 'copy.db') };
    }

    it('is what the next engine sees, and the log of the lost file is kept beside it', async () => {
      const { file, copy } = await died();
      copyFileSync(copy, file);
      const given = options(file);
      const restored = await openStore(given);
      expect(held(restored)).to.equal('1');
      expect(given.log.lines.map(({ message }) => message)).to.include(
        'store was put back from a copy: the log of the former file is set aside for a week');
      expect(statSync(`${file}-wal.replaced`).size).to.be.greaterThan(0);
      await restored.close();
    });

    it('loses the former log a week later, at a start', async () => {
      const { file, copy } = await died();
      copyFileSync(copy, file);
      const given = options(file);
      const kept = async (afterMs: number): Promise<boolean> => {
        await given.clock.advance(afterMs);
        await (await openStore(given)).close();
        return existsSync(`${file}-wal.replaced`);
      };
      expect([await kept(0), await kept(WEEK_MS - 1), await kept(1)]).to.deep.equal([true, true, false]);
    });

    it('does not cost a file its own log', async () => {
      const { file } = await died();
      const recovered = await openStore(options(file));
      expect(held(recovered)).to.equal('2');
      expect(existsSync(`${file}-wal.replaced`)).to.equal(false);
      await recovered.close();
    });

    it('is closed to other users', async function () {
      if (process.platform === 'win32') return;
      const { copy } = await died();
      expect(statSync(copy).mode & 0o077).to.equal(0);
    });
  });
}
