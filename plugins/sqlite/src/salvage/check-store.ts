import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TreadleError, treadleError } from '@treadle/api';
import { inspectStore, type StoreInspection } from '../disk/inspect-store.js';
import { chooseDriver } from '../driver/choose-driver.js';
import type { Connection, Driver } from '../driver/driver.js';
import { faultOf } from '../driver/storage-fault.js';
import type { FileLock } from '../store/file-lock.js';
import { keepOut, storeAt } from './keep-out.js';
import { makeImage } from './store-image.js';

/** What a store was found to be. */
export interface StoreCheck {
  readonly file: string;
  readonly state: 'sound' | 'damaged' | 'in_use';
  /** Why it is damaged, or that an engine has it. */
  readonly findings: readonly string[];
  readonly warnings: readonly string[];
  /** Nothing when an engine has the store. */
  readonly files?: Pick<StoreInspection, 'database' | 'databaseBytes' | 'logBytes' | 'logFrames' | 'marked'>;
}

/** Faults that SQLite lists at most. */
const MOST_FAULTS = 20;

/**
 * Looks at a store that no engine has: whether everything is there that was acknowledged, whether pages are what was written, and
 * whether SQLite finds it sound, in a copy. Changes nothing.
 * @throws {FILE_NOT_WRITABLE} when the copy cannot be made or read, which says nothing of the store
 */
export function checkStore(given: string, driver: Driver = chooseDriver()): StoreCheck {
  const file = storeAt(given);
  let lock: FileLock | undefined;
  try {
    lock = keepOut(driver, file);
    const { faults, warnings: told, partly: _all, obsoleteLog, ...files } = inspectStore(file);
    const warnings = obsoleteLog === undefined ? told : [...told, `${obsoleteLog}; all of them are in the database, so the next start sets it aside`];
    const inside = files.databaseBytes > 0 ? integrityOf(file, driver) : [];
    const findings = [...faults, ...inside];
    return { file, state: findings.length > 0 ? 'damaged' : 'sound', findings, warnings, files };
  } catch (error) {
    if (!(error instanceof TreadleError) || error.code !== 'STORE_LOCKED') throw error;
    return { file, state: 'in_use', findings: [error.message], warnings: [] };
  } finally {
    lock?.release();
  }
}

/** In a copy, with the log in it: SQLite would move the log of the store itself. @throws {FILE_NOT_WRITABLE} when the copy cannot be made */
function integrityOf(file: string, driver: Driver): readonly string[] {
  const beginning = join(tmpdir(), 'treadle-check-');
  const folder = writing(beginning, () => mkdtempSync(beginning));
  try {
    const image = join(folder, 'image.db');
    return writing(image, () => {
      makeImage(file, image);
      return faultsIn(image, driver);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What SQLite says of the content; that it cannot read or has no room is about the machine. */
function faultsIn(image: string, driver: Driver): readonly string[] {
  let connection: Connection | undefined;
  try {
    connection = driver.open(image);
    const answers = connection.prepare(`PRAGMA integrity_check(${MOST_FAULTS})`).all().map((row) => String(Object.values(row)[0]));
    return answers.filter((answer) => answer !== 'ok');
  } catch (error) {
    const { kind, reason } = faultOf(error);
    if (kind !== 'corrupt' && kind !== 'statement') throw error;
    return [reason];
  } finally {
    connection?.close();
  }
}

function writing<T>(file: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw treadleError('FILE_NOT_WRITABLE', { file, reason: faultOf(cause).reason }, { cause });
  }
}
