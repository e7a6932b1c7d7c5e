import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';

/** What a log says of itself before its first frame. @source sqlite.org/fileformat2.html#walformat */
export interface LogHeader {
  readonly pageSize: number;
  /** Tells the frames of this log from those that an earlier one left in the same file: the 8 bytes as they are there. */
  readonly salt: Buffer;
  readonly sum: Checksum;
  /** Its checksums are counted in the other order of bytes than this machine's. */
  readonly foreign: boolean;
}

/** The running checksum of a log: two 32-bit numbers. */
export type Checksum = readonly [number, number];

/** A frame whose checksum is right. */
export interface LogFrame {
  /** From 1. */
  readonly number: number;
  /** Of the database, from 1. */
  readonly page: number;
  /** Pages of the database after this frame when it ends a transaction, else 0. */
  readonly pagesAfter: number;
  readonly sum: Checksum;
}

/** Where a log ends: behind the last transaction that is whole; all 0 when none was read. */
export interface LogEnd {
  readonly frames: number;
  /** Of the database then. */
  readonly pages: number;
}

/** Where to go on in a log that was read before. */
export interface LogPlace {
  readonly frames: number;
  readonly sum: Checksum;
}

/** Which frames to read; default: all. */
export interface LogPart {
  readonly from?: LogPlace | undefined;
  readonly to?: number;
}

export const LOG_HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;
const SALT_AT = 16;
const CHUNK_FRAMES = 256;
const DATABASE_MAGIC = 'SQLite format 3\0';
/** Where a database's header tells its journal, for writing and for reading: 1 for a rollback journal, 2 for a write-ahead log. */
const VERSIONS_AT = 18;
const ROLLBACK = 1;
const NATIVE_BIG = endianness() === 'BE';

/** The header of a log; undefined when there is none or it is not sound. */
export function readLogHeader(descriptor: number): LogHeader | undefined {
  const bytes = Buffer.alloc(LOG_HEADER_BYTES);
  if (readSync(descriptor, bytes, 0, LOG_HEADER_BYTES, 0) < LOG_HEADER_BYTES) return undefined;
  const magic = bytes.readUInt32BE(0);
  if ((magic & ~1) !== MAGIC) return undefined;
  const foreign = (magic === MAGIC + 1) !== NATIVE_BIG;
  const sum = checksum(words(bytes, 0, SALT_AT + 8, foreign), 0, 6, [0, 0]);
  if (sum[0] !== bytes.readUInt32BE(24) || sum[1] !== bytes.readUInt32BE(28)) return undefined;
  return { pageSize: bytes.readUInt32BE(8), salt: Buffer.from(bytes.subarray(SALT_AT, SALT_AT + 8)), sum, foreign };
}

/**
 * True for a copy that `backup` or `salvage` made and that nobody has opened since: it says that it has no write-ahead log, and a store's own
 * file says from its first moment on that it has one. Closes a descriptor of the file, and with that ends the locks that this process has on it.
 */
export function isBackupCopy(file: string): boolean {
  if (!existsSync(file)) return false;
  const descriptor = openSync(file, 'r');
  try {
    return isBackupContent(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** As `isBackupCopy`, of a file that is open. */
export function isBackupContent(descriptor: number): boolean {
  const header = Buffer.alloc(VERSIONS_AT + 2);
  readSync(descriptor, header, 0, header.length, 0);
  return header.toString('latin1', 0, DATABASE_MAGIC.length) === DATABASE_MAGIC && header[VERSIONS_AT] === ROLLBACK && header[VERSIONS_AT + 1] === ROLLBACK;
}

/**
 * Goes through the frames of a log in their order, as SQLite does when it recovers one: until a frame is of another log, torn or
 * damaged, or frame `to` is done. `seen` gets each sound frame with the content of its page, which is overwritten afterwards.
 */
export function walkLog(
  descriptor: number, header: LogHeader, seen: (frame: LogFrame, content: Buffer) => void, { from, to = Infinity }: LogPart = {},
): LogEnd {
  const frameBytes = FRAME_HEADER_BYTES + header.pageSize;
  const chunk = Buffer.from(new ArrayBuffer(frameBytes * CHUNK_FRAMES));
  let end: LogEnd = { frames: 0, pages: 0 };
  let { frames: done, sum } = from ?? { frames: 0, sum: header.sum };
  while (done < to) {
    const read = readSync(descriptor, chunk, 0, chunk.length, LOG_HEADER_BYTES + done * frameBytes);
    const whole = Math.min(Math.floor(read / frameBytes), to - done);
    for (let at = 0; at < whole; at += 1) {
      const frame = soundFrame(chunk.subarray(at * frameBytes, (at + 1) * frameBytes), header, done + at + 1, sum);
      if (!frame) return end;
      sum = frame.sum;
      seen(frame, chunk.subarray(at * frameBytes + FRAME_HEADER_BYTES, (at + 1) * frameBytes));
      if (frame.pagesAfter > 0) end = { frames: frame.number, pages: frame.pagesAfter };
    }
    if (whole < CHUNK_FRAMES) return end;
    done += whole;
  }
  return end;
}

/** Reads single frames of a log, all into the same memory: a log that is moved has thousands. */
export class FrameReader {
  private readonly bytes: Buffer;

  constructor(private readonly descriptor: number, private readonly header: LogHeader) {
    this.bytes = Buffer.from(new ArrayBuffer(2 * (FRAME_HEADER_BYTES + header.pageSize)));
  }

  /**
   * Content of the page of one frame, until the next one is read; judged by the checksum that the frame before it has. Undefined when it is not
   * sound or of another page.
   */
  read(number: number, page: number): Buffer | undefined {
    const { bytes, header } = this;
    const frameBytes = bytes.length / 2;
    const before = number === 1 ? 0 : frameBytes;
    readSync(this.descriptor, bytes, 0, before + frameBytes, LOG_HEADER_BYTES + (number - 1) * frameBytes - before);
    const sum = before === 0 ? header.sum : [bytes.readUInt32BE(16), bytes.readUInt32BE(20)] as const;
    const frame = soundFrame(bytes.subarray(before, before + frameBytes), header, number, sum);
    return frame?.page === page ? bytes.subarray(before + FRAME_HEADER_BYTES, before + frameBytes) : undefined;
  }
}

/** Which log a frame says that it is of: 8 bytes. */
export function saltOfFrame(descriptor: number, number: number, pageSize: number): Buffer {
  const salt = Buffer.alloc(8);
  readSync(descriptor, salt, 0, 8, LOG_HEADER_BYTES + (number - 1) * (FRAME_HEADER_BYTES + pageSize) + 8);
  return salt;
}

function soundFrame(bytes: Buffer, { salt, foreign }: LogHeader, number: number, before: Checksum): LogFrame | undefined {
  if (salt.compare(bytes, 8, 16) !== 0) return undefined;
  const all = words(bytes, 0, bytes.length, foreign);
  const sum = checksum(all, FRAME_HEADER_BYTES / 4, all.length, checksum(all, 0, 2, before));
  if (sum[0] !== bytes.readUInt32BE(16) || sum[1] !== bytes.readUInt32BE(20)) return undefined;
  const page = bytes.readUInt32BE(0);
  return page === 0 ? undefined : { number, page, pagesAfter: bytes.readUInt32BE(4), sum };
}

/** `bytes` begin at a multiple of 4 in their memory. */
function words(bytes: Buffer, from: number, to: number, foreign: boolean): Uint32Array {
  if (!foreign) return new Uint32Array(bytes.buffer, bytes.byteOffset + from, (to - from) / 4);
  const turned = Buffer.from(new ArrayBuffer(to - from));
  bytes.copy(turned, 0, from, to);
  turned.swap32();
  return new Uint32Array(turned.buffer);
}

/** Of words `from` to `to`, going on from another one. @source sqlite.org/fileformat2.html#walcksm */
export function checksum(list: Uint32Array, from: number, to: number, [first, second]: Checksum): Checksum {
  let one = first | 0;
  let two = second | 0;
  for (let at = from; at < to; at += 2) {
    one = (one + (list[at] as number) + two) | 0;
    two = (two + (list[at + 1] as number) + one) | 0;
  }
  return [one >>> 0, two >>> 0];
}
