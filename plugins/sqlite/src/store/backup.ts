import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { treadleError } from '@treadle/api';
import type { Connection, Driver, DriverName } from '../driver/driver.js';
import { AREAS } from './areas.js';

/** What the copying thread is started with. */
export interface BackupData {
  readonly driver: DriverName;
  readonly file: string;
  readonly target: string;
}

/**
 * Copies a database to a new file and makes the copy durable. A file is copied in a thread, so that neither the event
 * loop nor the writer waits; a database in memory is copied in one go.
 * @throws {FILE_NOT_WRITABLE} when the target exists or cannot be written
 */
export async function backupStore(
  source: { readonly driver: Driver; readonly file: string; readonly reads: Connection }, target: string,
): Promise<void> {
  const partial = `${target}.partial`;
  try {
    if (existsSync(target)) throw new Error('it exists already');
    rmSync(partial, { force: true });
    // The data directory is closed to others; its copy has to be as well, wherever it is put.
    writeFileSync(partial, '', { mode: 0o600 });
    if (source.file === ':memory:') copyTo(source, partial);
    else await copyInThread({ driver: source.driver.name, file: source.file, target: partial });
    // VACUUM INTO does not sync what it writes.
    sync(partial);
    renameSync(partial, target);
    sync(dirname(target));
  } catch (cause) {
    rmSync(partial, { force: true });
    throw treadleError('FILE_NOT_WRITABLE', { file: target, reason: (cause as Error).message }, { cause });
  }
}

/** Writes a compact copy of what is committed to a file that does not exist, or is empty. */
export function copyTo({ driver, reads }: { readonly driver: Driver; readonly reads: Connection }, target: string): void {
  reads.prepare('VACUUM INTO ?').run(target);
  const copy = driver.open(target);
  try {
    for (const { onCopy } of AREAS) if (onCopy !== undefined) copy.exec(onCopy);
  } finally {
    copy.close();
  }
}

async function copyInThread(data: BackupData): Promise<void> {
  const program = createRequire(import.meta.url).resolve('#backup-thread');
  const thread = new Worker(program, { workerData: data, execArgv: [], name: 'treadle-sqlite-backup' });
  const problem = await new Promise<string>((resolve, reject) => {
    let said: string | undefined;
    thread.once('message', (text: string) => { said = text; });
    thread.once('error', reject);
    thread.once('exit', (code) => (said === undefined ? reject(new Error(`the thread of the backup ended with code ${code}`)) : resolve(said)));
  });
  if (problem) throw new Error(problem);
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
