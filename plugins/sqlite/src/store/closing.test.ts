import { closeSync, copyFileSync, existsSync, openSync, readdirSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Driver } from '../driver/driver.js';
import { removeStore, smallFileSystem } from '../testing/small-file-system.fixture.js';
import { DRIVERS, errorOf, freshFolder, surroundings } from '../testing/store.fixture.js';
import { openStore } from './open-store.js';
import type { SqliteStore } from './sqlite-store.js';

const NAMES = ['a.db', 'a.db-wal', 'a.db-shm', 'a.db.mark'];
const FRAME_BYTES = 4120;
const put = (key: string, length = 20_000) => ({ operation: 'state.put', rows: [['g', key, JSON.stringify('v'.repeat(length)), 1, null]] });
const count = (store: SqliteStore) => store.reads.prepare('SELECT count(*) AS n FROM state_entries').get()?.['n'];

for (const driver of DRIVERS) {
  for (const [commits, durability] of [['loop', 'full'], ['thread', 'full'], ['loop', 'relaxed']] as const) {
    describe(`a store that closes with something in its log (${driver.name}, ${durability}, commits on the ${commits})`, () => {
      const options = (file: string) => ({ file, durability, driver, commits, ...surroundings() });

      /** The files as they are when somebody who read an older state than the last has closed behind the engine. */
      async function closedByReader(): Promise<string> {
        const file = join(freshFolder(), 'a.db');
        const store = await openStore(options(file));
        for (let index = 0; index < 5; index += 1) await store.apply(put(`before-${index}`));
        const reader = readerOf(driver, file);
        for (let index = 0; index < 5; index += 1) await store.apply(put(`after-${index}`));
        await store.close();
        expect(statSync(`${file}-wal`).size).to.be.greaterThan(5 * FRAME_BYTES);
        reader.close();
        // libsql closes some time later; SQLite would do the same then.
        if (existsSync(`${file}-wal`)) emptyLog(driver, file);
        return file;
      }

      it('opens again when a reader moved and removed the log behind it', async () => {
        const file = await closedByReader();
        const given = options(file);
        const store = await openStore(given);
        expect(count(store)).to.equal(10);
        expect(given.log.lines.filter(({ level, message }) => level === 'warn' && !message.includes('relaxed'))).to.deep.equal([]);
        await store.close();
      });

      it('opens again when it is closed while the reader is still there', async () => {
        const file = join(freshFolder(), 'a.db');
        const store = await openStore(options(file));
        const reader = readerOf(driver, file);
        await store.apply(put('a'));
        await store.close();
        const again = await openStore(options(file));
        await again.apply(put('b'));
        expect(count(again)).to.equal(2);
        reader.close();
        await again.close();
      });

      it('is refused when not all of that log has got into the database', async () => {
        const file = await closedByReader();
        const at = readFileSync(file).lastIndexOf('after-');
        const descriptor = openSync(file, 'r+');
        writeSync(descriptor, 'before', at);
        closeSync(descriptor);
        const { code, message } = await errorOf(() => openStore(options(file)));
        expect([code, message]).to.satisfy(([is, text]: [string, string]) => is === 'STORE_DAMAGED' && /of \d+ pages of ".*a\.db" are not what was written/.test(text), message);
      });

      it('waits for its backup', async () => {
        const folder = freshFolder();
        const store = await openStore(options(join(folder, 'a.db')));
        for (let index = 0; index < 60; index += 1) await store.apply(put(`k${index}`, 200_000));
        const made = store.backup(join(folder, 'copy.db'));
        await store.apply(put('later'));
        await Promise.all([made, store.close()]);
        expect(readdirSync(folder).filter((name) => name.endsWith('-wal') || name.endsWith('.partial')).filter((name) => statSync(join(folder, name)).size > 0)).to.deep.equal([]);
        const again = await openStore(options(join(folder, 'a.db')));
        expect(count(again)).to.equal(61);
        await again.close();
        expect((await errorOf(() => again.backup(join(folder, 'late.db')))).message).to.contain('the store is closed');
      });
    });
  }

  describe(`a log that must not be moved (${driver.name})`, () => {
    const options = (file: string) => ({ file, durability: 'full' as const, driver, commits: 'loop' as const, ...surroundings() });

    it('stays as it is when a frame of it is damaged while the store closes', async () => {
      const file = join(freshFolder(), 'a.db');
      const store = await openStore(options(file));
      await store.apply(put('a'));
      const log = openSync(`${file}-wal`, 'r+');
      writeSync(log, Buffer.alloc(100, 1), 0, 100, statSync(`${file}-wal`).size - 200);
      closeSync(log);
      const [database, frames] = [readFileSync(file), readFileSync(`${file}-wal`)];
      await store.close();
      expect(readFileSync(file).equals(database)).to.equal(true);
      expect(readFileSync(`${file}-wal`).equals(frames)).to.equal(true);
      expect((await errorOf(() => openStore(options(file)))).code).to.equal('STORE_DAMAGED');
    });

    it('stays as it is when a newer version wrote it', async () => {
      const [folder, after] = [freshFolder(), freshFolder()];
      const store = await openStore(options(join(folder, 'a.db')));
      store.reads.exec("UPDATE treadle_areas SET version = 99 WHERE name = 'state'");
      await store.apply(put('a'));
      for (const name of NAMES) copyFileSync(join(folder, name), join(after, name));
      await store.close();
      const frames = readFileSync(join(after, 'a.db-wal'));
      expect((await errorOf(() => openStore(options(join(after, 'a.db'))))).code).to.equal('STORE_NEWER');
      expect(readFileSync(join(after, 'a.db-wal')).equals(frames)).to.equal(true);
    });

    it('has a place in the mark for the sum of each of its pages before the disk may be full', async () => {
      const file = join(freshFolder(), 'a.db');
      const store = await openStore(options(file));
      for (let index = 0; index < 30; index += 1) await store.apply(put(`k${index}`, 400_000));
      await new Promise((resolve) => setTimeout(resolve, 15));
      await store.apply(put('last', 1));
      const pages = Number(Object.values(store.reads.prepare('PRAGMA page_count').get() ?? {})[0]);
      expect(pages).to.be.greaterThan(2 * 1023);
      expect(statSync(`${file}.mark`).size).to.equal(4096 + Math.ceil(pages / 1023) * 4096);
      await store.close();
    });
  });
}

describe('a store that closes on a full disk', function suite() {
  this.timeout(60_000);
  const folder = smallFileSystem('12m');

  for (const driver of DRIVERS) {
    for (const commits of ['loop', 'thread'] as const) {
      it(`opens again (${driver.name}, commits on the ${commits})`, async () => {
        const file = join(folder, `${driver.name.replace(':', '-')}-${commits}.db`);
        const options = () => ({ file, durability: 'full' as const, driver, commits, ...surroundings() });
        const store = await openStore(options());
        for (let index = 0; index < 60; index += 1) await store.apply(put(`k${index}`));
        const { bavail, bsize } = statfsSync(folder);
        // Room for what is to be moved, as SQLite needs it, and not for what is to be left free beside it.
        const ballast = join(folder, 'ballast');
        writeFileSync(ballast, Buffer.alloc(bavail * bsize - 1_500_000));
        await store.close();
        rmSync(ballast);
        const again = await openStore(options());
        expect(count(again)).to.equal(60);
        await again.close();
        removeStore(file);
        rmSync(`${file}.mark`);
      });
    }
  }
});

/** Somebody who reads what is there now, until he closes. */
function readerOf(driver: Driver, file: string): { close(): void } {
  const reader = driver.open(file);
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM state_entries').all();
  return {
    close: () => {
      reader.exec('ROLLBACK');
      reader.close();
    },
  };
}

function emptyLog(driver: Driver, file: string): void {
  const other = driver.open(file);
  other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
  other.close();
}
