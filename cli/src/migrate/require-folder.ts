import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { treadleError } from '@treadle/api';

const SIGNS = ['package.json', 'steps', 'src', 'config.yaml', 'pyproject.toml', 'requirements.txt'];

/**
 * `named` is how the user wrote the folder.
 * @throws {USAGE} for a folder that is not there, or holds no application
 */
export function requireFolder(folder: string, named: string): void {
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder && SIGNS.some((name) => existsSync(join(folder, name)))) return;
  const message = isFolder ? `there is no application in ${folder}: no package.json, no steps and no src` : `there is no folder ${named}`;
  throw treadleError('USAGE', { message, hint: 'name the folder of the application: treadle migrate <folder>' });
}
