import { closeSync, copyFileSync, existsSync, fstatSync, ftruncateSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { isBackupCopy } from '../disk/backup-copy.js';
import { pageSizeOf } from '../disk/page-check.js';
import { FRAME_HEADER_BYTES, type Checksum, type LogHeader, LOG_HEADER_BYTES, readLogHeader, walkLog } from '@treadle/api/write-ahead-log';

/** A database as it would be with its log moved into it, in a file of its own. */
export interface StoreImage {
  /** Frames of the log that are in it. */
  readonly frames: number;
  /** Frames that were not sound, and those of a transaction without an end. */
  readonly skippedFrames: number;
}

interface Applied {
  readonly frame: number;
  readonly page: number;
  readonly content: Buffer;
}

/** Where a database's header tells its journal, and the number of its pages. */
const VERSIONS_AT = 18;
const PAGES_AT = 28;
const ROLLBACK = Buffer.of(1, 1);

/**
 * Puts database and log together page by page in a new file `target`, without SQLite, which ends a log where it is damaged. Behind a
 * frame that is not sound the next one is judged by the checksum that is written in it. Reads the source, changes nothing of it.
 */
export function makeImage(source: string, target: string): StoreImage {
  if (existsSync(source)) copyFileSync(source, target);
  else writeFileSync(target, '', { mode: 0o600 });
  const log = `${source}-wal`;
  const descriptor = openSync(target, 'r+');
  try {
    const found = existsSync(log) && !isBackupCopy(source) ? applyLog(log, descriptor) : { frames: 0, skippedFrames: 0 };
    completeHeader(descriptor);
    return found;
  } finally {
    closeSync(descriptor);
  }
}

function applyLog(log: string, image: number): StoreImage {
  const descriptor = openSync(log, 'r');
  try {
    const header = readLogHeader(descriptor) ?? undefined;
    return header ? applyFrames(descriptor, header, image) : { frames: 0, skippedFrames: 0 };
  } finally {
    closeSync(descriptor);
  }
}

/** Frames count when the end of their transaction is sound; of a transaction that lacks some, the others do. */
function applyFrames(descriptor: number, header: LogHeader, image: number): StoreImage {
  const total = Math.floor((fstatSync(descriptor).size - LOG_HEADER_BYTES) / (FRAME_HEADER_BYTES + header.pageSize));
  let open: Applied[] = [];
  let [frames, done, sum]: [number, number, Checksum] = [0, 0, header.sum];
  while (done < total) {
    let last = done;
    walkLog(descriptor, header, ({ number, page, pagesAfter }, content) => {
      last = number;
      open.push({ frame: number, page, content: Buffer.from(content) });
      if (pagesAfter === 0) return;
      for (const { page: at, content: bytes } of open) writeSync(image, bytes, 0, bytes.length, (at - 1) * header.pageSize);
      ftruncateSync(image, pagesAfter * header.pageSize);
      frames += open.length;
      open = [];
    }, { from: { frames: done, sum } });
    const next = last < total ? storedSum(descriptor, header, last) : undefined;
    if (!next) return { frames, skippedFrames: framesOf(descriptor, header, total) - frames };
    [done, sum] = [last + 1, next];
  }
  return { frames, skippedFrames: framesOf(descriptor, header, total) - frames };
}

/** What a frame says is the checksum up to and with it; undefined when it is of an earlier log. `index`: from 0. */
function storedSum(descriptor: number, header: LogHeader, index: number): Checksum | undefined {
  const bytes = Buffer.alloc(FRAME_HEADER_BYTES);
  readSync(descriptor, bytes, 0, FRAME_HEADER_BYTES, LOG_HEADER_BYTES + index * (FRAME_HEADER_BYTES + header.pageSize));
  return header.salt.compare(bytes, 8, 16) === 0 ? [bytes.readUInt32BE(16), bytes.readUInt32BE(20)] : undefined;
}

/** Frames of this log; what lies behind them is left of an earlier one. */
function framesOf(descriptor: number, header: LogHeader, total: number): number {
  let count = 0;
  for (let index = 0; index < total; index += 1) if (storedSum(descriptor, header, index)) count = index + 1;
  return count;
}

/** The image has no log, and as many pages as it has. */
function completeHeader(image: number): void {
  const pageSize = pageSizeOf(image);
  if (pageSize === 0) return;
  writeSync(image, ROLLBACK, 0, ROLLBACK.length, VERSIONS_AT);
  const pages = Buffer.alloc(4);
  pages.writeUInt32BE(Math.floor(fstatSync(image).size / pageSize));
  writeSync(image, pages, 0, pages.length, PAGES_AT);
}
