import { join } from 'node:path';
import { treadleError } from '@treadle/api';
import { Made } from './made.js';

/**
 * Writes files that are not there yet, with the folders that they need; all of them or none. `folder` is absolute, names are relative.
 * @throws {USAGE} when one of them exists
 * @throws {FILE_NOT_WRITABLE} when writing fails
 */
export async function writeNew(folder: string, contents: Readonly<Record<string, string>>): Promise<void> {
  const made = new Made();
  for (const [name, text] of Object.entries(contents)) {
    try {
      await made.write(join(folder, name), text);
    } catch (error) {
      await made.takeBack();
      throw notWritten(name, error as NodeJS.ErrnoException);
    }
  }
}

/** Why a file that must be new was not written. */
export function notWritten(file: string, error: NodeJS.ErrnoException): Error {
  if (error.code === 'EEXIST') {
    return treadleError('USAGE', { message: `"${file}" exists already`, hint: 'choose another name, or remove the file first' }, { cause: error });
  }
  return treadleError('FILE_NOT_WRITABLE', { file, reason: error.message }, { cause: error });
}
