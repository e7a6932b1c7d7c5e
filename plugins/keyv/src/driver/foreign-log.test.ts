import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogFields, Logger } from '@treadle/api';
import { expect } from 'chai';
import type { Libsql } from './libsql-store.js';
import { FileDriver } from './file-driver.js';
import { loadKeyvSqlite, loadLibsql, type OpenStore } from './sql-store.js';

const STORES: Readonly<Record<string, () => OpenStore>> = { '@keyv/sqlite': loadKeyvSqlite, libsql: loadLibsql };
const WEEK_MS = 7 * 86_400_000;
const ROWS = 200;

for (const [name, loading] of Object.entries(STORES)) describe(`a KvStore that was saved and put back where a process had died (${name})`, () => {
  let folder: string;
  let driver: FileDriver | undefined;
  beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'treadle-kv-')); });
  afterEach(async () => {
    await driver?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Files of a killed process, with a copy such as `salvage` writes put in the place of the database. */
  async function replaced(): Promise<string> {
    const [file, died, saved] = ['kv.db', 'died.db', 'saved.db'].map((each) => join(folder, each)) as [string, string, string];
    const first = await FileDriver.open(file, loading);
    for (let index = 0; index < ROWS; index += 1) await first.put([[`k${index}`, 'a'.repeat(300)]]);
    await first.close();
    const Database = createRequire(import.meta.url)('libsql') as Libsql;
    const database = new Database(file);
    database.exec(`VACUUM INTO '${saved}'`);
    database.close();
    const second = await FileDriver.open(file, loading);
    for (let index = 0; index < ROWS; index += 3) await second.put([[`k${index}`, 'b'.repeat(300)]]);
    for (const suffix of ['-wal', '.pid']) copyFileSync(file + suffix, died + suffix);
    copyFileSync(saved, died);
    await second.close();
    return died;
  }

  it('starts with the rows that were saved, and keeps the log of the lost file for a week', async () => {
    const file = await replaced();
    const told: unknown[] = [];
    const note = (message: string, fields?: LogFields): void => void told.push([message, fields?.['kept']]);
    const log = { debug: note, info: note, warn: note, error: note, child: () => log } as Logger;
    let now = Date.now();
    const clock = { now: () => now };
    driver = await FileDriver.open(file, loading, { log, clock });
    const rows = await driver.range({ from: 'k', to: 'l', limit: 2 * ROWS });
    expect(rows.map(([, value]) => String(value)[0])).to.deep.equal(Array.from({ length: ROWS }, () => 'a'));
    const kept = `${file}-wal.replaced`;
    expect(statSync(kept).size).to.be.greaterThan(0);
    expect(told).to.deep.equal([['store was put back from a copy: the log of the former file is set aside for a week', kept]]);
    await driver.close();
    now += WEEK_MS;
    driver = await FileDriver.open(file, loading, { log, clock });
    expect([existsSync(kept), await driver.get('k1')]).to.deep.equal([false, 'a'.repeat(300)]);
  });
});
