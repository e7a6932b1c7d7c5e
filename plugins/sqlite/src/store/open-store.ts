import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Clock, type Logger, setForeignLogAside, TreadleError, treadleError, type Turn } from '@treadle/api';
import { isBackupContent } from '@treadle/api/write-ahead-log';
import { inspectStore } from '../disk/inspect-store.js';
import { markOf } from '../disk/store-mark.js';
import { leaveFile, type OwnFile, takeFile, withFile } from '../disk/own-file.js';
import { StoreFiles } from '../disk/store-files.js';
import { chooseDriver } from '../driver/choose-driver.js';
import { closesLate, type Connection, type Driver } from '../driver/driver.js';
import { faultOf } from '../driver/storage-fault.js';
import { AdaptiveCommitter } from './adaptive-committer.js';
import { AREAS } from './areas.js';
import type { Committer } from './committer.js';
import { diskRoom } from './disk-room.js';
import { FileLock } from './file-lock.js';
import { fsyncMedian } from './fsync-probe.js';
import { LoopCommitter } from './loop-committer.js';
import { removeObsoleteLog, setObsoleteLogAside } from './obsolete-log.js';
import { type Durability, openConnection, pragma } from './open-connection.js';
import { realFile } from './real-file.js';
import { migrate, type StoreIdentity } from './schema.js';
import { SqliteStore } from './sqlite-store.js';
import { ThreadCommitter } from './thread-committer.js';
import { emptyLog } from './tidy.js';

export interface OpenOptions {
  /** Absolute, or `:memory:`. Its folder is made when it is missing. */
  readonly file: string;
  readonly durability: Durability;
  readonly clock: Clock;
  readonly turn: Turn;
  readonly log: Logger;
  /** Default: the first one that works here. */
  readonly driver?: Driver;
  /** Where `full` commits. Default: see `commitPlace`. */
  readonly commits?: 'thread' | 'loop';
  /** Median time of a commit on the loop from which a thread takes over, in milliseconds. Default: 4. */
  readonly loopLimitMs?: number;
}

/** Median time of an fsync below which commits happen on the event loop. */
const LOOP_FSYNC_MS = 1;
/** Median time of a commit on the event loop above which a thread takes over. */
const LOOP_COMMIT_MS = 4;
/** Files up to this size are checked after an unclean end; checking larger ones would hold the start up for long. */
const CHECKED_BYTES = 512 * 1024 * 1024;

/**
 * Opens the store of a file: takes its lock, looks whether what was acknowledged is there, checks it after an unclean end, brings it to the present version, starts
 * the writer and says how it works.
 * @throws {STORE_LOCKED} when another engine has the file
 * @throws {STORE_NEWER} when a newer version has written it
 * @throws {STORE_DAMAGED} when something that was acknowledged is missing or changed, or the check finds faults
 * @throws {STORE_UNUSABLE} when it cannot be opened or written
 */
export async function openStore(given: OpenOptions): Promise<SqliteStore> {
  const { driver = chooseDriver() } = given;
  if (given.file === ':memory:') return openInMemory(given, driver);
  const file = realFile(given.file);
  const options = { ...given, file };
  let lock: FileLock | undefined;
  try {
    makeFolder(file);
    lock = FileLock.take(driver, file);
    return await openFile(options, driver, lock);
  } catch (error) {
    lock?.release();
    throw asStoreError(error, file);
  }
}

async function openFile(options: OpenOptions, driver: Driver, lock: FileLock): Promise<SqliteStore> {
  const { file, clock, turn, log, durability } = options;
  const aside = { log, now: clock.now() };
  removeObsoleteLog(file, aside);
  setForeignLogAside(file, markOf(file), aside, withFile(file, isBackupContent) ?? false);
  judgeFiles(options);
  makeFile(file);
  warnOfReaders(file, log);
  const clean = wasClosed(file);
  const database = takeFile(file);
  const main = openConnection(driver, file, durability);
  let files: StoreFiles | undefined;
  try {
    if (!clean) check(main, options);
    const identity = migrate(main, file, AREAS);
    files = StoreFiles.open(file, durability);
    beginLog(main, files, file);
    const place = commitPlace(options);
    const committer = await committerFor(options, driver, { main, files }, place);
    leaveFile(database);
    report(options, driver, identity, place);
    return new SqliteStore({ driver, file, durability, identity, lock, reads: main, files, committer, clock, turn, log });
  } catch (error) {
    giveUp(driver, { main, files, database }, error);
    throw error;
  }
}

/**
 * The last connection that closes moves the log and removes it: of a store that is not sound it has to stay for `salvage`, and where the mark does not know
 * of it, for whoever can open the store.
 */
function giveUp(driver: Driver, { main, files, database }: { readonly main: Connection; readonly files: StoreFiles | undefined; readonly database: OwnFile }, error: unknown): void {
  const mayClose = isSound(error) && (files ? files.foresee() : wasClosed(database.path));
  if (mayClose) main.close();
  const keepsLocks = !mayClose || closesLate(driver.name);
  // Closing it would end the locks of a connection that is still there.
  const index = `${database.path}-shm`;
  if (keepsLocks && !files && existsSync(index)) takeFile(index);
  files?.close(keepsLocks);
  if (!keepsLocks) leaveFile(database);
}

/** From here on the mark says what the files hold; and an engine that is killed again and again would never come to move its log. */
function beginLog(main: Connection, files: StoreFiles, file: string): void {
  const fault = emptyLog(main, files) ?? files.learn(CHECKED_BYTES);
  if (fault) throw treadleError(fault.kind === 'corrupt' ? 'STORE_DAMAGED' : 'STORE_UNUSABLE', { file, reason: fault.reason });
}

/**
 * Looks at the files before SQLite does, and takes a log away from it that is older than the database.
 * @throws {STORE_DAMAGED} when something that was acknowledged is missing, or is not what was written
 */
function judgeFiles({ file, clock, log }: OpenOptions): void {
  const { faults, warnings, obsoleteLog } = inspectStore(file, CHECKED_BYTES);
  for (const reason of warnings) log.warn('store cannot be compared with what was acknowledged', { file, reason });
  if (faults.length > 0) throw treadleError('STORE_DAMAGED', { file, reason: [...faults, ...obsoleteLog === undefined ? [] : [obsoleteLog]].join('; ') });
  if (obsoleteLog !== undefined) setObsoleteLogAside(file, obsoleteLog, { log, now: clock.now() });
}

function isSound(error: unknown): boolean {
  const { code } = error as Partial<TreadleError>;
  return code !== 'STORE_DAMAGED' && code !== 'STORE_UNUSABLE';
}

/** Whatever the system says while the files are looked at is about the disk. */
function asStoreError(error: unknown, file: string): TreadleError {
  if (error instanceof TreadleError) return error;
  const { kind, reason } = faultOf(error);
  return treadleError(kind === 'corrupt' ? 'STORE_DAMAGED' : 'STORE_UNUSABLE', { file, reason }, { cause: error });
}

function openInMemory(options: OpenOptions, driver: Driver): SqliteStore {
  const { file, clock, turn, log } = options;
  const reads = openConnection(driver, file, 'relaxed');
  const identity = migrate(reads, file, AREAS);
  log.warn('store is in memory: its data ends with the engine', { driver: driver.name, sqlite: driver.sqlite });
  const committer = new LoopCommitter(reads, AREAS);
  return new SqliteStore({ driver, file, durability: 'relaxed', identity, lock: undefined, reads, committer, clock, turn, log });
}

/** A group is more than its fsync, so the limit at run time lies above the one at start. */
async function committerFor(
  options: OpenOptions, driver: Driver, { main, files }: { readonly main: Connection; readonly files: StoreFiles }, { commits }: CommitPlace,
): Promise<Committer> {
  const { durability, file, log, loopLimitMs = LOOP_COMMIT_MS } = options;
  const thread = async (): Promise<Committer> => startThread(options, driver, { main, files });
  if (commits === 'thread') return thread();
  const loop = new LoopCommitter(main, AREAS, { room: diskRoom(file), files });
  if (durability === 'relaxed') return loop;
  return new AdaptiveCommitter({
    loop, startThread: thread, limitMs: loopLimitMs,
    onSwitch: (medianMs) => log.warn('store commits in a thread from now on: the disk has become slow', { file, medianMs }),
    onStay: ({ message }) => log.warn('store goes on committing on the loop: its writer thread cannot start', { file, reason: message }),
  });
}

/** What the loop goes on committing meanwhile stays in the log: the thread moves it. */
async function startThread({ file, durability }: OpenOptions, driver: Driver, { main, files }: { readonly main: Connection; readonly files: StoreFiles }): Promise<Committer> {
  files.hold();
  try {
    const committer = await ThreadCommitter.start({ driver: driver.name, file, durability, locked: files.locked });
    main.exec('PRAGMA query_only = ON');
    return committer;
  } catch (error) {
    files.release();
    throw error;
  }
}

interface CommitPlace {
  readonly commits: 'thread' | 'loop';
  readonly fsyncMs?: number;
}

/**
 * `relaxed` commits take microseconds and stay on the loop. `full` ones stay there as long as the disk syncs within
 * `LOOP_FSYNC_MS`: handing groups to a thread then costs more than it saves (README.md has the figures).
 */
function commitPlace({ commits, durability, file }: OpenOptions): CommitPlace {
  if (durability === 'relaxed') return { commits: 'loop' };
  if (commits) return { commits };
  try {
    const fsyncMs = fsyncMedian(file);
    return { commits: fsyncMs < LOOP_FSYNC_MS ? 'loop' : 'thread', fsyncMs };
  } catch (error) {
    // A full disk cannot be measured, and must not keep the engine from consuming, which frees space: slow commits are noticed later.
    if (faultOf(error).kind === 'full') return { commits: 'loop' };
    throw error;
  }
}

function report({ file, durability, log }: OpenOptions, driver: Driver, { starts }: StoreIdentity, place: CommitPlace): void {
  const fields = { file, driver: driver.name, sqlite: driver.sqlite, durability, commits: place.commits, starts };
  log.info('store is open', place.fsyncMs === undefined ? fields : { ...fields, fsyncMs: Number(place.fsyncMs.toFixed(3)) });
  if (durability === 'relaxed') log.warn('store is relaxed: a power cut may take the last writes back', { file });
}

function makeFolder(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
}

/** For this user alone; SQLite gives log and index the mode of the file. One that exists keeps its mode, and this process the locks that it has on it. */
function makeFile(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
}

/** Earlier versions made files that all may read. Whether that is wanted cannot be told, so their mode stays. */
function warnOfReaders(file: string, log: Logger): void {
  if (process.platform === 'win32' || (statSync(file).mode & 0o004) === 0 || (statSync(dirname(file)).mode & 0o001) === 0) return;
  log.warn('store can be read by every user of this machine', { file, remedy: `chmod 600 ${file}*` });
}

/** A log that is still there was not moved into the file: the last engine did not close it. */
function wasClosed(file: string): boolean {
  const log = `${file}-wal`;
  return !existsSync(log) || statSync(log).size === 0;
}

function check(connection: Connection, { file, log }: OpenOptions): void {
  const { size } = statSync(file);
  if (size > CHECKED_BYTES) {
    log.warn('store was not closed and is too large to be checked at start', { file, bytes: size });
    return;
  }
  const answer = String(pragma(connection, 'quick_check(5)'));
  if (answer !== 'ok') throw treadleError('STORE_DAMAGED', { file, reason: answer });
  log.info('store was not closed; the check found no fault', { file, bytes: size });
}
