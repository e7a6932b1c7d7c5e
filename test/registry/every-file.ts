import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** All files below a folder, absolute, whatever their names. */
export function everyFileBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
