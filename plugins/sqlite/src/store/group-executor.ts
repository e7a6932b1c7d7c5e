import type { Connection } from '../driver/driver.js';
import { faultOf, type StorageFault } from '../driver/storage-fault.js';
import type { Operation, Row, StoreArea, WriteRequest } from './store-area.js';
import { moveLog } from './tidy.js';

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

  constructor(private readonly connection: Connection, areas: readonly StoreArea[]) {
    for (const area of areas) {
      for (const [name, operation] of Object.entries(area.operations(connection))) this.operations.set(name, operation);
      for (const name of area.freeing) this.freeing.add(name);
    }
  }

  /** Durable when it returns without `fault`. Never throws. */
  run(requests: readonly GroupRequest[]): GroupResult {
    const result = this.transact(requests, () => true);
    if (result.fault?.kind !== 'full') return result;
    const frees = (request: GroupRequest): boolean => this.freeing.has(request.operation);
    if (!requests.some(frees)) return result;
    const second = this.transact(requests, frees);
    return second.fault ? second : { ...second, fault: result.fault };
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
    for (const { rows } of requests) for (const row of rows) this.loggedPages += PAGES_PER_ROW + bytesOf(row) / PAGE_BYTES;
    if (this.loggedPages < LOG_PAGES) return { outcomes };
    this.loggedPages = 0;
    const fault = moveLog(this.connection);
    return fault ? { outcomes, fault } : { outcomes };
  }

  private rollBack(): void {
    try {
      this.connection.exec('ROLLBACK');
    } catch {
      // SQLite rolls back by itself after some errors; then there is no transaction left to end.
    }
  }
}

function bytesOf(row: Row): number {
  let bytes = 0;
  for (const cell of row) if (typeof cell === 'string' || cell instanceof Uint8Array) bytes += cell.length;
  return bytes;
}
