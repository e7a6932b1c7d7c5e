import { closeSync, constants, fdatasyncSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { endianness } from 'node:os';
import { BESIDE_STORE } from '@treadle/api';
import type { Durability } from '../store/open-connection.js';
import { PageSums } from './page-sums.js';

/** How far a log was acknowledged, as the engine noted it. */
export interface LogPosition {
  /** Which log: its salt. */
  readonly salt: Buffer;
  /** Frames that were acknowledged. */
  readonly frames: number;
  /** Frames of these whose pages are in the database, synced. */
  readonly moved: number;
  /** Pages of the database after them. */
  readonly pages: number;
  readonly durability: Durability;
  /** The sums are those of the database with all of these frames in it, whoever moves them. */
  readonly foreseen: boolean;
}

const MAGIC = Buffer.from('treadle1');
/** SQLite's index of the log begins with a header of 48 bytes: it is kept as it is. @source sqlite.org/walformat.html, section 2.1 */
const HEADER_AT = MAGIC.length;
const HEADER_BYTES = 48;
const FRAMES_AT = HEADER_AT + 16;
const PAGES_AT = HEADER_AT + 20;
const SALT_AT = HEADER_AT + 32;
const SALT_BYTES = 8;
const MOVED_AT = HEADER_AT + HEADER_BYTES;
const FLAGS_AT = MOVED_AT + 4;
const RELAXED = 1;
const FORESEEN = 2;
const SUM_AT = FLAGS_AT + 4;
const RECORD_BYTES = SUM_AT + 4;
const SUMS_START = 4096;
const BIG = endianness() === 'BE';

/**
 * What the engine knows its files to hold, in `<file>.mark`: how far the log was acknowledged, and the checksums of the pages in the
 * database. SQLite cannot tell a log that lost its end from one that never had it, nor a changed page from another one.
 *
 * A position is written every few milliseconds and not synced: after a power cut an older one may be there, which claims less. It is
 * synced when the log has been moved into the database, before SQLite may write the log from its beginning again.
 */
export class StoreMark {
  /** Nothing was noted before. */
  readonly isNew: boolean;
  private readonly record = Buffer.from(new ArrayBuffer(RECORD_BYTES));
  private readonly words = new Int32Array(this.record.buffer);
  /** Frames of this log that the sums which are in the file know. */
  private foreseenFrames = -1;

  private constructor(private readonly descriptor: number, readonly sums: PageSums, readonly badBlocks: number) {
    readSync(descriptor, this.record, 0, RECORD_BYTES, 0);
    this.isNew = this.position === undefined;
  }

  /** For writing; made when it is missing, for this user alone. */
  static open(file: string, durability: Durability): StoreMark {
    const mark = StoreMark.on(openSync(markOf(file), constants.O_RDWR | constants.O_CREAT, 0o600));
    MAGIC.copy(mark.record);
    // Its place exists from now on: a position can be noted on a full disk.
    if (fstatSync(mark.descriptor).size < SUMS_START) writeSync(mark.descriptor, Buffer.alloc(SUMS_START), 0, SUMS_START, 0);
    mark.record.writeUInt32LE(durability === 'relaxed' ? RELAXED : 0, FLAGS_AT);
    return mark;
  }

  /** As another process, or an earlier engine, left it; undefined without one. */
  static read(file: string): StoreMark | undefined {
    try {
      return StoreMark.on(openSync(markOf(file), 'r'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  private static on(descriptor: number): StoreMark {
    const sums = new PageSums(descriptor, SUMS_START);
    return new StoreMark(descriptor, sums, sums.load(fstatSync(descriptor).size));
  }

  /** What was noted last; undefined when nothing was, or what is there is not sound. */
  get position(): LogPosition | undefined {
    const { record } = this;
    if (!MAGIC.equals(record.subarray(0, MAGIC.length)) || record.readInt32LE(SUM_AT) !== this.sum()) return undefined;
    return {
      salt: Buffer.from(record.subarray(SALT_AT, SALT_AT + SALT_BYTES)), frames: native(record, FRAMES_AT), moved: native(record, MOVED_AT),
      pages: native(record, PAGES_AT), durability: (this.flags & RELAXED) === RELAXED ? 'relaxed' : 'full', foreseen: (this.flags & FORESEEN) === FORESEEN,
    };
  }

  /** Which log they are in: 8 bytes that change with the next position. */
  get salt(): Buffer {
    return this.record.subarray(SALT_AT, SALT_AT + SALT_BYTES);
  }

  /** It was cut: what is left is less than it began with. */
  get isCut(): boolean {
    return fstatSync(this.descriptor).size < SUMS_START;
  }

  /** Frames of the log that were acknowledged. */
  get frames(): number {
    return native(this.record, FRAMES_AT);
  }

  /** Pages of the database after them. */
  get pages(): number {
    return native(this.record, PAGES_AT);
  }

  /** Frames of these that are not known to be in the database. */
  get pending(): number {
    return this.frames - native(this.record, MOVED_AT);
  }

  /** All that was acknowledged can be found in the database, even if SQLite moves the log into it by itself. */
  get isForeseen(): boolean {
    return this.pending <= 0 || (this.flags & FORESEEN) === FORESEEN;
  }

  private get flags(): number {
    return this.record.readUInt32LE(FLAGS_AT);
  }

  /** Takes over what another thread noted last. */
  reload(): void {
    readSync(this.descriptor, this.record, 0, RECORD_BYTES, 0);
  }

  /** Takes over how far the log goes after a commit. `index`: SQLite's `-shm` file. */
  note(index: number): void {
    const { record } = this;
    const [first, second] = [record.readInt32LE(SALT_AT), record.readInt32LE(SALT_AT + 4)];
    readSync(index, record, HEADER_AT, HEADER_BYTES, 0);
    const isOther = record.readInt32LE(SALT_AT) !== first || record.readInt32LE(SALT_AT + 4) !== second;
    if (isOther) {
      record.fill(0, MOVED_AT, MOVED_AT + 4);
      this.foreseenFrames = -1;
    }
    this.write();
  }

  /** Saves the sums, which know all that the log has, before anybody moves it. They are not synced. */
  foresee(): void {
    this.sums.save();
    this.foreseenFrames = this.frames;
    this.write();
  }

  /** What was noted last is there after a power cut, too. */
  sync(): void {
    fdatasyncSync(this.descriptor);
  }

  /** Everything up to the position is in the database: notes that and syncs it, with the sums, which come first: a position that was moved says that they are those of the database. */
  noteMoved(): void {
    const { record } = this;
    this.sums.save();
    record.copy(record, MOVED_AT, FRAMES_AT, FRAMES_AT + 4);
    this.write();
    this.sync();
  }

  /** Once. */
  close(): void {
    closeSync(this.descriptor);
  }

  /** Quicker than crc32 for so few words. */
  private sum(): number {
    let sum = 1;
    for (let at = 0; at < SUM_AT / 4; at += 1) sum = Math.imul(sum ^ (this.words[at] as number), 0x01000193);
    return sum;
  }

  private write(): void {
    const isForeseen = this.foreseenFrames === this.frames;
    this.record.writeUInt32LE(isForeseen ? this.flags | FORESEEN : this.flags & ~FORESEEN, FLAGS_AT);
    this.record.writeInt32LE(this.sum(), SUM_AT);
    writeSync(this.descriptor, this.record, 0, RECORD_BYTES, 0);
  }
}

/** Where the mark of a database is. */
export function markOf(file: string): string {
  return file + BESIDE_STORE.mark;
}

/** Numbers in SQLite's index are in the machine's own order. */
function native(record: Buffer, at: number): number {
  return BIG ? record.readUInt32BE(at) : record.readUInt32LE(at);
}
