import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { DRIVERS, freshFolder } from '../testing/store.fixture.js';
import { chooseDriver } from './choose-driver.js';
import { faultOf } from './storage-fault.js';

describe('drivers', () => {
  it('finds libsql everywhere and prefers the runtime\'s own SQLite, then better-sqlite3', () => {
    expect(DRIVERS.map((driver) => driver.name)).to.include('libsql');
    expect(chooseDriver().name).to.equal(DRIVERS[0]?.name);
  });

  it('leaves process.emitWarning as it was', () => {
    const before = process.emitWarning;
    chooseDriver();
    expect(process.emitWarning).to.equal(before);
  });

  for (const driver of DRIVERS) {
    describe(`${driver.name} (SQLite ${driver.sqlite})`, () => {
      it('stores null, numbers, text and bytes and gives them back', () => {
        const db = driver.open(':memory:');
        db.exec('CREATE TABLE t (a, b, c, d)');
        expect(db.prepare('INSERT INTO t VALUES (?, ?, ?, ?)').run(null, 2 ** 50, 'é😀', new Uint8Array([1, 2]))).to.equal(1);
        const row = db.prepare('SELECT a, b, c, d FROM t').get();
        expect([row?.['a'], row?.['b'], row?.['c'], [...row?.['d'] as Uint8Array]]).to.deep.equal([null, 2 ** 50, 'é😀', [1, 2]]);
        db.close();
      });

      it('takes a single null as one parameter', () => {
        const db = driver.open(':memory:');
        expect(db.prepare('SELECT ? IS NULL AS missing').get(null)?.['missing']).to.equal(1);
        expect(db.prepare('SELECT 1 AS one WHERE 1 = ?').get(2)).to.equal(undefined);
        db.close();
        db.close();
      });

      it('does not hold a read open after get and all, so that the log can be moved into the file', () => {
        const file = join(freshFolder(), 'a.db');
        const [writer, reader] = [driver.open(file), driver.open(file)];
        writer.prepare('PRAGMA journal_mode = WAL').get();
        writer.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)');
        reader.prepare('SELECT a FROM t').get();
        reader.prepare('SELECT a FROM t').all();
        writer.exec('INSERT INTO t VALUES (3)');
        expect(writer.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy']).to.equal(0);
        for (const db of [reader, writer]) db.close();
      });

      it('tells a refused statement, a held file, a full one and one that is no database apart', () => {
        const file = join(freshFolder(), 'a.db');
        const db = driver.open(file);
        db.exec('CREATE TABLE t (a PRIMARY KEY); INSERT INTO t VALUES (1)');
        expect(kindOf(() => db.exec('INSERT INTO t VALUES (1)'))).to.equal('statement');
        const other = driver.open(file);
        other.exec('PRAGMA busy_timeout = 0');
        db.exec('BEGIN EXCLUSIVE');
        expect(kindOf(() => other.exec('BEGIN EXCLUSIVE'))).to.equal('busy');
        db.exec('COMMIT');
        db.prepare('PRAGMA max_page_count = 3').get();
        expect(kindOf(() => db.exec('INSERT INTO t VALUES (zeroblob(100000))'))).to.equal('full');
        for (const connection of [db, other]) connection.close();
        const broken = driver.open(noDatabase());
        expect(kindOf(() => broken.prepare('SELECT * FROM sqlite_master').all())).to.equal('corrupt');
        broken.close();
      });
    });
  }

  it('reads I/O errors of all libraries, and a shared memory file without room as full', () => {
    expect(faultOf({ code: 'SQLITE_IOERR_FSYNC', message: 'disk I/O error' }))
      .to.deep.equal({ kind: 'io', reason: 'SQLITE_IOERR_FSYNC: disk I/O error' });
    expect(faultOf({ code: 'ERR_SQLITE_ERROR', errcode: 1034, message: 'disk I/O error' }).kind).to.equal('io');
    expect(faultOf({ code: 'SQLITE_IOERR', rawCode: 4874, message: 'x' }).kind).to.equal('full');
    expect(faultOf(new Error('anything')).kind).to.equal('statement');
  });
});

function noDatabase(): string {
  const file = join(freshFolder(), 'text.db');
  writeFileSync(file, 'this is no database, '.repeat(400));
  return file;
}

function kindOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return faultOf(error).kind;
  }
  return 'none';
}
