import { type Clock, type InstanceId, type Logger, type ModuleContext, type TreadleError, treadleError, type Turn } from '@treadle/api';
import type { StoreFiles } from '../disk/store-files.js';
import { closesLate, type Connection, type Driver } from '../driver/driver.js';
import type { StorageFault } from '../driver/storage-fault.js';
import { backupStore } from './backup.js';
import type { Committer } from './committer.js';
import type { FileLock } from './file-lock.js';
import type { Durability } from './open-connection.js';
import type { StoreIdentity } from './schema.js';
import type { WriteRequest } from './store-area.js';
import { storeError, watchReads } from './watched-reads.js';
import { type Settled, type Ticket, WriteQueue } from './write-queue.js';

/** How often an idle store gives unused space back, in milliseconds. */
const TIDY_EVERY = 2_500;
/** How often an idle store looks whether its files are still there, in milliseconds; one that commits looks more often. */
const LOOK_EVERY = 1_000;
/** A clock that is set ahead ticks more often than the time goes by: between two looks lie so many milliseconds of that. */
const LOOK_AFTER = 100;
/** Writes between two looks up to which a store counts as idle: adapters sweep now and then when nobody else writes. */
const IDLE_WRITES = 12;

/** What a store is made of; `openStore` puts it together. */
export interface StoreParts {
  readonly driver: Driver;
  /** Absolute, or `:memory:`. */
  readonly file: string;
  readonly durability: Durability;
  readonly identity: StoreIdentity;
  readonly lock: FileLock | undefined;
  readonly reads: Connection;
  /** None of a database in memory. */
  readonly files?: StoreFiles;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly turn: Turn;
  readonly log: Logger;
}

/** An adapter that uses the store. */
export type StoreUser = Pick<ModuleContext, 'instance' | 'report' | 'fatal'>;

/** One database file (or the engine's database in memory) and its single writer, shared by all adapters that name it. */
export class SqliteStore {
  /** For reading only: sees what is committed. A statement must be run to its end in one go. */
  readonly reads: Connection;
  readonly file: string;
  readonly identity: StoreIdentity;
  private readonly queue: WriteQueue;
  private readonly users = new Set<StoreUser>();
  private readonly tidying: { cancel(): void };
  private readonly looking: { cancel(): void };
  private writesSinceTidy = 0;
  private lookedAt = 0;
  private degraded = false;
  private failure: TreadleError | undefined;
  private readonly backups = new Set<Promise<void>>();
  private closed: Promise<void> | undefined;

  constructor(private readonly parts: StoreParts) {
    this.reads = watchReads(parts.reads, parts.file, (fault) => this.lose(fault));
    this.file = parts.file;
    this.identity = parts.identity;
    this.queue = new WriteQueue(parts.committer, parts.turn, parts.clock, {
      full: ({ reason }) => this.degrade(`no room to write to "${this.file}"`, () => parts.log.error('store is full', { file: this.file, reason })),
      busy: ({ reason }) => this.degrade(`another program writes to "${this.file}"`, () => parts.log.warn('store waits: another program writes to it', { file: this.file, reason })),
      committed: () => this.committed(),
      broken: (fault) => this.broken(fault),
    });
    parts.committer.onEnd = (fault) => this.lose(fault);
    this.tidying = parts.clock.every(TIDY_EVERY, () => this.tidy());
    this.looking = parts.clock.every(LOOK_EVERY, () => this.look());
  }

  get driver(): string {
    return this.parts.driver.name;
  }

  get durability(): Durability {
    return this.parts.durability;
  }

  /** It closes, or has: nothing more is stored. */
  get isClosed(): boolean {
    return this.closed !== undefined;
  }

  /** Where commits happen. */
  get commitsOn(): 'thread' | 'loop' {
    return this.parts.committer.kind;
  }

  /**
   * Adds a user, who is told of faults. The result ends the use.
   * @throws {CONFIG_CONFLICT} when another user of the file wants another durability
   */
  join(user: StoreUser, durability: Durability): () => void {
    const { parts } = this;
    if (durability !== parts.durability && this.file !== ':memory:') {
      const [other] = this.users;
      throw treadleError('CONFIG_CONFLICT', {
        path: user.instance.path,
        problem: `durability "${durability}" for "${this.file}", which ${placeOf(other?.instance)} has with "${parts.durability}"`,
        hint: 'adapters that share a file need the same durability',
      }, { at: user.instance.at, instance: user.instance });
    }
    this.users.add(user);
    if (this.failure) user.fatal(this.failure);
    return () => void this.users.delete(user);
  }

  /** Adds a write to the next group; `settled` is called once, when it is durable under the store's promise or has failed. */
  write(request: WriteRequest, settled: (outcome: Settled) => void, base?: Ticket): Ticket {
    this.writesSinceTidy += 1;
    return this.queue.add(request, settled, base);
  }

  /** As `write`, for those who need no order between what they read and write. */
  async apply(request: WriteRequest): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.write(request, (outcome) => (outcome.ok ? resolve(outcome.value) : reject(outcome.error)));
    });
  }

  /**
   * Copies the database as it is now to a new file while the store runs; the copy is durable when this resolves.
   * @throws {FILE_NOT_WRITABLE} when the file exists or cannot be written
   */
  async backup(target: string): Promise<void> {
    await this.queue.drained();
    if (this.closed) throw treadleError('FILE_NOT_WRITABLE', { file: target, reason: 'the store is closed' });
    const made = backupStore(this.parts, target);
    this.backups.add(made);
    await made.finally(() => this.backups.delete(made));
  }

  /** Waits for what was written and for backups, then closes. Idempotent. */
  close(): Promise<void> {
    this.closed ??= this.shut();
    return this.closed;
  }

  /** Nothing that waits is tried any more. */
  private lose(fault: StorageFault): void {
    this.queue.fail(fault);
    this.broken(fault);
  }

  private async shut(): Promise<void> {
    this.tidying.cancel();
    this.looking.cancel();
    await this.queue.drained();
    this.queue.fail({ kind: 'statement', reason: 'the store is closed' });
    const { committer } = this.parts;
    // One that is made keeps the log from being moved, and would move it itself when it ends last.
    await Promise.allSettled(this.backups);
    if (this.failure) committer.abandon();
    else await this.closeFile(committer);
    this.parts.lock?.release();
  }

  /** The connection that reads outlives the one of a thread: what that one left in the log is not moved unless the mark knows of it. */
  private async closeFile(committer: Committer): Promise<void> {
    const { reads, files } = this.parts;
    await committer.close();
    const mayMove = files?.isForeseen !== false;
    if (committer.kind === 'thread' && mayMove) reads.close();
    files?.close(!mayMove || closesLate(reads.driver));
  }

  private tidy(): void {
    if (this.writesSinceTidy <= IDLE_WRITES && this.queue.quiet) this.parts.committer.tidy();
    this.writesSinceTidy = 0;
  }

  private look(): void {
    const now = performance.now();
    if (now - this.lookedAt < LOOK_AFTER) return;
    this.lookedAt = now;
    this.parts.committer.look();
  }

  private degrade(message: string, note: () => void): void {
    if (this.degraded) return;
    this.degraded = true;
    note();
    for (const user of this.users) user.report('degraded', { message });
  }

  private committed(): void {
    if (!this.degraded) return;
    this.degraded = false;
    this.parts.log.info('store is written to again', { file: this.file });
    for (const user of this.users) user.report('ok');
  }

  private broken(fault: StorageFault): void {
    if (this.failure) return;
    this.failure = storeError(this.file, fault);
    for (const user of this.users) user.fatal(this.failure);
  }
}

function placeOf(instance: InstanceId | undefined): string {
  if (!instance) return 'another adapter';
  const { at, path } = instance;
  return at?.line === undefined ? path : `${path} (${at.file}:${at.line})`;
}
