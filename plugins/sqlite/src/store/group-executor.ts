import type { Connection } from '../driver/driver.js';
import { faultOf, type StorageFault } from '../driver/storage-fault.js';
import type { DiskRoom } from './disk-room.js';
import type { Operation, Row, StoreArea, WriteRequest } from './store-area.js';
import { moveLog, tidy } from './tidy.js';

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
const BUILT_ON_FAILED: StorageFault = { kind: 'statement', reason: 'the write that it builds on failed' };

/** Estimated pages in the log after which it is moved into the file: 16 to 32 MB. */
const LOG_PAGES = 4_000;
const PAGE_BYTES = 4_096;
/** A small row that is written again touches its own page; a new one a page of the index as well. */
const PAGES_PER_ROW = 1;

/** Commits groups of requests on the one connection that writes: one transaction each. */
export class GroupExecutor {
  private readonly operations = new Map<string, Operation>();
  private readonly freeing = new Set<string>();
  /** Roughly what the log has grown by since it was moved into the file. */
  private loggedPages = 0;

  constructor(private readonly connection: Connection, areas: readonly StoreArea[], private readonly room: DiskRoom = { isShort: () => false }) {
    for (const area of areas) {
      for (const [name, operation] of Object.entries(area.operations(connection))) this.operations.set(name, operation);
      for (const name of area.freeing) this.freeing.add(name);
    }
  }

  /** Durable when it returns without `fault`. Never throws. */
  run(requests: readonly GroupRequest[]): GroupResult {
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
    if (!this.room.isShort(this.loggedPages * PAGE_BYTES)) return undefined;
    for (const makeRoom of [moveLog, tidy]) {
      this.loggedPages = 0;
      const fault = makeRoom(this.connection);
      if (fault || !this.room.isShort(0)) return fault;
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
    const fault = this.move();
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
      return this.afterCommit(requests, outcomes);
    } catch (error) {
      const fault = faultOf(error);
      this.rollBack();
      return { fault, outcomes: requests.map(() => ({ ok: false, fault })) };
    }
  }

  private perform(request: GroupRequest, before: readonly Outcome[]): Outcome {
    if (before[request.after]?.ok === false) return { ok: false, fault: BUILT_ON_FAILED };
    const operation = this.operations.get(request.operation);
    if (!operation) return { ok: false, fault: { kind: 'statement', reason: `there is no operation "${request.operation}"` } };
    try {
      return { ok: true, value: operation(request.rows) };
    } catch (error) {
      const fault = faultOf(error);
      if (fault.kind !== 'statement') throw error;
      return { ok: false, fault };
    }
  }

  /** The group is durable, so its outcomes stand whatever happens to the log. */
  private afterCommit(requests: readonly GroupRequest[], outcomes: readonly Outcome[]): GroupResult {
    for (const request of requests) this.loggedPages += request.pages ?? pagesOf(request);
    if (this.loggedPages < LOG_PAGES) return { outcomes };
    const fault = this.move();
    return fault ? { outcomes, fault } : { outcomes };
  }

  private move(): StorageFault | undefined {
    this.loggedPages = 0;
    return moveLog(this.connection);
  }

  private rollBack(): void {
    try {
      this.connection.exec('ROLLBACK');
    } catch {
      // SQLite rolls back by itself after some errors; then there is no transaction left to end.
    }
  }
}

function pagesOf({ rows }: WriteRequest): number {
  return rows.reduce((pages, row) => pages + PAGES_PER_ROW + bytesOf(row) / PAGE_BYTES, 0);
}

function bytesOf(row: Row): number {
  let bytes = 0;
  for (const cell of row) if (typeof cell === 'string' || cell instanceof Uint8Array) bytes += cell.length;
  return bytes;
}
