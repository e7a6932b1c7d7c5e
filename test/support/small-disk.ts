import { execFileSync } from 'node:child_process';
import { mkdirSync, statfsSync } from 'node:fs';
import type { Context } from 'mocha';
import { requireOrSkip } from './requirement.js';

/** A folder on a disk of its own, in memory. */
export class SmallDisk {
  private mounted = false;

  /** Makes the folder; skips the test of a user who may not mount. `size` in MB. */
  constructor(test: Context, private readonly folder: string, size: number) {
    mkdirSync(folder, { mode: 0o700 });
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}m,mode=0700`, 'tmpfs', folder], { stdio: 'ignore' });
      this.mounted = true;
    } catch {
      // Only root can be expected to mount: others skip even in CI.
      if (process.getuid?.() === 0) requireOrSkip(test, false, 'needs the right to mount a tmpfs');
      test.skip();
    }
  }

  /** Bytes that are left. */
  get free(): number {
    const { bavail, bsize } = statfsSync(this.folder);
    return bavail * bsize;
  }

  unmount(): void {
    if (this.mounted) execFileSync('umount', ['-l', this.folder]);
  }
}
