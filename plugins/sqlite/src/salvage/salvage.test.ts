import { closeSync, copyFileSync, existsSync, openSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { DRIVERS, errorOf, freshFolder, surroundings } from '../testing/store.fixture.js';
import { openStore } from '../store/open-store.js';
import type { SqliteStore } from '../store/sqlite-store.js';
import { checkStore } from './check-store.js';
import { salvageStore } from './salvage-store.js';

const NAMES = ['a.db', 'a.db-wal', 'a.db-shm', 'a.db.mark', 'a.db.lock'];
const MOVED = 200;
const LOGGED = 50;
const put = (key: string, value: string) => ({ operation: 'state.put', rows: [['g', key, JSON.stringify(value.repeat(1500)), 1, null]] });
const keys = (store: SqliteStore) => store.reads.prepare('SELECT key FROM state_entries ORDER BY key').all().map((row) => String(row['key']));

for (const driver of DRIVERS) {
  describe(`looking at and saving a store (${driver.name})`, () => {
    const options = (file: string) => ({ file, durability: 'full' as const, driver, ...surroundings() });

    /** 200 values in the database, 50 more in the log alone, of an engine that was killed. */
    async function died(): Promise<string> {
      const [folder, after] = [freshFolder(), freshFolder()];
      const file = join(folder, 'a.db');
      const first = await openStore(options(file));
      for (let index = 0; index < MOVED; index += 1) await first.apply(put(`m${String(index).padStart(3, '0')}`, 'm'));
      await first.close();
      const store = await openStore(options(file));
      for (let index = 0; index < LOGGED; index += 1) await store.apply(put(`z${String(index).padStart(3, '0')}`, 'z'));
      for (const name of NAMES) copyFileSync(join(folder, name), join(after, name));
      await store.close();
      return join(after, 'a.db');
    }

    /** The keys of what was saved, as an engine sees them that is started on it. */
    async function saved(target: string): Promise<readonly string[]> {
      const store = await openStore(options(target));
      const found = keys(store);
      await store.close();
      return found;
    }

    it('finds a killed engine\'s files sound, in use while it runs, and changes nothing', async () => {
      const file = await died();
      const before = NAMES.map((name) => readFileSync(join(file, '..', name)));
      const check = checkStore(file, driver);
      expect(check).to.deep.include({ state: 'sound', findings: [], warnings: [] });
      expect(check.files).to.include({ database: 'present', marked: true });
      expect(check.files?.logFrames).to.be.greaterThan(LOGGED);
      expect(NAMES.map((name, at) => readFileSync(join(file, '..', name)).equals(before[at] ?? Buffer.of()))).to.deep.equal(NAMES.map(() => true));
      const store = await openStore(options(file));
      expect(checkStore(file, driver)).to.deep.equal({
        file, state: 'in_use', findings: [`database "${file}" is in use by an engine with pid ${process.pid}`], warnings: [],
      });
      expect((await errorOf(() => salvageStore(file, `${file}.saved`, driver))).code).to.equal('STORE_LOCKED');
      await store.close();
    });

    it('saves everything of a sound store, for this user alone, and leaves nothing else behind', async () => {
      const file = await died();
      const target = join(freshFolder(), 'saved.db');
      const report = salvageStore(file, target, driver);
      expect(report.tables.filter(({ lost }) => lost !== undefined)).to.deep.equal([]);
      expect(report).to.include({ skippedFrames: 0 });
      expect(statSync(target).mode & 0o077).to.equal(0);
      expect(readdirSync(join(target, '..'))).to.deep.equal(['saved.db']);
      expect(await saved(target)).to.have.length(MOVED + LOGGED);
    });

    it('skips a frame of the log that is damaged and reads those behind it', async () => {
      const file = await died();
      const frames = checkStore(file, driver).files?.logFrames ?? 0;
      overwrite(`${file}-wal`, 32 + Math.floor(frames / 2) * 4120 + 2000, 'DAMAGE');
      const check = checkStore(file, driver);
      expect(check.state).to.equal('damaged');
      expect(check.findings[0]).to.match(/-wal" is sound up to frame \d+, and \d+ frames of it were acknowledged/);
      const target = join(freshFolder(), 'saved.db');
      const report = salvageStore(file, target, driver);
      expect(report.skippedFrames).to.equal(1);
      const found = await saved(target);
      expect(found.length).to.be.within(MOVED + LOGGED - 2, MOVED + LOGGED);
      expect(found).to.include('z049');
    });

    it('reads a database whose log is gone, and one whose end is gone', async () => {
      const file = await died();
      rmSync(`${file}-wal`);
      const first = join(freshFolder(), 'saved.db');
      expect(salvageStore(file, first, driver).faults[0]).to.contain('is missing or empty');
      expect(await saved(first)).to.have.length(MOVED);
      truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096);
      const second = join(freshFolder(), 'saved.db');
      const report = salvageStore(file, second, driver);
      expect(report.tables.find(({ table }) => table === 'state_entries')?.lost).to.match(/malformed|CORRUPT/i);
      expect((await saved(second)).length).to.be.within(10, MOVED - 1);
    });

    it('reads around a page that is destroyed', async () => {
      const file = await died();
      const at = Math.floor(readFileSync(file).lastIndexOf('m100') / 4096);
      overwrite(file, at * 4096, '\xff'.repeat(4096));
      const target = join(freshFolder(), 'saved.db');
      const { rows, lost } = salvageStore(file, target, driver).tables.find(({ table }) => table === 'state_entries') ?? {};
      expect(lost, 'why not all').to.be.a('string');
      expect(rows).to.be.within(MOVED + LOGGED - 6, MOVED + LOGGED - 1);
      expect(await saved(target)).to.have.length(rows ?? 0).and.to.include.members(['m000', 'z049']);
    });

    it('saves what a log holds whose database is gone, or says that nothing of it can be read', async () => {
      const folder = freshFolder();
      const young = await openStore(options(join(folder, 'a.db')));
      for (let index = 0; index < LOGGED; index += 1) await young.apply(put(`z${index}`, 'z'));
      const file = join(freshFolder(), 'a.db');
      copyFileSync(join(folder, 'a.db-wal'), `${file}-wal`);
      await young.close();
      const target = join(freshFolder(), 'saved.db');
      const outcome = await errorOf(() => salvageStore(file, target, driver));
      expect(outcome).to.include({ code: 'STORE_DAMAGED', exitCode: 74 });
      expect(existsSync(target)).to.equal(false);
    });

    it('saves every message of subscriptions whose ids are larger than a number can tell apart, and gives none of their numbers again', async () => {
      const file = join(freshFolder(), 'a.db');
      await (await openStore(options(file))).close();
      const connection = driver.open(file);
      for (const number of [3, 600]) {
        connection.exec(`INSERT INTO queue_subscriptions VALUES (${number}, 's${number}', 't', 'a', 0, 0, 0, '{}', 0, 10);
          WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1000)
          INSERT INTO queue_deliveries (id, message, data, trace, enqueued_at) SELECT (${number} << 44) | n, '${number}-' || n, '{}', 't', 1 FROM n`);
      }
      connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
      connection.close();
      const target = join(freshFolder(), 'saved.db');
      const { tables } = salvageStore(file, target, driver);
      expect(tables.find(({ table }) => table === 'queue_deliveries')).to.deep.equal({ table: 'queue_deliveries', rows: 2000 });
      const store = await openStore(options(target));
      expect(store.reads.prepare("SELECT id >> 44 AS number, count(*) AS rows, sum(message = (id >> 44) || '-' || (id & 17592186044415)) AS own FROM queue_deliveries GROUP BY 1").all())
        .to.deep.equal([{ number: 3, rows: 1000, own: 1000 }, { number: 600, rows: 1000, own: 1000 }]);
      expect(store.reads.prepare('SELECT number, ceiling FROM queue_subscriptions').all()).to.deep.equal([{ number: 3, ceiling: 1000 }, { number: 600, ceiling: 1000 }]);
      await store.close();
    });

    it('saves values of every type as they are, and rows without a key once', async () => {
      const file = join(freshFolder(), 'a.db');
      const connection = driver.open(file);
      connection.exec(`CREATE TABLE plain (a, b); CREATE TABLE keyed (k, l INTEGER, v BLOB, PRIMARY KEY (k, l)) WITHOUT ROWID;
        INSERT INTO keyed VALUES ('7', 9007199254740993, '5'), (7, 9007199254740992, 5), (7, 9007199254740993, 5.0), (x'37', 1, x'00ff');
        WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 600) INSERT INTO plain SELECT 'same', CASE n % 2 WHEN 0 THEN 9223372036854775807 ELSE '12' END FROM n`);
      connection.close();
      const target = join(freshFolder(), 'saved.db');
      salvageStore(file, target, driver);
      const saved = driver.open(target);
      expect(saved.prepare('SELECT quote(k) || quote(l) || quote(v) AS row FROM keyed').all().map(({ row }) => row))
        .to.deep.equal(['790071992547409925', '790071992547409935.0', "'7'9007199254740993'5'", "X'37'1X'00FF'"]);
      expect(saved.prepare('SELECT quote(b) AS b, count(*) AS rows FROM plain GROUP BY 1 ORDER BY 1').all())
        .to.deep.equal([{ b: "'12'", rows: 300 }, { b: '9223372036854775807', rows: 300 }]);
      saved.close();
    });

    it('refuses a target that exists', async () => {
      const file = await died();
      writeFileSync(`${file}.saved`, 'mine');
      expect((await errorOf(() => salvageStore(file, `${file}.saved`, driver))).message).to.match(/cannot be written: it exists already$/);
      expect(readFileSync(`${file}.saved`, 'utf8')).to.equal('mine');
    });
  });
}

function overwrite(file: string, at: number, text: string): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.from(text, 'latin1'), 0, text.length, at);
  closeSync(descriptor);
}
