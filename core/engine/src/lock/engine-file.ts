import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENGINE_FILE, type EngineRecord, formatEngineRecord, parseEngineRecord, readEngineFile } from '@treadle/protocol/engine-record';

/** A record as found on disk. A file that cannot be understood counts as left behind: it has an id, but no lock. */
export interface FoundRecord {
  readonly id: string;
  readonly pid: number;
  readonly lock?: string;
}

/** Reads a record; undefined when there is none. @throws an `ErrnoException` when it cannot be read */
export function readRecord(file: string): FoundRecord | undefined {
  const text = readEngineFile(file);
  if (text === undefined) return undefined;
  return parseEngineRecord(text) ?? { id: createHash('sha256').update(text).digest('hex').slice(0, 16), pid: 0 };
}

/** Creates the file with its whole content in one step. False when it is there already. */
export function createRecord(folder: string, name: string, record: EngineRecord): boolean {
  return viaTemporary(folder, record, (temporary) => {
    try {
      linkSync(temporary, join(folder, name));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  });
}

/** Replaces the file's whole content in one step. */
export function replaceRecord(folder: string, name: string, record: EngineRecord): void {
  viaTemporary(folder, record, (temporary) => renameSync(temporary, join(folder, name)));
}

function viaTemporary<T>(folder: string, record: EngineRecord, use: (temporary: string) => T): T {
  const temporary = join(folder, `.${ENGINE_FILE}.${randomBytes(8).toString('hex')}`);
  try {
    writeFileSync(temporary, formatEngineRecord(record), { mode: 0o600, flag: 'wx' });
    chmodSync(temporary, 0o600);
    return use(temporary);
  } finally {
    rmSync(temporary, { force: true });
  }
}
