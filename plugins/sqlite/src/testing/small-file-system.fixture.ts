import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freshFolder } from './store.fixture.js';

/** Mounts a file system of a size (`8m`) for the tests of a suite, which are skipped where that needs rights that are not there. Gives its folder. */
export function smallFileSystem(size: string): string {
  const folder = join(freshFolder(), 'small');
  let mounted = false;

  before(function mount() {
    mkdirSync(folder);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' });
      mounted = true;
    } catch {
      // faults.test.ts has the same with a simulated error.
      this.skip();
    }
  });
  after(() => {
    // Lazily: libsql holds a closed file open until its statements have been collected.
    if (mounted) execFileSync('umount', ['-l', folder]);
  });
  return folder;
}

/** Makes room for the next test. */
export function removeStore(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '.lock']) rmSync(file + suffix, { force: true });
}
