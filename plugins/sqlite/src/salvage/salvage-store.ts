import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { TreadleError, treadleError } from '@treadle/api';
import { inspectStore } from '../disk/inspect-store.js';
import { chooseDriver } from '../driver/choose-driver.js';
import type { Connection, Driver } from '../driver/driver.js';
import { faultOf } from '../driver/storage-fault.js';
import { AREAS } from '../store/areas.js';
import { keepOut, storeAt } from './keep-out.js';
import { makeImage, type StoreImage } from './store-image.js';
import { IMAGE, type SalvagedTable, TableCopy } from './table-copy.js';

/** What came of saving a store. */
export interface SalvageReport extends StoreImage {
  readonly source: string;
  readonly target: string;
  readonly tables: readonly SalvagedTable[];
  /** What is known to be gone or changed in the source. */
  readonly faults: readonly string[];
}

interface SchemaEntry {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

/**
 * Saves what can be read of a store, also of a log whose database is gone, in a new one, which can be put in its place as a
 * backup is. Reads the source, and changes nothing of it.
 * @throws {STORE_LOCKED} while an engine has the store
 * @throws {FILE_NOT_WRITABLE} when the target exists or cannot be written
 * @throws {STORE_DAMAGED} when nothing at all can be read
 */
export function salvageStore(given: string, target: string, driver: Driver = chooseDriver()): SalvageReport {
  if (existsSync(target)) throw treadleError('FILE_NOT_WRITABLE', { file: target, reason: 'it exists already' });
  const source = storeAt(given);
  const lock = keepOut(driver, source);
  try {
    const { faults } = inspectStore(source);
    return { source, target, faults, ...save(driver, source, target) };
  } catch (error) {
    if (error instanceof TreadleError) throw error;
    const { kind, reason } = faultOf(error);
    throw kind === 'full' ? treadleError('FILE_NOT_WRITABLE', { file: target, reason }, { cause: error }) : error;
  } finally {
    lock?.release();
  }
}

function save(driver: Driver, source: string, target: string): StoreImage & Pick<SalvageReport, 'tables'> {
  const [image, partial] = [`${target}.image`, `${target}.partial`];
  try {
    const found = makeImage(source, image);
    writeFileSync(partial, '', { mode: 0o600 });
    const tables = copyTables(driver, { source, image, partial });
    sync(partial);
    renameSync(partial, target);
    sync(dirname(target));
    return { tables, ...found };
  } finally {
    for (const left of [image, `${image}-journal`, partial, `${partial}-journal`]) rmSync(left, { force: true });
  }
}

function copyTables(driver: Driver, { source, image, partial }: Readonly<Record<'source' | 'image' | 'partial', string>>): readonly SalvagedTable[] {
  const to = driver.open(partial);
  try {
    to.exec('PRAGMA auto_vacuum = INCREMENTAL');
    const schema = schemaOf(to, { source, image });
    const tables = schema.filter(({ type }) => type === 'table');
    for (const { sql } of tables) to.exec(sql);
    const copied = tables.map(({ name }) => new TableCopy(to, name).run());
    // After the rows: rows that contradict an index are kept out by it, the first of them stays.
    for (const { sql } of schema.filter(({ type }) => type === 'index')) to.exec(sql);
    const isOurs = tables.some(({ name }) => name === 'treadle_areas');
    for (const { onCopy = '', onSalvage = '' } of isOurs ? AREAS : []) to.exec(`${onCopy};${onSalvage}`);
    return copied;
  } finally {
    to.close();
  }
}

/** Attaches the image. What is where is told by the first page: without it the others are pages of nobody. */
function schemaOf(to: Connection, { source, image }: Readonly<Record<'source' | 'image', string>>): readonly SchemaEntry[] {
  try {
    to.exec(`ATTACH '${image.replaceAll("'", "''")}' AS ${IMAGE}`);
    const rows = to.prepare(`SELECT type, name, sql FROM ${IMAGE}.sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'`).all();
    if (rows.length === 0) throw new Error('it names no tables');
    return rows.map((row) => ({ type: String(row['type']), name: String(row['name']), sql: String(row['sql']) }));
  } catch (cause) {
    const { kind, reason } = faultOf(cause);
    if (kind === 'full') throw cause;
    throw treadleError('STORE_DAMAGED', {
      file: source, lost: true, reason: `its first page, which has the list of tables, is neither in the database nor in the log, so nothing can be read (${reason})`,
    }, { cause });
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
