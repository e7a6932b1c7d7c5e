import { OperationError, treadleError, type TreadleError } from '@treadle/api';
import type { DriverUser } from './kv-driver.js';
import { OwnFiles } from './own-files.js';
import type { OwnerFile } from './owner-file.js';
import { isDamage, reasonOf } from './sqlite-fault.js';

/** Nothing was written. @source sqlite.org/rescode.html */
const NO_ROOM = /^SQLITE_(FULL|NOMEM|IOERR_SHMSIZE)/;
/** The disk did not do what it was told, or the file is no sound database any more. */
const DISK_FAULT = /^SQLITE_(IOERR|READONLY|CORRUPT|CANTOPEN|NOTADB)/;

/** Learns from the writes to a file how its disk is, and tells the adapters that use it. */
export class DiskWatch {
  private readonly users = new Set<DriverUser>();
  private failure: TreadleError | undefined;
  private isFull = false;
  private files: OwnFiles | undefined;
  /** Writes that are not done. */
  private underWay = 0;

  constructor(private readonly file: string) {}

  /** Tells an adapter from now on, until it calls what is returned. */
  join(user: DriverUser): () => void {
    this.users.add(user);
    return () => void this.users.delete(user);
  }

  /**
   * Does a write. After a fault of the disk none is acknowledged, for what was being written then is unknown.
   * @throws {OperationError} `StorageFull` when nothing was written for want of room
   * @throws {TreadleError} STORE_FAILED, STORE_DAMAGED
   */
  async write(work: () => Promise<unknown>): Promise<void> {
    // Before, for a log that was cut is as long again afterwards.
    this.look();
    try {
      if (!this.failure) await this.counted(work);
      this.files?.wrote(this.underWay === 0);
    } catch (cause) {
      this.learn(cause, reasonOf(cause));
    }
    if (this.failure) throw this.failure;
    if (this.isFull) this.hasRoom();
  }

  /**
   * Does a read; one that meets a fault of the disk ends the store as a write does.
   * @throws {TreadleError} STORE_FAILED, STORE_DAMAGED
   */
  async read<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      if (DISK_FAULT.test(reasonOf(cause))) this.fail(reasonOf(cause), cause);
      throw this.failure ?? cause;
    }
  }

  /** Nothing more is acknowledged. */
  get failed(): boolean {
    return this.failure !== undefined;
  }

  /** Finds out whether somebody removed or replaced the files. */
  look(): void {
    const reason = this.failure ? undefined : this.files?.look();
    if (reason !== undefined) this.fail(reason);
  }

  /** The store is open: from now on its files are looked after. */
  opened(owner: OwnerFile): void {
    this.files = new OwnFiles(this.file, (logBytes, log) => owner.note(logBytes, log));
  }

  closed(): void {
    this.files?.close();
    this.files = undefined;
  }

  private async counted(work: () => Promise<unknown>): Promise<void> {
    this.underWay += 1;
    try {
      await work();
    } finally {
      this.underWay -= 1;
    }
  }

  private learn(cause: unknown, reason: string): void {
    if (NO_ROOM.test(reason)) {
      this.full();
      throw new OperationError('StorageFull', `nothing was stored: ${reason}`, cause);
    }
    if (!DISK_FAULT.test(reason)) throw cause;
    this.fail(reason, cause);
  }

  private fail(reason: string, cause?: unknown): void {
    if (this.failure) return;
    this.failure = treadleError(isDamage(reason) ? 'STORE_DAMAGED' : 'STORE_FAILED', { file: this.file, reason }, { cause });
    for (const user of this.users) user.fatal(this.failure);
  }

  private full(): void {
    if (this.isFull) return;
    this.isFull = true;
    for (const user of this.users) user.report('degraded', { message: `no room to write to "${this.file}"` });
  }

  private hasRoom(): void {
    this.isFull = false;
    for (const user of this.users) user.report('ok');
  }
}
