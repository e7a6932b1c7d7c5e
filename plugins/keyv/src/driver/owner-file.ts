import { closeSync, constants, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import type { AcknowledgedLog } from './log-frames.js';

/** What a `<file>.pid` says; it is there while a process has the file, and after one that was killed. */
export interface OwnerRecord {
  /** 0 when it cannot be read, e.g. before the other one has written it. */
  readonly pid: number;
  /** Length that the log had when something was acknowledged last. */
  readonly logBytes: number;
  readonly log: AcknowledgedLog;
}

/** Digits of the largest number, and of a header, so that a record is always as long. */
const DIGITS = 15;
const HEADER_DIGITS = 48;
const NOTHING: AcknowledgedLog = { header: '', frames: 0 };

/** Undefined when there is none. */
export function recordOf(file: string): OwnerRecord | undefined {
  try {
    const lines = readFileSync(nameOf(file), 'utf8').split('\n');
    const [pid = 0, logBytes = 0, frames = 0] = lines.map((line) => Number.parseInt(line, 10) || 0);
    const header = lines[3]?.trim() ?? '';
    return { pid, logBytes, log: header.length === HEADER_DIGITS ? { header, frames } : NOTHING };
  } catch (error) {
    // Not readable for this user: whose it is is not known then.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : { pid: 0, logBytes: 0, log: NOTHING };
  }
}

/**
 * Says that this process has a file, and how long its log is. Opening it writes nothing, so it comes before the store is touched: where that
 * fails, the files are as the last process left them. Only whoever holds the lock of the file may write.
 */
export class OwnerFile {
  /** What the last process left that had the file and did not close it. */
  readonly former: OwnerRecord | undefined;
  private readonly descriptor: number;

  constructor(private readonly file: string) {
    this.former = recordOf(file);
    this.descriptor = openSync(nameOf(file), constants.O_RDWR | constants.O_CREAT, 0o600);
  }

  /** Not synced: after a power cut a former record may be there, which claims less. */
  note(logBytes: number, { header, frames }: AcknowledgedLog): void {
    const numbers = [process.pid, logBytes, frames].map((number) => String(number).padStart(DIGITS));
    writeSync(this.descriptor, `${[...numbers, header.padStart(HEADER_DIGITS)].join('\n')}\n`, 0);
  }

  /** Takes it back, before the lock is given up. `keep`: the store has failed, and the next start is to look at it. */
  release(keep: boolean): void {
    try {
      if (keep) this.note(0, NOTHING);
    } catch {
      // The disk has failed for it as well: the record that is there makes the next start look, too.
    }
    closeSync(this.descriptor);
    if (!keep) rmSync(nameOf(this.file), { force: true });
  }

  /** The store could not be opened; what of its log was moved by that is in the database. `logBytes`: how long the log is now. */
  giveUp(logBytes: number): void {
    if (this.former) this.note(Math.min(this.former.logBytes, logBytes), logBytes < this.former.logBytes ? NOTHING : this.former.log);
    closeSync(this.descriptor);
    if (!this.former) rmSync(nameOf(this.file), { force: true });
  }
}

function nameOf(file: string): string {
  return `${file}.pid`;
}
