import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, readFileSync, readSync, renameSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { DRIVERS, errorOf, freshFolder, keptUser, surroundings } from '../testing/store.fixture.js';
import { openStore } from '../store/open-store.js';
import type { SqliteStore } from '../store/sqlite-store.js';

const NAMES = ['a.db', 'a.db-wal', 'a.db-shm', 'a.db.mark'];
const put = (key: string, value = '1') => ({ operation: 'state.put', rows: [['g', key, value, 1, null]] });
const keys = (store: SqliteStore) => store.reads.prepare('SELECT key FROM state_entries ORDER BY key').all().map((row) => row['key']);
const pause = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms));

/** Bytes of a file are turned over. */
function flip(file: string, at: number, bytes = 1): void {
  const content = readFileSync(file);
  for (let index = at; index < at + bytes; index += 1) content[index] = (content[index] ?? 0) ^ 0xff;
  writeFileSync(file, content);
}

for (const driver of DRIVERS) {
  for (const commits of ['loop', 'thread'] as const) {
    describe(`the files of a killed engine (${driver.name}, commits on the ${commits})`, () => {
      const options = (file: string) => ({ file, durability: 'full' as const, driver, commits, ...surroundings() });

      /** Ten values are in the database, ten more in the log alone. */
      async function died(): Promise<string> {
        const [folder, after] = [freshFolder(), freshFolder()];
        const file = join(folder, 'a.db');
        const first = await openStore(options(file));
        for (let index = 0; index < 10; index += 1) await first.apply(put(`moved-${index}`, JSON.stringify('v'.repeat(3000))));
        await first.close();
        const store = await openStore(options(file));
        for (let index = 0; index < 10; index += 1) await store.apply(put(`logged-${index}`, JSON.stringify('v'.repeat(3000))));
        for (const name of NAMES) copyFileSync(join(folder, name), join(after, name));
        await store.close();
        return join(after, 'a.db');
      }

      it('are opened as they are when nobody touched them', async () => {
        const store = await openStore(options(await died()));
        expect(keys(store)).to.have.length(20);
        expect(statSync(`${store.file}-wal`).size, 'the log was moved').to.equal(0);
        await store.close();
      });

      it('are refused with the name of the file that a folder replaced', async () => {
        const file = await died();
        rmSync(`${file}-wal`);
        mkdirSync(`${file}-wal`);
        expect((await errorOf(() => openStore(options(file)))).message).to.contain(`EISDIR: illegal operation on a directory, read: '${file}-wal'`);
      });

      it('are opened with a warning when the mark is missing', async () => {
        const file = await died();
        rmSync(`${file}.mark`);
        const given = options(file);
        const store = await openStore(given);
        expect(keys(store)).to.have.length(20);
        expect(given.log.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields?.['reason'])).to.deep.equal([
          `"${file}.mark" is missing: nothing can be compared with what was acknowledged`]);
        await store.close();
      });

      const ways: Readonly<Record<string, { readonly harm: (file: string) => void; readonly says: RegExp }>> = {
        'the database is missing': { harm: (file) => rmSync(file), says: /a\.db" is missing, and ".*a\.db-wal" beside it holds data \(\d+ frames\)/ },
        'the database is empty': { harm: (file) => truncateSync(file, 0), says: /a\.db" is empty, and ".*a\.db-wal" beside it holds data/ },
        'database and log are missing': {
          harm: (file) => { rmSync(file); rmSync(`${file}-wal`); }, says: /a\.db" is missing, and ".*a\.db\.mark" says that it held data/,
        },
        'the log is missing': { harm: (file) => rmSync(`${file}-wal`), says: /a\.db-wal" is missing or empty, and \d+ frames of it were acknowledged/ },
        'the log is empty': { harm: (file) => truncateSync(`${file}-wal`, 0), says: /a\.db-wal" is missing or empty/ },
        'the log lost its last frame': {
          harm: (file) => truncateSync(`${file}-wal`, statSync(`${file}-wal`).size - 4120), says: /a\.db-wal" is sound up to frame \d+, and \d+ frames/,
        },
        'the log is missing and its index, too': {
          harm: (file) => { rmSync(`${file}-wal`); rmSync(`${file}-shm`); }, says: /a\.db-wal" is missing or empty, and \d+ frames of it were acknowledged/,
        },
        'the log lost its last frame and one copy in its index is torn': {
          harm: (file) => { truncateSync(`${file}-wal`, statSync(`${file}-wal`).size - 4120); flip(`${file}-shm`, 20); }, says: /a\.db-wal" is sound up to frame \d+, and \d+ frames/,
        },
        'the log begins with something else': { harm: (file) => flip(`${file}-wal`, 0, 32), says: /a\.db-wal" is not the one that was written/ },
        'a frame of the log is damaged': { harm: (file) => flip(`${file}-wal`, 32 + 3 * 4120 + 100), says: /a\.db-wal" is sound up to frame [0-3],/ },
        'the database is cut': { harm: (file) => truncateSync(file, statSync(file).size - 4096 * 3), says: /of \d+ pages of ".*a\.db" are not what was written/ },
        'a byte of a value is another one': {
          harm: (file) => flip(file, readFileSync(file).lastIndexOf('moved-9') + 50), says: /1 of \d+ pages of ".*a\.db" are not what was written/,
        },
      };
      for (const [way, { harm, says }] of Object.entries(ways)) {
        it(`are refused, and left as they are, when ${way}`, async () => {
          const file = await died();
          harm(file);
          const before = NAMES.map((name) => contentOf(join(file, '..', name)));
          const error = await errorOf(() => openStore(options(file)));
          expect(error).to.include({ code: 'STORE_DAMAGED', exitCode: 74 });
          expect(error.message).to.match(says);
          expect(error.hint).to.contain('treadle store salvage');
          expect(NAMES.map((name) => contentOf(join(file, '..', name))).map((content, at) => content?.equals(before[at] ?? Buffer.of(1)) ?? before[at] === undefined))
            .to.deep.equal([true, true, true, true]);
        });
      }
    });
  }

  for (const commits of ['loop', 'thread'] as const) {
    describe(`a store at whose files somebody else is (${driver.name}, commits on the ${commits})`, () => {
      const ways: Readonly<Record<string, { readonly harm: (file: string) => void; readonly says: RegExp }>> = {
        'the database is removed': { harm: (file) => rmSync(file), says: /a\.db" was removed while the engine ran/ },
        'the folder is removed': { harm: (file) => rmSync(join(file, '..'), { recursive: true }), says: /a\.db" was removed while/ },
        'the database is replaced': { harm: replace, says: /a\.db" was replaced while the engine ran/ },
        'the log is removed': { harm: (file) => rmSync(`${file}-wal`), says: /a\.db-wal" was removed while/ },
        'the log is emptied': { harm: (file) => truncateSync(`${file}-wal`, 0), says: /a\.db-wal" was cut while/ },
        'the log is emptied and written to again': { harm: emptyLogBehind, says: /a\.db-wal" was changed while the engine ran: its beginning/ },
        'the mark is removed': { harm: (file) => rmSync(`${file}.mark`), says: /a\.db\.mark" was removed while/ },
        'the mark is emptied': { harm: (file) => truncateSync(`${file}.mark`, 0), says: /a\.db\.mark" was cut while/ },
        'the index of the log is removed': { harm: (file) => rmSync(`${file}-shm`), says: /a\.db-shm" was removed while/ },
        'the database is cut': { harm: (file) => truncateSync(file, 8192), says: /page \d+ of ".*a\.db" is not what was written/ },
        'a page of the database is changed': { harm: (file) => flipInPlace(file, 4096 * 4 + 500), says: /page 5 of ".*a\.db" is not what was written/ },
      };
      for (const [way, { harm, says }] of Object.entries(ways)) {
        it(`acknowledges nothing more and ends its engine with 74 when ${way}`, async () => {
          const { clock, turn, log } = surroundings();
          const store = await openStore({ file: join(freshFolder(), 'deep/a.db'), durability: 'full', driver, commits, clock, turn, log });
          const user = keptUser();
          store.join(user, 'full');
          await store.apply(put('k'));
          harm(store.file);
          await pause(110);
          await clock.advance(1_000);
          for (let tries = 0; user.fatals.length === 0 && tries < 1_500; tries += 1) await pause(10);
          expect(user.fatals.map(({ code, exitCode }) => [code, exitCode])).to.deep.equal([[says.source.startsWith('page') ? 'STORE_DAMAGED' : 'STORE_FAILED', 74]]);
          expect(user.fatals[0]?.message).to.match(says);
          expect((await errorOf(() => store.apply(put('late')))).code).to.equal('StorageFailed');
          await store.close();
        });
      }
    });
  }
}

/** SQLite writes on where it was, so that the log is soon as long as before. */
function emptyLogBehind(file: string): void {
  const { size } = statSync(`${file}-wal`);
  truncateSync(`${file}-wal`, 0);
  truncateSync(`${file}-wal`, size);
}

/** Without a new file in its place. */
function flipInPlace(file: string, at: number): void {
  const descriptor = openSync(file, 'r+');
  const byte = Buffer.alloc(1);
  readSync(descriptor, byte, 0, 1, at);
  writeSync(descriptor, Buffer.of((byte[0] ?? 0) ^ 0xff), 0, 1, at);
  closeSync(descriptor);
}

function contentOf(file: string): Buffer | undefined {
  return existsSync(file) ? readFileSync(file) : undefined;
}

function replace(file: string): void {
  copyFileSync(file, `${file}.new`);
  renameSync(`${file}.new`, file);
}
