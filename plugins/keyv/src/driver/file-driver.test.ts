import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatError, type TreadleError } from '@treadle/api';
import { expect } from 'chai';
import { FileDriver } from './file-driver.js';
import { loadKeyvSqlite, loadLibsql, loadSqlStore, type OpenStore, type SqlStore } from './sql-store.js';

const STORES: Readonly<Record<string, () => OpenStore>> = { '@keyv/sqlite': loadKeyvSqlite, libsql: loadLibsql };

for (const [name, loading] of Object.entries(STORES)) describe(`FileDriver on ${name}`, () => {
  let folder: string;
  let driver: FileDriver | undefined;
  beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'treadle-kv-')); });
  afterEach(async () => {
    await driver?.close();
    driver = undefined;
    rmSync(folder, { recursive: true, force: true });
  });
  const failure = async (open: Promise<FileDriver>): Promise<TreadleError> => {
    const error: unknown = await open.then((opened) => { driver = opened; }, (reason: unknown) => reason);
    return error as TreadleError;
  };

  it('makes the folders of a new file and keeps its rows', async () => {
    const file = join(folder, 'a', 'b', 'kv.db');
    driver = await FileDriver.open(file, loading);
    await driver.put([['sb', 2], ['sa', { v: ':base64:AA==' }]]);
    await driver.close();
    driver = await FileDriver.open(file, loading);
    expect(await driver.range({ from: 's', to: 't', limit: 9 })).to.deep.equal([['sa', { v: ':base64:AA==' }], ['sb', 2]]);
    expect(await driver.range({ from: '', to: '~', limit: 9 }), 'the probe is gone').to.have.length(2);
  });

  it('keeps its files from other users', async () => {
    driver = await FileDriver.open(join(folder, 'kv.db'), loading);
    await driver.put([['a', 1]]);
    const open = readdirSync(folder).filter((name) => name.startsWith('kv.db') && !name.endsWith('.pid') && (statSync(join(folder, name)).mode & 0o077) !== 0);
    expect(open).to.deep.equal([]);
  });

  it('writes several rows or none', async () => {
    driver = await FileDriver.open(join(folder, 'kv.db'), loading);
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const error = await driver.put([['a', 1], ['b', circle]]).then(() => undefined, (reason: unknown) => reason);
    expect(error).to.be.instanceOf(TypeError);
    expect(await driver.get('a')).to.equal(undefined);
  });

  it('removes more rows than a statement has variables', async () => {
    driver = await FileDriver.open(join(folder, 'kv.db'), loading);
    const keys = Array.from({ length: 1000 }, (_, index) => `k${index}`);
    for (let start = 0; start < keys.length; start += 250) await driver.put(keys.slice(start, start + 250).map((key) => [key, 1]));
    await driver.remove(keys);
    expect(await driver.range({ from: 'k', to: 'l', limit: 9 })).to.deep.equal([]);
  });

  it('says which file cannot be written', async () => {
    writeFileSync(join(folder, 'blocked'), 'a file');
    const error = await failure(FileDriver.open(join(folder, 'blocked', 'kv.db'), loading));
    expect([error.code, error.exitCode]).to.deep.equal(['FILE_NOT_WRITABLE', 74]);
    expect(error.message).to.match(/^".*\/blocked\/kv\.db" cannot be written: E(NOTDIR|EXIST)/);
    const folderError = await failure(FileDriver.open(folder, loading));
    expect(folderError.message).to.match(/ cannot be written: EISDIR: illegal operation on a directory, open '.*'$/);
  });

  it('refuses a file that is no database, and leaves it as it is', async () => {
    const file = join(folder, 'kv.db');
    writeFileSync(file, 'not a database, '.repeat(100));
    expect((await failure(FileDriver.open(file, loading))).message).to.contain('SQLITE_NOTADB');
    expect(existsSync(file)).to.equal(true);
  });

  it('is alone with its file', async () => {
    const file = join(folder, 'kv.db');
    driver = await FileDriver.open(file, loading);
    const second: unknown = await FileDriver.open(file, loading).then(() => undefined, (reason: unknown) => reason);
    expect(formatError(second as TreadleError)).to.contain(`STORE_LOCKED  database "${file}" is in use by an engine with pid ${process.pid}`);
    expect((second as TreadleError).exitCode).to.equal(69);
    await driver.put([['a', 1]]);
    await driver.close();
    expect(existsSync(`${file}.pid`)).to.equal(false);
    driver = await FileDriver.open(file, loading);
    expect(await driver.get('a')).to.equal(1);
  });

  it('throws what fails later instead of giving false and undefined', async () => {
    let store: SqlStore | undefined;
    driver = await FileDriver.open(join(folder, 'kv.db'), () => (file, table) => store = loading()(file, table));
    await store?.query('DROP TABLE treadle');
    for (const work of [driver.get('a'), driver.put([['a', 1]]), driver.remove(['a']), driver.range({ from: 'a', to: 'b', limit: 1 })]) {
      expect(String(await (work as Promise<unknown>).then(() => 'nothing was thrown', (error: unknown) => error))).to.contain('no such table: treadle');
    }
  });

  it('says when the disk is full and has room again, and acknowledges nothing more after it has failed', async () => {
    let failing: string | undefined;
    const told: unknown[] = [];
    const file = join(folder, 'kv.db');
    driver = await FileDriver.open(file, () => (path, table) => {
      const store = loading()(path, table);
      const query = store.query.bind(store);
      store.query = (sql, values) => (failing === undefined || !sql.startsWith('INSERT') ? query(sql, values) : Promise.reject(new Error(failing)));
      return store;
    });
    driver.join({ report: (status, detail) => told.push([status, detail?.message]), fatal: ({ code, exitCode }) => told.push([code, exitCode]) });
    const outcome = (work: Promise<unknown>): Promise<unknown> => work.then(() => 'acknowledged', (error: Error) => error.message);
    failing = 'SQLITE_FULL: database or disk is full';
    expect(await outcome(driver.put([['a', 1]]))).to.equal(`nothing was stored: ${failing}`);
    failing = undefined;
    expect(await outcome(driver.put([['a', 1]]))).to.equal('acknowledged');
    failing = 'SQLITE_IOERR_FSYNC: disk I/O error';
    const failed = `writing to database "${file}" failed: ${failing}`;
    expect(await outcome(driver.put([['a', 1]]))).to.equal(failed);
    failing = undefined;
    expect([await outcome(driver.put([['a', 1]])), await outcome(driver.remove(['a']))]).to.deep.equal([failed, failed]);
    expect(told).to.deep.equal([['degraded', `no room to write to "${file}"`], ['ok', undefined], ['STORE_FAILED', 74]]);
  });

  for (const [way, harm] of Object.entries({
    'the database is removed': (file: string) => rmSync(file), 'the log is removed': (file: string) => rmSync(`${file}-wal`),
    'the log is emptied': (file: string) => truncateSync(`${file}-wal`, 0),
    'the database is replaced': (file: string) => { copyFileSync(file, `${file}.new`); renameSync(`${file}.new`, file); },
  })) {
    it(`acknowledges nothing more when ${way}`, async () => {
      const file = join(folder, 'kv.db');
      driver = await FileDriver.open(file, loading);
      const fatals: unknown[] = [];
      driver.join({ report: () => undefined, fatal: ({ code, exitCode }) => fatals.push([code, exitCode]) });
      await driver.put([['a', 1]]);
      harm(file);
      await new Promise((resolve) => void setTimeout(resolve, 110));
      const error = await driver.put([['b', 1]]).then(() => undefined, (reason: TreadleError) => reason);
      expect(error?.message).to.match(/kv\.db(?:-wal)?" was (?:removed|cut|replaced) while the engine ran$/);
      expect(fatals).to.deep.equal([['STORE_FAILED', 74]]);
    });
  }

  it('refuses a log whose database is missing or empty, and leaves it as it is', async () => {
    const file = join(folder, 'kv.db');
    writeFileSync(`${file}-wal`, 'a log');
    const error = await failure(FileDriver.open(file, loading));
    expect([error.code, error.exitCode]).to.deep.equal(['STORE_DAMAGED', 74]);
    writeFileSync(file, '');
    expect((await failure(FileDriver.open(file, loading))).message).to.contain('it is empty, and');
    expect(statSync(`${file}-wal`).size).to.equal(5);
  });

  const VALUE = 'v'.repeat(3000);
  for (const [way, [harm, says]] of Object.entries<readonly [(file: string) => void, RegExp]>({
    'log is missing': [(file) => rmSync(`${file}-wal`), /^database ".*died\.db" is damaged: \d+ bytes of ".*died\.db-wal" were acknowledged, and 0 of them are there/],
    'log is empty': [(file) => truncateSync(`${file}-wal`, 0), /were acknowledged, and 0 of them are there/],
    'log lost its end': [(file) => truncateSync(`${file}-wal`, statSync(`${file}-wal`).size - 5000), /were acknowledged, and \d+ of them are there/],
    'database and log are missing': [(file) => { rmSync(file); rmSync(`${file}-wal`); }, /were acknowledged, and 0 of them are there/],
    'database is cut': [(file) => truncateSync(file, 4096), /is damaged: /],
    'log has another byte in its header': [(file) => turn(`${file}-wal`, () => 18), /the header of ".*-wal" is not what was written/],
    'log has another byte in its middle': [(file) => turn(`${file}-wal`, (bytes) => bytes >> 1), /\d+ frames of ".*-wal" were acknowledged, and frame \d+ is not what was written/],
    'log has another byte near its end': [(file) => turn(`${file}-wal`, (bytes) => bytes - 200), /is not what was written/],
  })) {
    it(`refuses the files of a killed engine when the ${way}, and leaves them as they are`, async () => {
      const file = join(folder, 'kv.db');
      driver = await FileDriver.open(file, loading);
      await driver.put(Array.from({ length: 30 }, (_, index) => [`moved-${index}`, VALUE]));
      await driver.close();
      driver = await FileDriver.open(file, loading);
      for (let index = 0; index < 10; index += 1) await driver.put([[`logged-${index}`, VALUE]]);
      const died = join(folder, 'died.db');
      for (const suffix of ['', '-wal', '.pid']) copyFileSync(`${file}${suffix}`, `${died}${suffix}`);
      harm(died);
      const contents = (): unknown[] => ['', '-wal'].map((suffix) => (existsSync(died + suffix) ? readFileSync(died + suffix) : undefined));
      const before = contents();
      const error = await failure(FileDriver.open(died, loading));
      expect([error.code, error.exitCode]).to.deep.equal(['STORE_DAMAGED', 74]);
      expect(error.message).to.match(says);
      expect(contents()).to.deep.equal(before);
    });
  }

  /** Files that a killed engine left, with ten rows. */
  const killed = async (): Promise<string> => {
    const file = join(folder, 'kv.db');
    driver = await FileDriver.open(file, loading);
    for (let index = 0; index < 10; index += 1) await driver.put([[`k${index}`, VALUE]]);
    const died = join(folder, 'died.db');
    for (const suffix of ['', '-wal', '.pid']) copyFileSync(`${file}${suffix}`, `${died}${suffix}`);
    await driver.close();
    return died;
  };

  it('opens the files of a killed engine with all that was acknowledged', async () => {
    driver = await FileDriver.open(await killed(), loading);
    expect(await driver.range({ from: 'k', to: 'l', limit: 20 })).to.have.length(10);
  });

  it('leaves the files of a killed engine as they are when it cannot note whose they are', async () => {
    const died = await killed();
    renameSync(`${died}.pid`, join(folder, 'kept'));
    mkdirSync(`${died}.pid`);
    const error = await failure(FileDriver.open(died, loading));
    expect(error.message).to.contain(`cannot be written: EISDIR: illegal operation on a directory, open '${died}.pid'`);
    rmdirSync(`${died}.pid`);
    renameSync(join(folder, 'kept'), `${died}.pid`);
    driver = await FileDriver.open(died, loading);
    expect(await driver.range({ from: 'k', to: 'l', limit: 20 })).to.have.length(10);
  });

  it('opens the files of a killed engine whose log began anew again and again, under many writes at once', async () => {
    const file = join(folder, 'kv.db');
    driver = await FileDriver.open(file, loading);
    const [died, copies, atOnce] = [join(folder, 'died.db'), 6, 60];
    for (let copy = 1; copy <= copies; copy += 1) {
      const opened = driver;
      await Promise.all(Array.from({ length: atOnce }, (_, index) => opened.put([[`k${copy}-${index}`, VALUE.repeat(4)]])));
      for (const suffix of ['', '-wal', '.pid']) copyFileSync(`${file}${suffix}`, `${died}-${copy}${suffix}`);
    }
    await driver.close();
    for (let copy = 1; copy <= copies; copy += 1) {
      driver = await FileDriver.open(`${died}-${copy}`, loading);
      expect((await driver.range({ from: 'k', to: 'l', limit: 1000 })).length).to.equal(copy * atOnce);
      await driver.close();
    }
    driver = undefined;
  });

  it('opens the files of a killed engine after a start that failed', async () => {
    const died = await killed();
    const error = await failure(FileDriver.open(died, () => (path, table) => {
      const store = loading()(path, table);
      const query = store.query.bind(store);
      store.query = (sql, values) => (sql.startsWith('INSERT') ? Promise.reject(new Error('SQLITE_FULL: database or disk is full')) : query(sql, values));
      return store;
    }));
    expect(error.message).to.contain('SQLITE_FULL');
    driver = await FileDriver.open(died, loading);
    expect(await driver.range({ from: 'k', to: 'l', limit: 20 })).to.have.length(10);
  });

  it('ends the engine when a read meets damage', async () => {
    let broken = false;
    driver = await FileDriver.open(join(folder, 'kv.db'), () => (path, table) => {
      const store = loading()(path, table);
      const query = store.query.bind(store);
      store.query = (sql, values) => (broken && sql.startsWith('SELECT') ? Promise.reject(new Error('SQLITE_CORRUPT: database disk image is malformed')) : query(sql, values));
      return store;
    });
    const fatals: unknown[] = [];
    driver.join({ report: () => undefined, fatal: ({ code }) => fatals.push(code) });
    broken = true;
    const error: unknown = await driver.range({ from: 'a', to: 'b', limit: 1 }).catch((reason: unknown) => reason);
    expect((error as TreadleError).code).to.equal('STORE_DAMAGED');
    expect(fatals).to.deep.equal(['STORE_DAMAGED']);
  });

  for (const [other, loadOther] of Object.entries(STORES)) {
    it(`reads a file of ${other}`, async () => {
      const file = join(folder, 'kv.db');
      driver = await FileDriver.open(file, loadOther);
      await driver.put([['sa', 'ä😀'], ['sb', { list: [1, null] }]]);
      await driver.close();
      driver = await FileDriver.open(file, loading);
      expect(await driver.range({ from: 's', to: 't', limit: 9 })).to.deep.equal([['sa', 'ä😀'], ['sb', { list: [1, null] }]]);
    });
  }
});

/** Changes one byte of a file. */
function turn(file: string, place: (bytes: number) => number): void {
  const bytes = readFileSync(file);
  const at = place(bytes.length);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at);
  writeFileSync(file, bytes);
}

describe('the SQLite of FileDriver', () => {
  it('is that of @keyv/sqlite when it is installed', () => {
    const store = loadSqlStore()(':memory:', 'treadle');
    expect(store.constructor.name).to.equal('KeyvSqlite');
    return store.close();
  });

  it('says how to mend it when none can be loaded', async () => {
    const file = join(tmpdir(), 'treadle-kv-never-made.db');
    const error: unknown = await FileDriver.open(file, () => { throw new Error("Cannot find module '@libsql/linux-riscv64'\nRequire stack:"); })
      .then(() => undefined, (reason: unknown) => reason);
    expect(formatError(error as TreadleError)).to.equal('error  SERVICE_UNAVAILABLE  store_method: file_based is not available: no SQLite can be '
      + "loaded here (Cannot find module '@libsql/linux-riscv64'); install Python and a C++ compiler and run "
      + '"npm install @keyv/sqlite@4.0.8", or set store_method: in_memory');
    expect([(error as TreadleError).exitCode, existsSync(file)]).to.deep.equal([69, false]);
  });
});
