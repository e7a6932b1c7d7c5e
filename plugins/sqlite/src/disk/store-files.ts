import { fdatasyncSync, fstatSync, statSync, type Stats } from 'node:fs';
import type { Connection } from '../driver/driver.js';
import { faultIn, type StorageFault } from '../driver/storage-fault.js';
import { sizeOfDisk } from '../store/disk-room.js';
import type { Durability } from '../store/open-connection.js';
import { lastFrames } from './log-index.js';
import { leaveFile, type OwnFile, takeFile } from './own-file.js';
import { checkPages, pageSizeOf } from './page-check.js';
import { markOf, StoreMark } from './store-mark.js';
import { FRAME_HEADER_BYTES, FrameReader, LOG_HEADER_BYTES, readLogHeader, saltOfFrame } from '@treadle/api/write-ahead-log';

/** Pages that are compared with their sums per call: a few milliseconds. */
const CHECKED_AT_ONCE = 256;
/** Milliseconds between two looks at the files while groups are committed. */
const LOOK_EVERY = 100;
/** Bytes that moving the log leaves free beside the pages themselves: for the mark, and the engine's small files. */
const KEPT_FREE = 256 * 1024;
/** Milliseconds between two positions that are noted. */
const NOTE_EVERY = 10;

/** The files of a store that SQLite has locks on, as the thread that opened the store has them. */
export interface LockedFiles {
  readonly database: OwnFile;
  readonly index: OwnFile;
}

/**
 * The files of an open store as its one writer sees them: notes what is acknowledged, moves the log into the database, and notices
 * when somebody else removes, replaces or changes them. A file that cannot be read or written is returned as a fault, never thrown. Opened after,
 * and closed after, the connection that writes.
 */
export class StoreFiles {
  private readonly files: readonly [database: OwnFile, log: OwnFile, index: OwnFile, mark: OwnFile];
  private readonly pageSize: number;
  /** Nothing but `move` writes the database; undefined while it has pages that the sums do not know yet. */
  private settled: Stats | undefined;
  private nextPage = 1;
  /** Up to where the sums have what the log holds. */
  private read: { readonly frames: number; readonly salt: Buffer } = { frames: 0, salt: Buffer.alloc(0) };
  private lookedAt = 0;
  /** The last frame that was there at a look. */
  private seen: { readonly frames: number; readonly salt: Buffer } = { frames: 0, salt: Buffer.alloc(0) };
  private notedAt = 0;
  private isHeld = false;

  private constructor(private readonly file: string, private readonly durability: Durability, private readonly mark: StoreMark, given?: LockedFiles) {
    this.files = [given?.database ?? takeFile(file), takeFile(`${file}-wal`, 'r+'), given?.index ?? takeFile(`${file}-shm`), takeFile(markOf(file))];
    this.pageSize = pageSizeOf(this.files[0].descriptor);
    if (!mark.isNew && mark.pending === 0) this.settle();
  }

  /** `given`: of whoever opened the store, who outlives this one. */
  static open(file: string, durability: Durability, given?: LockedFiles): StoreFiles {
    return new StoreFiles(file, durability, StoreMark.open(file, durability), given);
  }

  /** What a thread that writes is to read them with. */
  get locked(): LockedFiles {
    const [database, , index] = this.files;
    return { database, index };
  }

  /** Frames of the log that are not in the database. */
  get pending(): number {
    return this.mark.pending;
  }

  /** Pages that `move` would write: the log may have the same one in many frames. */
  get pendingPages(): number {
    const { frames, pending } = this.mark;
    return pending <= 0 ? 0 : lastFrames(this.files[2].descriptor, frames - pending, frames).size;
  }

  /** Bytes of the log that are not in the database. */
  get pendingBytes(): number {
    return this.mark.pending * (FRAME_HEADER_BYTES + this.pageSize);
  }

  /**
   * A commit went through: it may be acknowledged afterwards. The index of the log has its position and outlives the process, so the mark follows some
   * milliseconds later; but the first commit after a move is noted at once, so that a log that is gone together with its index is missed.
   */
  noteCommit(): StorageFault | undefined {
    const now = performance.now();
    if (this.mark.pending > 0 && now - this.notedAt < NOTE_EVERY) return undefined;
    this.notedAt = now;
    return this.note();
  }

  /** Takes over how far the log goes; `pending` is some milliseconds old otherwise. */
  note(): StorageFault | undefined {
    return faultIn(() => {
      this.mark.note(this.files[2].descriptor);
      if (!this.mark.sums.covers(this.mark.pages)) this.mark.sums.reserve(Math.min(this.mark.pages, this.mostPages));
      return undefined;
    });
  }

  /** As `look`, but only now and then. Before a commit. */
  glance(): StorageFault | undefined {
    const now = performance.now();
    return now - this.lookedAt < LOOK_EVERY ? undefined : this.look();
  }

  /** What somebody else did to the files. */
  look(): StorageFault | undefined {
    this.lookedAt = performance.now();
    return faultIn(() => {
      const lost = this.files.map(whatBecameOf).find((text) => text !== undefined) ?? this.whatLogLacks() ?? this.whatMarkLacks();
      if (lost !== undefined) return { kind: 'io', reason: lost };
      const [database] = this.files;
      if (!this.settled || isSame(fstatSync(database.descriptor), this.settled)) return undefined;
      return this.compare(1, this.pages) ?? this.settle();
    });
  }

  /** From now on, until `release`, `move` leaves the log alone: another writer takes over, who knows of the pages that were moved before it began. */
  hold(): void {
    this.isHeld = true;
  }

  release(): void {
    this.isHeld = false;
  }

  /**
   * Moves the log into the database. SQLite's own automatic checkpoint keeps its errors to itself, and one that is tried again
   * after a failed fsync may succeed without the data being on the disk; so this one is asked for and its faults count.
   */
  move(connection: Connection): StorageFault | undefined {
    return this.note() ?? faultIn(() => (this.isHeld || this.mark.pending <= 0 || this.lacksRoomToMove() ? undefined : this.readLog() ?? this.moveRead(connection)));
  }

  /** Compares some pages with their sums, others each time. Learns those that are not known. */
  compareSome(): StorageFault | undefined {
    if (!this.settled) return undefined;
    const from = this.nextPage > this.pages ? 1 : this.nextPage;
    this.nextPage = from + CHECKED_AT_ONCE;
    return faultIn(() => this.compare(from, Math.min(this.pages, this.nextPage - 1)));
  }

  /** Learns the pages of a database that had no mark, up to some bytes. */
  learn(most: number): StorageFault | undefined {
    if (!this.mark.isNew || !this.settled) return undefined;
    return faultIn(() => {
      const wrong = this.compare(1, Math.min(this.pages, Math.floor(most / this.pageSize)));
      if (!wrong) this.mark.noteMoved();
      return wrong;
    });
  }

  /**
   * Before the connection that writes is closed while the log has something: SQLite then moves the log by itself as soon as nobody else reads, and removes it.
   * False when the mark cannot say what the database will be: it has to stay open.
   */
  foresee(): boolean {
    try {
      this.mark.note(this.files[2].descriptor);
      if (this.mark.pending <= 0) return true;
      if (this.readLog()) return false;
      this.syncLog();
      this.mark.foresee();
      this.mark.sync();
      return true;
    } catch {
      // The disk is full, or fails: the next opening judges the log as it was left.
      return false;
    }
  }

  /** Whether SQLite may move what is in the log by itself, as the thread that wrote last has noted it. */
  get isForeseen(): boolean {
    this.mark.reload();
    return this.mark.isForeseen;
  }

  /** `keepsLocks`: a connection of this process may still have the files. */
  close(keepsLocks: boolean): void {
    const [database, log, index, mark] = this.files;
    for (const file of [log, mark, ...keepsLocks ? [] : [database, index]]) leaveFile(file);
    this.mark.close();
  }

  /** @returns nothing, for the sake of `??` */
  private moveRead(connection: Connection): undefined {
    this.settled = undefined;
    this.syncLog();
    // Before the pages themselves: were there no room for the sums afterwards, they would be older than the pages.
    this.mark.foresee();
    const { busy, log, checkpointed } = connection.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() ?? {};
    // Somebody reads an older state: what is left is moved another time.
    if (busy !== 0 || log !== checkpointed) return;
    this.mark.noteMoved();
    this.settle();
  }

  /** Trying it nevertheless would fill the disk, and leave nothing for writes that free space. */
  private lacksRoomToMove(): boolean {
    const growth = this.mark.pages * this.pageSize - fstatSync(this.files[0].descriptor).size;
    return growth > 0 && sizeOfDisk(this.file).free < growth + KEPT_FREE;
  }

  /** The sums must not be newer than what is left of the log after a power cut. With `full` each commit has synced it. */
  private syncLog(): void {
    if (this.durability === 'relaxed') fdatasyncSync(this.files[1].descriptor);
  }

  /** An index that others damaged may say anything. */
  private get mostPages(): number {
    const [database, log] = this.files;
    return Math.ceil((fstatSync(database.descriptor).size + fstatSync(log.descriptor).size) / this.pageSize);
  }

  private get pages(): number {
    return Math.floor((this.settled?.size ?? 0) / this.pageSize);
  }

  /** @returns nothing, for the sake of `??` */
  private settle(): undefined {
    this.settled = fstatSync(this.files[0].descriptor);
  }

  private compare(from: number, to: number): StorageFault | undefined {
    const wrong: number[] = [];
    checkPages(this.files[0].descriptor, this.mark.sums, { from, to, pageSize: this.pageSize }, (page) => wrong.push(page));
    if (wrong.length === 0) return undefined;
    return { kind: 'corrupt', reason: `page ${wrong[0]} of "${this.file}" is not what was written (${wrong.length} of ${to - from + 1} pages looked at)` };
  }

  /** Learns what the pages of the log are; a frame that is not sound must not get into the database. */
  private readLog(): StorageFault | undefined {
    const [, { path, descriptor }, index] = this.files;
    const { frames, sums, pages } = this.mark;
    const header = readLogHeader(descriptor);
    const from = header?.salt.equals(this.read.salt) ? this.read.frames : 0;
    const reader = header && new FrameReader(descriptor, header);
    for (const [page, frame] of lastFrames(index.descriptor, from, frames)) {
      const content = reader?.read(frame, page);
      if (!content) return { kind: 'corrupt', reason: `"${path}" was changed while the engine ran: frame ${frame} of ${frames} is not sound` };
      sums.note(page, content);
    }
    if (header) this.read = { frames, salt: header.salt };
    sums.cut(pages);
    return undefined;
  }

  private whatLogLacks(): string | undefined {
    const { path, descriptor } = this.files[1];
    const { frames, pending } = this.mark;
    if (pending <= 0) return undefined;
    if (fstatSync(descriptor).size < LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + this.pageSize)) return `"${path}" was cut while the engine ran`;
    const changed = this.whatChangedInLog();
    return changed === undefined ? undefined : `"${path}" was changed while the engine ran: ${changed} is another one`;
  }

  /** SQLite writes on where it was: a log that was cut is as long again with the next commit, with a hole that is not of this log. */
  private whatChangedInLog(): string | undefined {
    const [, { descriptor }] = this.files;
    const { salt, frames } = this.mark;
    const { seen } = this;
    this.seen = { frames, salt: Buffer.from(salt) };
    if (readLogHeader(descriptor)?.salt.equals(salt) !== true) return 'its beginning';
    if (!seen.salt.equals(salt) || saltOfFrame(descriptor, seen.frames, this.pageSize).equals(salt)) return undefined;
    return `frame ${seen.frames}`;
  }

  private whatMarkLacks(): string | undefined {
    return this.mark.isCut ? `"${this.files[3].path}" was cut while the engine ran` : undefined;
  }
}

function whatBecameOf({ path, dev, ino }: OwnFile): string | undefined {
  const now = statSync(path, { throwIfNoEntry: false });
  if (!now) return `"${path}" was removed while the engine ran`;
  return now.ino === ino && now.dev === dev ? undefined : `"${path}" was replaced while the engine ran`;
}

function isSame(one: Stats, other: Stats): boolean {
  return one.size === other.size && one.mtimeMs === other.mtimeMs;
}
