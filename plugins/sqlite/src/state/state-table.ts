import { DELETED_REVISION_MS, type ClearChanges, type Clock, type PendingChange, type StateCommitWrite, type StateEntry, type StateGroupPage, type StatePage, type StateWrite, type StateWriteResult } from '@treadle/api';
import type { SqliteStore } from '../store/sqlite-store.js';
import type { PreparedWrite } from '../store/prepared-write.js';
import { applyUntilFewer } from '../store/sweeping.js';
import { StateEntries } from './state-entries.js';
import { type PageOptions, StateReader } from './state-reader.js';

/** Rows per sweep; when there are more, another sweep follows at once. */
const SWEEP_LIMIT = 1_000;
const CLEAR_LIMIT = 1_000;

const TABLES = new WeakMap<SqliteStore, StateTable>();

/** The state of one store: all that adapters do, shared by those that have the same file, so that there is one newest value. */
export class StateTable {
  private readonly reader: StateReader;
  private readonly entries: StateEntries;
  /** Keys written since a `clear` of their group began; it leaves them alone. */
  private readonly clearing = new Map<string, Set<Set<string>>>();

  private constructor(private readonly store: SqliteStore, private readonly clock: Clock, cacheBytes: number) {
    this.reader = new StateReader(store.reads);
    this.entries = new StateEntries(store, this.reader, clock, cacheBytes);
  }

  /** The table of a store; the first who asks decides the size of its cache. */
  static of(store: SqliteStore, clock: Clock, cacheBytes: number): StateTable {
    const table = TABLES.get(store) ?? new StateTable(store, clock, cacheBytes);
    TABLES.set(store, table);
    return table;
  }

  /** The table of a store that an adapter has open. */
  static opened(store: SqliteStore): StateTable | undefined {
    return TABLES.get(store);
  }

  get(group: string, key: string): Promise<StateEntry | undefined> {
    return this.entries.get(group, key);
  }

  /** As `StateEntries.expiryOf`. */
  expiryOf(group: string, key: string): Promise<number | undefined> {
    return this.entries.expiryOf(group, key);
  }

  write(write: StateWrite): Promise<StateWriteResult> {
    this.spare(write);
    return this.entries.write(write);
  }

  /** As `StateEntries.holds`. */
  holds({ group, key, ifRevision }: StateCommitWrite): boolean {
    return this.entries.holds(group, key, ifRevision);
  }

  /** As `StateEntries.prepare`. */
  prepare(write: StateCommitWrite): PreparedWrite | undefined {
    if (write.decision.action !== 'keep') this.spare(write);
    return this.entries.prepare(write);
  }

  async list(group: string, options: PageOptions): Promise<StatePage> {
    await this.entries.groupSettled(group);
    return this.reader.list(group, options, this.clock.now());
  }

  async listGroups(options: PageOptions): Promise<StateGroupPage> {
    await this.entries.allSettled();
    return this.reader.listGroups(options, this.clock.now());
  }

  /** In commits of 1,000 keys each. Keys that are written while it runs stay. */
  async clear(group: string, changes?: ClearChanges): Promise<number> {
    const written = new Set<string>();
    const running = this.clearing.get(group) ?? new Set();
    this.clearing.set(group, running.add(written));
    try {
      await this.entries.groupSettled(group);
      return await this.clearAll({ group, written, changes });
    } finally {
      running.delete(written);
      if (running.size === 0) this.clearing.delete(group);
    }
  }

  async pendingChanges(limit: number, after?: string): Promise<readonly PendingChange[]> {
    return Promise.resolve(this.reader.pendingChanges(limit, after));
  }

  async settleChanges(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.store.apply({ operation: 'state.settle', rows: ids.map((id) => [id]) });
  }

  /** Expired values become rows without value; rows without value are forgotten after a day. */
  async sweep(): Promise<void> {
    await applyUntilFewer(this.store, 'state.sweep', SWEEP_LIMIT, () => {
      const now = this.clock.now();
      return [now, now + DELETED_REVISION_MS, SWEEP_LIMIT];
    });
  }

  private spare({ group, key }: Pick<StateWrite, 'group' | 'key'>): void {
    const running = this.clearing.get(group);
    if (running) for (const written of running) written.add(key);
  }

  private async clearAll({ group, written, changes }: Clearing): Promise<number> {
    let removed = 0;
    for (let after: string | undefined, more = true; more;) {
      const keys = this.reader.keys(group, after, { now: this.clock.now(), limit: CLEAR_LIMIT });
      const writes = keys.filter((key) => !written.has(key)).map((key) => this.entries.write({
        group, key, recordChange: changes?.wants(key) ?? false, origin: changes?.origin, next: () => ({ action: 'delete' }),
      }));
      for (const { before } of await Promise.all(writes)) removed += before ? 1 : 0;
      after = keys.at(-1);
      more = keys.length === CLEAR_LIMIT;
    }
    return removed;
  }
}

interface Clearing {
  readonly group: string;
  /** Keys that it leaves alone. */
  readonly written: ReadonlySet<string>;
  readonly changes: ClearChanges | undefined;
}
