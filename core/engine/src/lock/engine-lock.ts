import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { treadleError, type TreadleError } from '@treadle/api';
import { ENGINE_FILE, type EngineDescription, type EngineRecord, isHeld } from '@treadle/protocol/engine-record';
import { firstLine } from '../error-output.js';
import { createDataDir } from './data-dir.js';
import { createRecord, readRecord, replaceRecord, type FoundRecord } from './engine-file.js';
import { removeLeftBehind } from './left-behind.js';
import { openLockSocket, removeSocketFile, type LockSocket } from './lock-socket.js';

/** Taking over from a dead engine restarts when another one was faster; each round someone wins. */
const MAX_ROUNDS = 100;

/** This engine's hold of a data directory. */
export interface EngineLock {
  /** Writes the addresses to `engine.json`; they are known once the engine has started. */
  publish(addresses: ReadonlyMap<string, string>): void;
  /** Removes `engine.json` and lets the next engine in. Idempotent; never throws. */
  release(): void;
}

/**
 * Makes the data directory and takes it for this process.
 *
 * At most one engine holds it, whatever the timing. Each engine listens on a socket of a unique name and writes itself
 * down by creating a file exclusively: `engine.json` when there is none, else the successor file of the one that is
 * written there and whose socket refuses. A successor that died as well has a successor of its own. Every name is
 * created once, and only after its predecessor was seen dead, so the last of the chain is the only one that can be
 * alive. `engine.json` changes only by the hand of the holder; an engine that finds it changed after it had claimed a
 * successor file walked an old chain: its claim is void and it starts again.
 *
 * @throws {DATA_DIR_LOCKED} when another engine holds it
 * @throws {DATA_DIR_UNUSABLE} when it cannot be made, read or written
 */
export async function acquireEngineLock(folder: string, facts: EngineDescription): Promise<EngineLock> {
  const id = randomBytes(8).toString('hex');
  let socket: LockSocket | undefined;
  try {
    createDataDir(folder);
    socket = await openLockSocket(folder, id);
    const claim = new Claim(folder, { ...facts, id, lock: socket.lock }, socket);
    await claim.take();
    await removeLeftBehind(folder);
    return claim;
  } catch (error) {
    socket?.close();
    throw asLockError(error, folder);
  }
}

class Claim implements EngineLock {
  private held = false;

  constructor(
    private readonly folder: string,
    private readonly record: EngineRecord,
    private readonly socket: LockSocket,
  ) {}

  async take(): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      if (await this.attempt()) {
        this.held = true;
        return;
      }
    }
    throw new Error(`${ENGINE_FILE} changes all the time`);
  }

  publish(addresses: ReadonlyMap<string, string>): void {
    if (!this.held) return;
    try {
      replaceRecord(this.folder, ENGINE_FILE, { ...this.record, addresses: Object.fromEntries(addresses) });
    } catch (error) {
      throw asLockError(error, this.folder);
    }
  }

  release(): void {
    if (this.held) {
      this.held = false;
      // First the file, then the socket: while the file names us nobody may find us dead and succeed us.
      this.remove(ENGINE_FILE);
    }
    this.socket.close();
  }

  /** True when the directory is ours, false when the files changed meanwhile. */
  private async attempt(): Promise<boolean> {
    const head = readRecord(join(this.folder, ENGINE_FILE));
    if (!head) return createRecord(this.folder, ENGINE_FILE, this.record);
    const dead: FoundRecord[] = [];
    for (let last: FoundRecord | undefined = head; last; last = readRecord(this.successorFile(last))) {
      if (last.lock !== undefined && await isHeld(this.folder, last.lock)) return this.refuse(head, last);
      dead.push(last);
    }
    return this.succeed(head, dead);
  }

  /** The one that we found alive is the holder only while `engine.json` is still the one that we came from. */
  private refuse(head: FoundRecord, alive: FoundRecord): false {
    if (!this.isHead(head)) return false;
    throw treadleError('DATA_DIR_LOCKED', { dir: this.folder, pid: alive.pid });
  }

  private succeed(head: FoundRecord, dead: readonly FoundRecord[]): boolean {
    const last = dead.at(-1) ?? head;
    if (!createRecord(this.folder, successorName(last), this.record)) return false;
    if (!this.isHead(head)) {
      this.remove(successorName(last));
      return false;
    }
    replaceRecord(this.folder, ENGINE_FILE, this.record);
    for (const gone of dead) this.bury(gone);
    return true;
  }

  private bury(gone: FoundRecord): void {
    this.remove(successorName(gone));
    if (gone.lock !== undefined) removeSocketFile(this.folder, gone.lock);
  }

  private isHead(record: FoundRecord): boolean {
    return readRecord(join(this.folder, ENGINE_FILE))?.id === record.id;
  }

  private successorFile(record: FoundRecord): string {
    return join(this.folder, successorName(record));
  }

  private remove(name: string): void {
    try {
      rmSync(join(this.folder, name), { force: true });
    } catch {
      // The folder went away or turned read-only: what stays is stale and is replaced by the next engine.
    }
  }
}

function successorName(record: FoundRecord): string {
  return `.engine.after-${record.id}`;
}

function asLockError(error: unknown, dir: string): TreadleError {
  if ((error as TreadleError).code === 'DATA_DIR_LOCKED') return error as TreadleError;
  const reason = (error as NodeJS.ErrnoException).code === undefined ? firstLine(error) : (error as Error).message;
  return treadleError('DATA_DIR_UNUSABLE', { dir, reason }, { cause: error });
}
