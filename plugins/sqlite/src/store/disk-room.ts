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
  return {
    isShort: (pendingBytes) => {
      const { free, size } = sizeOfDisk(file);
      return free < Math.min(MOST_RESERVED, size * PART_RESERVED) + pendingBytes;
    },
  };
}

/** Of the disk that a file is on, in bytes; endless where the file system does not say: then SQLite itself finds it full. */
export function sizeOfDisk(file: string): { readonly free: number; readonly size: number } {
  try {
    const { bavail, bsize, blocks } = statfsSync(dirname(file));
    return { free: bavail * bsize, size: blocks * bsize };
  } catch {
    return { free: Infinity, size: Infinity };
  }
}
