import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { treadleError } from '@treadle/api';
import { DIST_FOLDER, LOCK_FILE_NAME } from '@treadle/protocol/build-lock';
import { contentHash } from '@treadle/worker';

/** What one build writes. */
export interface BuildOutput {
  /** Content by path relative to the build. */
  readonly files: ReadonlyMap<string, string | Buffer>;
  /** Text of the lock file. */
  readonly lock: string;
}

const STAGING = '.treadle-build-';

/**
 * Writes a build into `dist` of the application at `root`, and its lock file into both. Everything is written aside first
 * and then renamed into place, the lock file last: whoever reads meanwhile sees whole files. Files of the build before that
 * are no more are removed unless somebody has changed them; what no build has written stays.
 * @throws {FILE_NOT_WRITABLE}
 */
export async function writeBuild(root: string, { files, lock }: BuildOutput): Promise<void> {
  const dist = join(root, DIST_FOLDER);
  const staging = join(dist, `${STAGING}${process.pid}`);
  try {
    await mkdir(dist, { recursive: true });
    await removeAbandoned(dist);
    const before = await filesOfLock(dist);
    await write(staging, [...files, [LOCK_FILE_NAME, lock]]);
    for (const file of files.keys()) await moveInto(staging, dist, file);
    await moveInto(staging, dist, LOCK_FILE_NAME);
    await removeOld(dist, before, files);
    await replaceFile(join(root, LOCK_FILE_NAME), lock);
  } catch (error) {
    const { path = dist, message } = error as NodeJS.ErrnoException;
    throw treadleError('FILE_NOT_WRITABLE', { file: path, reason: message }, { cause: error });
  } finally {
    // What cannot be removed is removed by the next build; what went wrong before is what counts.
    await rm(staging, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function write(folder: string, files: readonly (readonly [string, string | Buffer])[]): Promise<void> {
  for (const [file, content] of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), content);
  }
}

async function moveInto(from: string, to: string, file: string): Promise<void> {
  await mkdir(dirname(join(to, file)), { recursive: true });
  await rename(join(from, file), join(to, file));
}

async function replaceFile(file: string, text: string): Promise<void> {
  const fresh = `${file}.${process.pid}`;
  try {
    await writeFile(fresh, text);
    await rename(fresh, file);
  } finally {
    await rm(fresh, { force: true });
  }
}

/** Hashes of the files that the build before wrote, by path. */
async function filesOfLock(dist: string): Promise<Readonly<Record<string, string>>> {
  try {
    const { files } = JSON.parse(await readFile(join(dist, LOCK_FILE_NAME), 'utf8')) as { files?: Readonly<Record<string, string>> };
    return files ?? {};
  } catch {
    return {}; // no build before, or one that cannot be told from what is not ours
  }
}

async function removeOld(dist: string, before: Readonly<Record<string, string>>, files: BuildOutput['files']): Promise<void> {
  for (const [file, hash] of Object.entries(before)) {
    if (files.has(file) || file.split('/').includes('..')) continue;
    // One that is gone, or cannot be read, is not ours to remove.
    const content = await readFile(join(dist, file)).catch(() => undefined);
    if (content === undefined || contentHash(content) !== hash) continue;
    await rm(join(dist, file), { force: true });
    await removeEmpty(dist, dirname(file));
  }
}

async function removeEmpty(dist: string, folder: string): Promise<void> {
  if (folder === '.') return;
  try {
    await rmdir(join(dist, folder));
  } catch {
    return; // something is left in it
  }
  await removeEmpty(dist, dirname(folder));
}

/** What a build that was killed has left. */
async function removeAbandoned(dist: string): Promise<void> {
  const names = (await readdir(dist)).filter((name) => name.startsWith(STAGING) && !isAlive(Number(name.slice(STAGING.length))));
  for (const name of names) await rm(join(dist, name), { recursive: true, force: true });
}

function isAlive(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
