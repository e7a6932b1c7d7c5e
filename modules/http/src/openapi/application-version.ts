import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Version of the application in its package.json; `0.0.0` when it has none. `root` is absolute. */
export async function applicationVersion(root: string): Promise<string> {
  try {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version?: unknown };
    return typeof version === 'string' && version !== '' ? version : '0.0.0';
  } catch {
    // Python applications have no such file, and one that cannot be read is npm's to complain about.
    return '0.0.0';
  }
}
