/**
 * What went wrong in SQLite, as far as callers must tell apart. `full`: no room, nothing was written. `io`: the disk did
 * not do what it was told, what is written is unknown. `corrupt`: the file is not a sound database. `busy`: another
 * connection holds it. `statement`: this statement alone was refused.
 */
export type FaultKind = 'full' | 'io' | 'corrupt' | 'busy' | 'statement';

export interface StorageFault {
  readonly kind: FaultKind;
  /** e.g. `SQLITE_FULL: database or disk is full`. */
  readonly reason: string;
}

const FULL = 13;
const IOERR = 10;
/** The shared memory file could not grow. @source sqlite.org/rescode.html */
const IOERR_SHMSIZE = 4874;
const KINDS: Readonly<Record<number, FaultKind>> = {
  5: 'busy', 6: 'busy', 7: 'full', 8: 'io', [IOERR]: 'io', 11: 'corrupt', [FULL]: 'full', 14: 'io', 26: 'corrupt',
};
/** Errors of the system that say that there is no room, met where files are written without SQLite. */
const NO_ROOM: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);
const NAMES: Readonly<Record<string, number>> = {
  SQLITE_BUSY: 5, SQLITE_LOCKED: 6, SQLITE_NOMEM: 7, SQLITE_READONLY: 8, SQLITE_IOERR: IOERR, SQLITE_CORRUPT: 11,
  SQLITE_FULL: FULL, SQLITE_CANTOPEN: 14, SQLITE_NOTADB: 26,
};

interface LibraryError {
  readonly message?: string;
  /** better-sqlite3 and libsql: the name of the (extended) code. */
  readonly code?: string;
  /** node:sqlite: the extended code. */
  readonly errcode?: number;
  /** libsql: the extended code. */
  readonly rawCode?: number;
  /** Errors of the system. */
  readonly syscall?: string;
}

/** Reads the error of any of the three libraries, or of the system where files are read and written without them. */
export function faultOf(error: unknown): StorageFault {
  const { message = String(error), code, errcode, rawCode, syscall } = (error ?? {}) as LibraryError;
  if (syscall !== undefined) return { kind: NO_ROOM.has(code) ? 'full' : 'io', reason: message };
  const number = errcode ?? rawCode ?? numberOf(code);
  const kind = number === IOERR_SHMSIZE || code === 'SQLITE_IOERR_SHMSIZE' ? 'full' : KINDS[(number ?? 0) & 0xff];
  const name = code?.startsWith('SQLITE_') ? code : Object.keys(NAMES).find((key) => NAMES[key] === ((number ?? 0) & 0xff));
  return { kind: kind ?? 'statement', reason: name ? `${name}: ${message}` : message };
}

/** What an act found or met, if nothing can be trusted after it; a full disk or a held file is met again by the next commit. */
export function faultIn(act: () => StorageFault | undefined): StorageFault | undefined {
  try {
    return act();
  } catch (error) {
    const fault = faultOf(error);
    return endsTrust(fault) ? fault : undefined;
  }
}

/** The disk failed or the file is not sound: what it holds is not known. */
export function endsTrust({ kind }: StorageFault): boolean {
  return kind === 'io' || kind === 'corrupt';
}

/** `SQLITE_IOERR_FSYNC` belongs to `SQLITE_IOERR`. */
function numberOf(code: string | undefined): number | undefined {
  if (!code) return undefined;
  return NAMES[code] ?? NAMES[code.split('_').slice(0, 2).join('_')];
}
