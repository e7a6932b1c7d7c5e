import { closeSync, constants, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';

/** What a `<file>.pid` says; it is there while a process has the file, and after one that was killed. */
export interface OwnerRecord {
  /** 0 when it cannot be read, e.g. before the other one has written it. */
  readonly pid: number;
  /** Length that the log had when something was acknowledged last. */
  readonly logBytes: number;
}

/** Digits of the largest length, so that a record is always as long. */
const DIGITS = 15;

/** Undefined when there is none. */
export function recordOf(file: string): OwnerRecord | undefined {
  try {
    const [pid, logBytes] = readFileSync(nameOf(file), 'utf8').split('\n').map((line) => Number.parseInt(line, 10) || 0);
    return { pid: pid ?? 0, logBytes: logBytes ?? 0 };
  } catch (error) {
    // Not readable for this user: whose it is is not known then.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : { pid: 0, logBytes: 0 };
  }
}

/** Says that this process has a file, and how long its log is; only whoever holds the lock of the file may. */
export class OwnerFile {
  private readonly descriptor: number;

  constructor(private readonly file: string) {
    this.descriptor = openSync(nameOf(file), constants.O_RDWR | constants.O_CREAT, 0o600);
    ftruncateSync(this.descriptor, 0);
    this.note(0);
  }

  /** Not synced: after a power cut a shorter length may be there, which claims less. */
  note(logBytes: number): void {
    writeSync(this.descriptor, `${process.pid}\n${String(logBytes).padStart(DIGITS)}\n`, 0);
  }

  /** Takes it back, before the lock is given up. `keep`: the store has failed, and the next start is to look at it. */
  release(keep: boolean): void {
    if (keep) this.note(0);
    closeSync(this.descriptor);
    if (!keep) rmSync(nameOf(this.file), { force: true });
  }
}

function nameOf(file: string): string {
  return `${file}.pid`;
}
