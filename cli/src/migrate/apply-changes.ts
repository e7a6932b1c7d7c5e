import { spawnSync } from 'node:child_process';
import { lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { treadleError } from '@treadle/api';
import type { FileChange } from './migration.js';

const HINT = 'commit first, so that the changes can be looked at and taken back, or say --force';

/**
 * Refuses a folder whose changes could not be taken back.
 * @throws {USAGE} when git knows of changes that are not committed, or does not keep the folder
 */
export function requireCommitted(folder: string): void {
  const [first] = git(folder, ['status', '--porcelain', '-z', '--untracked-files=normal', '--', '.']);
  if (first !== undefined) throw treadleError('USAGE', { message: `${folder} has changes that are not committed, such as ${first.slice(3)}`, hint: HINT });
}

/**
 * Refuses changes of files that git does not look after: those that it ignores, and those whose changes it was told not to see.
 * @throws {USAGE} that names the first one
 */
export function requireKept(folder: string, changes: readonly FileChange[]): void {
  if (changes.length === 0) return;
  const kept = new Set(git(folder, ['ls-files', '-v', '-z']).filter((line) => line.startsWith('H ')).map((line) => line.slice(2)));
  const lost = changes.find(({ file }) => !kept.has(file));
  if (lost) throw treadleError('USAGE', { message: `git does not keep ${lost.file}, which would be changed`, hint: HINT });
}

/** What git answers about a folder, by entry. */
function git(folder: string, args: readonly string[]): readonly string[] {
  const { error, status, stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8', maxBuffer: Infinity });
  if (error || status !== 0) throw treadleError('USAGE', { message: `${folder} is not kept by git`, hint: HINT });
  return stdout.split('\0').filter((entry) => entry !== '');
}

/**
 * @throws {USAGE} before anything is written, where a new name is taken
 * @throws {FILE_NOT_WRITABLE} for the first file that cannot be written; those before it are
 */
export function applyChanges(folder: string, changes: readonly FileChange[]): void {
  for (const { file, renamed } of changes) {
    if (renamed === undefined || !lstatSync(join(folder, renamed), { throwIfNoEntry: false })) continue;
    throw treadleError('USAGE', { message: `${file} would be called ${renamed}, and that is there`, hint: 'remove or rename one of them' });
  }
  for (const { file, renamed, after } of changes) {
    try {
      if (after === undefined) rmSync(join(folder, file));
      else writeFileSync(join(folder, file), after);
      if (renamed !== undefined) renameSync(join(folder, file), join(folder, renamed));
    } catch (error) {
      throw treadleError('FILE_NOT_WRITABLE', { file, reason: (error as Error).message }, { cause: error });
    }
  }
}
