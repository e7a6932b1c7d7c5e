import { lstat } from 'node:fs/promises';
import { treadleError } from '@treadle/api';

/**
 * A new project lies where its name says, not where a link of that name leads.
 * @throws {USAGE} when `path` is a symbolic link, whether or not it leads anywhere
 */
export async function requireNoLink(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isSymbolicLink()) return;
  throw treadleError('USAGE', { message: `"${path}" is a symbolic link`, hint: 'choose another name' });
}
