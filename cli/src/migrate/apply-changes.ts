import { spawnSync } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { treadleError } from '@treadle/api';
import type { FileChange } from './migration.js';

/**
 * Refuses a folder whose changes could not be taken back.
 * @throws {USAGE} when git knows of changes that are not committed, or does not keep the folder
 */
export function requireCommitted(folder: string): void {
  const { error, status, stdout } = spawnSync('git', ['status', '--porcelain', '--', '.'], { cwd: folder, encoding: 'utf8' });
  const hint = 'commit first, so that the changes can be looked at and taken back, or say --force';
  if (error || status !== 0) throw treadleError('USAGE', { message: `${folder} is not kept by git`, hint });
  const [first] = stdout.split('\n').filter((line) => line !== '');
  if (first !== undefined) throw treadleError('USAGE', { message: `${folder} has changes that are not committed, such as ${first.slice(3)}`, hint });
}

/** @throws {FILE_NOT_WRITABLE} for the first file that cannot be written; those before it are. */
export function applyChanges(folder: string, changes: readonly FileChange[]): void {
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
