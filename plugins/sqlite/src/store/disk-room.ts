import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';

const MB = 1024 * 1024;
/** What is kept free for writes that free space, at most, and as a part of the disk. */
const MOST_RESERVED = 64 * MB;
const PART_RESERVED = 0.05;

/** Tells whether a disk has room for more than writes that free space. */
export interface DiskRoom {
  /** `pendingBytes`: in the log, still to be moved into the file. */
  isShort(pendingBytes: number): boolean;
}

/** Room on the disk of a file; a database in memory, or a file system that does not say, is never short. */
export function diskRoom(file: string): DiskRoom {
  if (file === ':memory:') return { isShort: () => false };
  const folder = dirname(file);
  return {
    isShort: (pendingBytes) => {
      try {
        const { bavail, bsize, blocks } = statfsSync(folder);
        return bavail * bsize < Math.min(MOST_RESERVED, blocks * bsize * PART_RESERVED) + pendingBytes;
      } catch {
        // Then SQLite itself finds the disk full.
        return false;
      }
    },
  };
}
