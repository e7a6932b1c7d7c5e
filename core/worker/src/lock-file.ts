import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** What a build wrote down about itself. */
export interface LockFile {
  /** Name of the application. */
  readonly name?: string | undefined;
  /** Content hash of the build. */
  readonly build?: string | undefined;
}

/** In the order of preference, relative to the application's root. */
const PLACES = ['dist/treadle.lock.json', 'treadle.lock.json'];

/** The lock file of an application; undefined when there is none that can be read. */
export function readLockFile(root: string): LockFile | undefined {
  for (const place of PLACES) {
    const lock = parsed(join(root, place));
    if (lock) return lock;
  }
  return undefined;
}

/** Name of an application: what its lock file says, else its folder's name. */
export function applicationName(root: string, lock = readLockFile(root)): string {
  return lock?.name ?? (basename(root) || 'application');
}

function parsed(file: string): LockFile | undefined {
  try {
    const { name, build } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    return { name: text(name), build: text(build) };
  } catch {
    return undefined; // most applications have none; one that is broken says nothing that could be relied on
  }
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
