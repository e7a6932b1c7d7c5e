import { closeSync, copyFileSync, existsSync, fstatSync, ftruncateSync, openSync, readSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { pageSizeOf } from '../disk/page-check.js';
import type { PageSums } from '../disk/page-sums.js';
import { StoreMark } from '../disk/store-mark.js';
import { isBackupCopy, FRAME_HEADER_BYTES, type Checksum, type LogFrame, type LogHeader, type LogPlace, LOG_HEADER_BYTES, readLogHeader, walkLog } from '@treadle/api/write-ahead-log';

/** A database as it would be with its log moved into it, in a file of its own. */
export interface StoreImage {
  /** Frames of the log that are in it and that the database lacked. */
  readonly frames: number;
  /** Of these frames those that were not sound, and those of a transaction without an end. */
  readonly skippedFrames: number;
}

interface Applied {
  readonly page: number;
  readonly content: Buffer;
}

/** How many frames of a log are in the database, and what its pages were then. */
interface Moved {
  readonly frames: number;
  readonly sums: PageSums | undefined;
}

const NOTHING_MOVED: Moved = { frames: 0, sums: undefined };
/** Where a database's header tells its journal, and the number of its pages. */
const VERSIONS_AT = 18;
const PAGES_AT = 28;
const ROLLBACK = Buffer.of(1, 1);

/**
 * Puts database and log together page by page in a new file `target`, without SQLite, which ends a log where it is damaged. Behind a
 * frame that is not sound the next one is judged by the checksum that is written in it. Of what is in the database already nothing is put over it
 * that is older. Reads the source, changes nothing of it.
 */
export function makeImage(source: string, target: string): StoreImage {
  if (existsSync(source)) copyFileSync(source, target);
  else writeFileSync(target, '', { mode: 0o600 });
  const log = `${source}-wal`;
  // What a database that is gone had can only come from its log.
  const mark = statSync(target).size > 0 ? StoreMark.read(source) : undefined;
  const descriptor = openSync(target, 'r+');
  try {
    const found = existsSync(log) && !isBackupCopy(source) ? applyLog(log, descriptor, mark) : { frames: 0, skippedFrames: 0 };
    completeHeader(descriptor);
    return found;
  } finally {
    closeSync(descriptor);
    mark?.close();
  }
}

function applyLog(log: string, image: number, mark: StoreMark | undefined): StoreImage {
  const descriptor = openSync(log, 'r');
  try {
    const header = readLogHeader(descriptor);
    if (!header) return { frames: 0, skippedFrames: 0 };
    const { position, sums } = mark ?? {};
    const moved = position && header.salt.equals(position.salt) ? { frames: position.moved, sums } : NOTHING_MOVED;
    return applyFrames(descriptor, header, image, moved);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Frames count when the end of their transaction is sound; of a transaction that lacks some, the others do. Of those that were moved only
 * what the database should have is written: it may be damaged itself.
 */
function applyFrames(descriptor: number, header: LogHeader, image: number, moved: Moved): StoreImage {
  const write = (page: number, content: Buffer): void => void writeSync(image, content, 0, content.length, (page - 1) * header.pageSize);
  let open: Applied[] = [];
  let frames = 0;
  walkAround(descriptor, header, ({ number, page, pagesAfter }, content) => {
    if (number <= moved.frames) {
      if (moved.sums?.knows(page) === true && moved.sums.agrees(page, content)) write(page, content);
      return;
    }
    open.push({ page, content: Buffer.from(content) });
    if (pagesAfter === 0) return;
    for (const each of open) write(each.page, each.content);
    ftruncateSync(image, pagesAfter * header.pageSize);
    frames += open.length;
    open = [];
  });
  return { frames, skippedFrames: Math.max(0, framesOf(descriptor, header) - moved.frames) - frames };
}

/** As `walkLog`, but goes on behind frames that are not sound. */
function walkAround(descriptor: number, header: LogHeader, seen: (frame: LogFrame, content: Buffer) => void): void {
  const total = placesOf(descriptor, header);
  for (let place: LogPlace | undefined = { frames: 0, sum: header.sum }; place;) {
    let last = place.frames;
    walkLog(descriptor, header, (frame, content) => {
      last = frame.number;
      seen(frame, content);
    }, { from: place });
    place = nextPlace(descriptor, header, last, total);
  }
}

/** Behind the first frame from `index` on that says it is of this log. */
function nextPlace(descriptor: number, header: LogHeader, index: number, total: number): LogPlace | undefined {
  for (let at = index; at < total; at += 1) {
    const sum = storedSum(descriptor, header, at);
    if (sum) return { frames: at + 1, sum };
  }
  return undefined;
}

/** What a frame says is the checksum up to and with it; undefined when it is of an earlier log. `index`: from 0. */
function storedSum(descriptor: number, header: LogHeader, index: number): Checksum | undefined {
  const bytes = Buffer.alloc(FRAME_HEADER_BYTES);
  readSync(descriptor, bytes, 0, FRAME_HEADER_BYTES, LOG_HEADER_BYTES + index * (FRAME_HEADER_BYTES + header.pageSize));
  return header.salt.compare(bytes, 8, 16) === 0 ? [bytes.readUInt32BE(16), bytes.readUInt32BE(20)] : undefined;
}

/** Frames of this log; what lies behind them is left of an earlier one. */
function framesOf(descriptor: number, header: LogHeader): number {
  const total = placesOf(descriptor, header);
  let count = 0;
  for (let index = 0; index < total; index += 1) if (storedSum(descriptor, header, index)) count = index + 1;
  return count;
}

function placesOf(descriptor: number, { pageSize }: LogHeader): number {
  return Math.floor((fstatSync(descriptor).size - LOG_HEADER_BYTES) / (FRAME_HEADER_BYTES + pageSize));
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
