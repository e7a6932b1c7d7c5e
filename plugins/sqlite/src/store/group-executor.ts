import type { StoreFiles } from '../disk/store-files.js';
import type { Connection, Statement } from '../driver/driver.js';
import { faultOf, type StorageFault } from '../driver/storage-fault.js';
import type { DiskRoom } from './disk-room.js';
import type { Operation, StoreArea, WriteRequest } from './store-area.js';
import { tidy } from './tidy.js';

/** A request in a group; `after` is the index of the request in the same group that it builds on, or -1. */
export interface GroupRequest extends WriteRequest {
  readonly after: number;
}

export type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: StorageFault };

/** What became of a group; `outcomes` are in the order of the requests. */
export interface GroupResult {
  readonly outcomes: readonly Outcome[];
  /** Why the transaction as a whole did not go through, or what happened right after it. */
  readonly fault?: StorageFault;
  /** It had nothing but writes that free space: that it went through does not mean that there is room. */
  readonly freeingOnly?: boolean;
}

const NO_ROOM: StorageFault = { kind: 'full', reason: 'SQLITE_FULL: database or disk is full' };

/** More than what a log grows by between two looks at how far it goes: with less room beside it, it is looked at before each commit. */
const UNSEEN_BYTES = 16 * 1024 * 1024;
/** Frames in the log after which it is moved into the file: 16 MB. */
const LOG_PAGES = 4_000;

/** Frames between two counts of the pages that would be moved. */
const COUNT_EVERY = 250;

/** What an executor knows of the place that it writes to; nothing of a database in memory. */
export interface ExecutorPlace {
  readonly room?: DiskRoom;
  readonly files?: StoreFiles;
  /** The log is moved already when so many pages would be; the same page counts once, however often the log has it. Default: any number. */
  readonly mostPages?: number;
}

/** Commits groups of requests on the one connection that writes: one transaction each. */
export class GroupExecutor {
  private readonly operations = new Map<string, Operation>();
  private readonly freeing = new Set<string>();
  private readonly together: { readonly begin: Statement; readonly end: Statement };
  /** Frames that the database lacks with which the log is moved. */
  private moveAt = LOG_PAGES;
  /** The same when the pages in it were last counted. */
  private counted = 0;

  constructor(private readonly connection: Connection, areas: readonly StoreArea[], private readonly place: ExecutorPlace = {}) {
    this.together = { begin: connection.prepare('SAVEPOINT together'), end: connection.prepare('RELEASE together') };
    for (const area of areas) {
      for (const [name, operation] of Object.entries(area.operations(connection))) this.operations.set(name, operation);
      for (const name of area.freeing) this.freeing.add(name);
    }
  }

  /** Durable when it returns without `fault`. Never throws. */
  run(requests: readonly GroupRequest[]): GroupResult {
    const lost = this.place.files?.glance();
    if (lost) return { fault: lost, outcomes: requests.map(() => ({ ok: false, fault: lost })) };
    const frees = (request: GroupRequest): boolean => this.freeing.has(request.operation);
    if (requests.every(frees)) return { ...this.free(requests, frees), freeingOnly: true };
    const short = this.isShort();
    if (short?.kind === 'full') return this.refuse(requests, frees, short);
    if (short) return { fault: short, outcomes: requests.map(() => ({ ok: false, fault: short })) };
    const result = this.transact(requests, () => true);
    return result.fault?.kind === 'full' ? this.refuse(requests, frees, result.fault) : result;
  }

  /** The log is moved into the file first: its place can then be written again. Unused pages of the file are given back next. */
  private isShort(): StorageFault | undefined {
    const { room, files } = this.place;
    if (!room?.isShort((files?.pendingBytes ?? 0) + UNSEEN_BYTES)) return undefined;
    const lost = files?.note();
    if (lost || !room.isShort(files?.pendingBytes ?? 0)) return lost;
    for (const makeRoom of [() => files?.move(this.connection), () => tidy(this.connection, files)]) {
      const fault = makeRoom();
      if (fault || !room.isShort(0)) return fault;
    }
    return NO_ROOM;
  }

  /** Only what frees space is done. */
  private refuse(requests: readonly GroupRequest[], frees: (request: GroupRequest) => boolean, fault: StorageFault): GroupResult {
    if (!requests.some(frees)) return { fault, outcomes: requests.map(() => ({ ok: false, fault })) };
    const result = this.free(requests, frees);
    return result.fault ? result : { ...result, fault };
  }

  /** When there is no room even for that, the log's place is made free and it is tried once more. */
  private free(requests: readonly GroupRequest[], frees: (request: GroupRequest) => boolean): GroupResult {
    const result = this.transact(requests, frees);
    if (result.fault?.kind !== 'full') return result;
    const fault = this.place.files?.move(this.connection);
    return fault ? { fault, outcomes: requests.map(() => ({ ok: false, fault })) } : this.transact(requests, frees);
  }

  private transact(requests: readonly GroupRequest[], included: (request: GroupRequest) => boolean): GroupResult {
    try {
      this.connection.exec('BEGIN IMMEDIATE');
      const outcomes: Outcome[] = [];
      for (const request of requests) {
        outcomes.push(included(request) ? this.perform(request, outcomes) : { ok: false, fault: NO_ROOM });
      }
      this.connection.exec('COMMIT');
      return this.afterCommit(outcomes);
    } catch (error) {
      const fault = faultOf(error);
      this.rollBack();
      return { fault, outcomes: requests.map(() => ({ ok: false, fault })) };
    }
  }

  private perform(request: GroupRequest, before: readonly Outcome[]): Outcome {
    const base = before[request.after];
    if (base?.ok === false) return { ok: false, fault: builtOn(base.fault) };
    return request.parts ? this.performAll(request.parts) : this.performOne(request);
  }

  /** A part that fails takes those before it with it. */
  private performAll(parts: readonly WriteRequest[]): Outcome {
    const values: unknown[] = [];
    this.together.begin.run();
    for (const part of parts) {
      const outcome = this.performOne(part);
      if (!outcome.ok) {
        this.connection.exec('ROLLBACK TO together; RELEASE together');
        return outcome;
      }
      values.push(outcome.value);
    }
    this.together.end.run();
    return { ok: true, value: values };
  }

  private performOne({ operation: name, rows }: WriteRequest): Outcome {
    const operation = this.operations.get(name);
    if (!operation) return { ok: false, fault: { kind: 'statement', reason: `there is no operation "${name}"` } };
    try {
      return { ok: true, value: operation(rows) };
    } catch (error) {
      const fault = faultOf(error);
      if (fault.kind !== 'statement') throw error;
      return { ok: false, fault };
    }
  }

  /** The group is durable, so its outcomes stand whatever happens to the log. */
  private afterCommit(outcomes: readonly Outcome[]): GroupResult {
    const { files } = this.place;
    const fault = files?.noteCommit() ?? this.moveLong(files);
    return fault ? { outcomes, fault } : { outcomes };
  }

  /** While somebody reads an older state, or the disk is full, the log stays: it is not tried again with every group. */
  private moveLong(files: StoreFiles | undefined): StorageFault | undefined {
    if (!files || (files.pending < this.moveAt && !this.hasManyPages(files))) return undefined;
    const fault = files.move(this.connection);
    this.moveAt = files.pending + LOG_PAGES;
    this.counted = files.pending;
    return fault;
  }

  private hasManyPages(files: StoreFiles): boolean {
    const { mostPages } = this.place;
    // Tidying up moves the log as well.
    if (files.pending < this.counted) this.counted = 0;
    if (mostPages === undefined || files.pending - this.counted < COUNT_EVERY) return false;
    this.counted = files.pending;
    return files.pendingPages >= mostPages;
  }

  private rollBack(): void {
    try {
      this.connection.exec('ROLLBACK');
    } catch {
      // SQLite rolls back by itself after some errors; then there is no transaction left to end.
    }
  }
}

/** Why a write fails that builds on one that failed: whoever may be told to come back later is told so, too. */
export function builtOn(fault: StorageFault): StorageFault {
  return fault.kind === 'statement' ? { kind: 'statement', reason: 'the write that it builds on failed' } : fault;
}
