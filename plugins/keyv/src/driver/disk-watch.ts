import { OperationError, treadleError, type TreadleError } from '@treadle/api';
import type { DriverUser } from './kv-driver.js';
import { OwnFiles } from './own-files.js';
import type { OwnerFile } from './owner-file.js';
import { diskFaultOf, reasonOf } from './sqlite-fault.js';

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
      this.learn(cause);
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
      const fault = diskFaultOf(cause);
      if (fault === 'failed' || fault === 'damaged') this.fail(reasonOf(cause), cause);
      throw this.failure ?? cause;
    }
  }

  /** Nothing more is acknowledged. */
  get failed(): boolean {
    return this.failure !== undefined;
  }

  /** Finds out whether somebody removed or replaced the files. */
  look(): void {
    if (this.failure) return;
    try {
      const reason = this.files?.look();
      if (reason !== undefined) this.fail(reason);
    } catch (cause) {
      this.fail(reasonOf(cause), cause);
    }
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

  private learn(cause: unknown): void {
    const fault = diskFaultOf(cause);
    if (fault === undefined) throw cause;
    if (fault !== 'full') return this.fail(reasonOf(cause), cause);
    this.full();
    throw new OperationError('StorageFull', `nothing was stored: ${reasonOf(cause)}`, cause);
  }

  private fail(reason: string, cause?: unknown): void {
    if (this.failure) return;
    const isDamaged = cause !== undefined && diskFaultOf(cause) === 'damaged';
    this.failure = treadleError(isDamaged ? 'STORE_DAMAGED' : 'STORE_FAILED', { file: this.file, reason }, { cause });
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
