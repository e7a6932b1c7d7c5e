import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Name of the file in the data directory that says which engine runs on it. */
export const ENGINE_FILE = 'engine.json';

/** What `<data_dir>/engine.json` says of the engine. */
export interface EngineDescription {
  readonly pid: number;
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  /** Of the engine. */
  readonly version: string;
  readonly application: string;
  /** Name → address, e.g. `http` → `http://127.0.0.1:3111`; empty until the engine is ready. */
  readonly addresses: Readonly<Record<string, string>>;
}

/** The whole file. */
export interface EngineRecord extends EngineDescription {
  /** Unique per start of an engine. */
  readonly id: string;
  /**
   * Lock socket: relative to the data directory, so that the directory may be mounted or copied elsewhere; absolute
   * when it lies in the temp folder; `tcp:<port>` on Windows.
   */
  readonly lock: string;
}

/** A record as found on disk. A file that cannot be understood counts as left behind: it has an id, but no lock. */
export interface FoundRecord {
  readonly id: string;
  readonly pid: number;
  readonly lock?: string;
}

/** Reads a record; undefined when there is none. @throws an `ErrnoException` when it cannot be read */
export function readRecord(file: string): FoundRecord | undefined {
  const text = readIfThere(file);
  if (text === undefined) return undefined;
  const record = parseRecord(text);
  const { id, lock, pid } = record;
  if (typeof id !== 'string' || !/^[0-9a-f]{16}$/.test(id) || typeof lock !== 'string') {
    return { id: createHash('sha256').update(text).digest('hex').slice(0, 16), pid: 0 };
  }
  return { id, lock, pid: typeof pid === 'number' ? pid : 0 };
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
    writeFileSync(temporary, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    chmodSync(temporary, 0o600);
    return use(temporary);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    // The system names no file when it is a folder that is read.
    if (path === undefined) (error as Error).message += `: '${file}'`;
    throw error;
  }
}

function parseRecord(text: string): Partial<EngineRecord> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {}; // Written by something else or torn by a crash of the machine: same as left behind.
  }
}
