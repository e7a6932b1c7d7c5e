import { closeSync, existsSync, fsyncSync, linkSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
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

/** What is copied. */
interface BackupSource {
  readonly driver: Driver;
  readonly file: string;
  readonly reads: Connection;
}

const EXISTS = 'it exists already';

/** Targets of the backups of this process that are under way. */
const WRITTEN = new Set<string>();

/**
 * Copies a database to a new file and makes the copy durable. A file is copied in a thread, so that neither the event
 * loop nor the writer waits; a database in memory is copied in one go.
 * @throws {FILE_NOT_WRITABLE} when the target exists, another backup is writing it, or it cannot be written
 */
export async function backupStore(source: BackupSource, to: string): Promise<void> {
  const target = resolve(to);
  try {
    if (WRITTEN.has(target)) throw new Error('another backup is being written to it; wait for that, or choose another file');
    if (existsSync(target)) throw new Error(EXISTS);
    WRITTEN.add(target);
    await copyTogether(source, target).finally(() => WRITTEN.delete(target));
  } catch (cause) {
    throw treadleError('FILE_NOT_WRITABLE', { file: target, reason: (cause as Error).message }, { cause });
  }
}

/** Under another name, by which other processes know whose it is, until it is whole. */
async function copyTogether(source: BackupSource, target: string): Promise<void> {
  removeLeftOver(target);
  const partial = `${target}.${process.pid}.partial`;
  try {
    // The data directory is closed to others; its copy has to be as well, wherever it is put.
    writeFileSync(partial, '', { mode: 0o600, flag: 'wx' });
    if (source.file === ':memory:') copyTo(source, partial);
    else await copyInThread({ driver: source.driver.name, file: source.file, target: partial });
    // VACUUM INTO does not sync what it writes.
    sync(partial);
    giveName(partial, target);
  } finally {
    rmSync(partial, { force: true });
  }
  sync(dirname(target));
}

/** Never in the place of another file. */
function giveName(partial: string, target: string): void {
  try {
    linkSync(partial, target);
  } catch (error) {
    // Not every file system has a second name for a file.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' || existsSync(target)) throw new Error(EXISTS, { cause: error });
    renameSync(partial, target);
  }
}

/** What backups to this target left there when their processes were killed; those of this process are known. */
function removeLeftOver(target: string): void {
  const [folder, begin] = [dirname(target), `${basename(target)}.`];
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(begin) || !name.endsWith('.partial')) continue;
    const pid = name.slice(begin.length, -'.partial'.length);
    if (/^\d+$/.test(pid) && (Number(pid) === process.pid || !isAlive(Number(pid)))) rmSync(join(folder, name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
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
