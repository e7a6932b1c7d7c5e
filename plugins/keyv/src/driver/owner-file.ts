import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/** Process whose `<file>.pid` says that it has the file; 0 when that cannot be read, e.g. before the other one has written it. */
export function ownerOf(file: string): number {
  try {
    return Number.parseInt(readFileSync(nameOf(file), 'utf8'), 10) || 0;
  } catch {
    // Not written yet, or not readable for this user: who it is is not known then.
    return 0;
  }
}

/** Says that this process has the file; only whoever holds the lock of the file may. */
export function writeOwner(file: string): void {
  writeFileSync(nameOf(file), `${process.pid}\n`);
}

/** Takes it back, before the lock is given up. */
export function removeOwner(file: string): void {
  rmSync(nameOf(file), { force: true });
}

function nameOf(file: string): string {
  return `${file}.pid`;
}
