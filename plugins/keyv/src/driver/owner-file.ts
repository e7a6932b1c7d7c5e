import { closeSync, constants, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { type AcknowledgedLog, type KvRecord, kvRecordFile, NOTHING_ACKNOWLEDGED, readKvRecord, writeKvRecord } from '@treadle/api';

/** Undefined when there is none. */
export function recordOf(file: string): KvRecord | undefined {
  try {
    return readKvRecord(readFileSync(kvRecordFile(file), 'utf8'));
  } catch (error) {
    // Not readable for this user: whose it is is not known then.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : readKvRecord('');
  }
}

/**
 * Says that this process has a file, and how long its log is. Opening it writes nothing, so it comes before the store is touched: where that
 * fails, the files are as the last process left them. Only whoever holds the lock of the file may write.
 */
export class OwnerFile {
  /** What the last process left that had the file and did not close it. */
  readonly former: KvRecord | undefined;
  private readonly descriptor: number;

  constructor(private readonly file: string) {
    this.former = recordOf(file);
    this.descriptor = openSync(kvRecordFile(file), constants.O_RDWR | constants.O_CREAT, 0o600);
  }

  /** Not synced: after a power cut a former record may be there, which claims less. */
  note(logBytes: number, log: AcknowledgedLog): void {
    writeSync(this.descriptor, writeKvRecord({ pid: process.pid, logBytes, log }), 0);
  }

  /** Takes it back, before the lock is given up. `keep`: the store has failed, and the next start is to look at it. */
  release(keep: boolean): void {
    try {
      if (keep) this.note(0, NOTHING_ACKNOWLEDGED);
    } catch {
      // The disk has failed for it as well: the record that is there makes the next start look, too.
    }
    closeSync(this.descriptor);
    if (!keep) rmSync(kvRecordFile(this.file), { force: true });
  }

  /** The store could not be opened; what of its log was moved by that is in the database. `logBytes`: how long the log is now. */
  giveUp(logBytes: number): void {
    if (this.former) this.note(Math.min(this.former.logBytes, logBytes), logBytes < this.former.logBytes ? NOTHING_ACKNOWLEDGED : this.former.log);
    closeSync(this.descriptor);
    if (!this.former) rmSync(kvRecordFile(this.file), { force: true });
  }
}
