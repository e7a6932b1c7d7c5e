import { statSync } from 'node:fs';
import { type AcknowledgedLog, type KvRecord, kvRecordFile, treadleError } from '@treadle/api';
import { faultOf, logBytesOf } from './left-log.js';
import { LogFrames } from './log-frames.js';

/** Milliseconds between two looks at the files while something is written. */
const LOOK_AFTER = 100;

interface OwnFile {
  readonly path: string;
  readonly ino: number;
  size: number;
}

/**
 * SQLite takes a database that is gone for a new one, and removes the log beside it; of a log that lost its end, or was changed, it plays what is whole.
 * @param former what the last process left that had the file and did not close it
 * @throws {TreadleError} STORE_DAMAGED when the database is missing or empty and its log holds data, or the log is not what it was
 */
export function refuseLoss(file: string, former: KvRecord | undefined): void {
  const database = statSync(file, { throwIfNoEntry: false });
  const logBytes = logBytesOf(file);
  if (!database?.size && logBytes > 0) {
    throw treadleError('STORE_DAMAGED', { file, reason: `it is ${database ? 'empty' : 'missing'}, and ${logBytes} bytes of its log are in "${file}-wal"` });
  }
  const fault = former && faultOf(file, former);
  if (fault === undefined) return;
  throw treadleError('STORE_DAMAGED', { file, reason: `${fault}; when a backup was put in its place, remove "${kvRecordFile(file)}"` });
}

/** Database and log of an open store, to notice when somebody else removes, replaces or cuts them. */
export class OwnFiles {
  private readonly files: readonly OwnFile[];
  private lookedAt = 0;

  private readonly frames: LogFrames;

  /** When the store is open: then both are there. `acknowledged` is told of the log: its length, and what of it is whole. */
  constructor(file: string, private readonly acknowledged: (logBytes: number, log: AcknowledgedLog) => void) {
    this.files = [file, `${file}-wal`].flatMap((path) => {
      const found = statSync(path, { throwIfNoEntry: false });
      return found ? [{ path, ino: found.ino, size: found.size }] : [];
    });
    this.frames = new LogFrames(`${file}-wal`);
    acknowledged(this.files[1]?.size ?? 0, this.frames.acknowledged(true));
  }

  /** Something was written. `isIdle`: and nothing else is being written. */
  wrote(isIdle: boolean): void {
    const log = this.files[1];
    const size = log && statSync(log.path, { throwIfNoEntry: false })?.size;
    if (!log || size === undefined || size < log.size) return;
    log.size = size;
    this.acknowledged(size, this.frames.acknowledged(isIdle));
  }

  close(): void {
    this.frames.close();
  }

  /** What somebody did; undefined when nothing did, or the last look was just now. */
  look(): string | undefined {
    const now = performance.now();
    if (now - this.lookedAt < LOOK_AFTER) return undefined;
    this.lookedAt = now;
    return this.files.map(whatBecameOf).find((text) => text !== undefined);
  }
}

/** SQLite makes neither of them smaller while they are open: nothing here gives unused pages back. */
function whatBecameOf(file: OwnFile): string | undefined {
  const now = statSync(file.path, { throwIfNoEntry: false });
  if (!now) return `"${file.path}" was removed while the engine ran`;
  if (now.ino !== file.ino) return `"${file.path}" was replaced while the engine ran`;
  if (now.size < file.size) return `"${file.path}" was cut while the engine ran`;
  file.size = now.size;
  return undefined;
}
