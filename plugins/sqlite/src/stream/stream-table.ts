import { randomBytes } from 'node:crypto';
import {
  type Clock, decodeKey, encodeKey, type Json, type Logger, type PendingStreamChange, type StateEntry, type StateGroupPage, type StateListOptions,
  type StreamCommitWrite, type StreamEvent, type StreamGroup, type StreamItem, type StreamPosition, type StreamWrite, type StreamWriteResult,
  type Unsubscribe,
} from '@treadle/api';
import { ChangeIds } from '../store/change-ids.js';
import type { SqliteStore } from '../store/sqlite-store.js';
import { storedEntry } from '../store/stored-entry.js';
import { applyUntilFewer } from '../store/sweeping.js';
import { GroupLog, type PendingItem, type PlacelessEvent } from './group-log.js';
import { ItemWrite } from './item-write.js';
import { StreamReader, type StoredItem } from './stream-reader.js';

/** How long a group stays in memory unused, and how long one without items is remembered at all; milliseconds. */
const IDLE_MS = 600_000;
const REMEMBER_MS = 7 * 86_400_000;
const FORGET_LIMIT = 1_000;

/** What a table needs beside its store. */
export interface TableOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** The store survives whatever the engine does with each position that was given, so the epoch may go on. */
  readonly keepsEpoch: boolean;
}

/** An item before a write that goes with something else. */
export interface ItemLook {
  readonly write: StreamCommitWrite;
  readonly log: GroupLog;
  readonly item: string;
  readonly current: StoredItem | undefined;
}

const TABLES = new WeakMap<SqliteStore, Promise<StreamTable>>();

/** The streams of one store: all that adapters do, shared by those that have the same file, so that a group has one order. */
export class StreamTable {
  private readonly groups = new Map<string, GroupLog>();
  private readonly watchers = new Set<(event: StreamEvent) => void>();
  private readonly changes: ChangeIds;
  private ord: number;

  private constructor(
    private readonly store: SqliteStore, private readonly reader: StreamReader, private readonly options: TableOptions,
    private readonly epoch: string,
  ) {
    this.ord = reader.lastOrd();
    this.changes = new ChangeIds(store.identity, 'S');
  }

  /** The table of a store; the first who asks decides on its options. */
  static of(store: SqliteStore, options: TableOptions): Promise<StreamTable> {
    const known = TABLES.get(store);
    if (known) return known;
    const table = StreamTable.open(store, options);
    TABLES.set(store, table);
    // One that could not be opened is not there: the next who asks tries again.
    table.catch(() => TABLES.delete(store));
    return table;
  }

  /** The table of a store that an adapter has open. */
  static opened(store: SqliteStore): Promise<StreamTable> | undefined {
    return TABLES.get(store);
  }

  private static async open(store: SqliteStore, options: TableOptions): Promise<StreamTable> {
    const reader = new StreamReader(store.reads);
    const known = options.keepsEpoch ? reader.epoch() : undefined;
    const epoch = known ?? randomBytes(9).toString('base64url');
    if (!options.keepsEpoch) await store.apply({ operation: 'stream.reset', rows: [] });
    else if (!known) await store.apply({ operation: 'stream.epoch', rows: [[epoch]] });
    return new StreamTable(store, reader, options, epoch);
  }

  async get(of: StreamGroup, id: string): Promise<StateEntry | undefined> {
    const [stream, group, item] = [encodeKey(of.stream), encodeKey(of.groupId), encodeKey(id)];
    for (;;) {
      const pending = this.groups.get(keyOf(of))?.pending.get(item);
      if (!pending) return entryOf(this.reader.item(stream, group, item));
      if (await told(pending)) return entryOf(pending.latest);
    }
  }

  async write(write: StreamWrite): Promise<StreamWriteResult> {
    const log = this.open(write);
    const item = encodeKey(write.id);
    for (;;) {
      const pending = log.pending.get(item);
      const current = pending ? pending.latest : this.reader.item(log.stream, log.group, item);
      const before = entryOf(current);
      const decision = write.next(before);
      if (decision.action === 'set' || (decision.action === 'delete' && before)) {
        const now = this.options.clock.now();
        return new ItemWrite({ log, item, write, current, decision, now }, this).send().done;
      }
      if (!pending || await told(pending)) return { before, after: before };
    }
  }

  /** The item of a write as it is; undefined when somebody is writing it, or when it has another revision than it should. */
  look(write: StreamCommitWrite): ItemLook | undefined {
    const { group, id, ifRevision } = write;
    const item = encodeKey(id);
    const log = this.open(group);
    if (log.pending.has(item)) return undefined;
    const current = this.reader.item(log.stream, log.group, item);
    const revision = current && current.text !== null ? current.revision : 0;
    return ifRevision === undefined || revision === ifRevision ? { write, log, item, current } : undefined;
  }

  /** The write of an item that was looked at in this turn, to be written with something else; undefined when it changes nothing. */
  prepare({ write: { group, id, decision, change }, log, item, current }: ItemLook): ItemWrite | undefined {
    if (decision.action === 'keep' || (decision.action === 'delete' && (current?.text ?? null) === null)) return undefined;
    const write = { ...group, id, next: () => decision, change: () => change };
    return new ItemWrite({ log, item, write, current, decision, now: this.options.clock.now() }, this);
  }

  async snapshot(of: StreamGroup): Promise<{ items: readonly StreamItem[]; position: StreamPosition }> {
    // Never in the middle of what a commit sets off: the store is then ahead of what watchers know.
    await Promise.resolve();
    const log = this.open(of);
    const stored = this.reader.items(log.stream, log.group);
    const items = log.pending.size === 0 ? [...stored] : asTold(stored, log.pending);
    return {
      items: items.map(([item, { text, revision }]) => ({ id: decodeKey(item), value: JSON.parse(text ?? 'null') as Json, revision })),
      position: { epoch: this.epoch, seq: log.seq },
    };
  }

  listGroups(stream: string, options: StateListOptions & { readonly limit: number }): StateGroupPage {
    return this.reader.listGroups(stream, options);
  }

  send(of: StreamGroup, event: PlacelessEvent): Promise<void> {
    return new Promise((resolve, reject) => {
      this.open(of).emit(event, false, (error) => (error ? reject(error) : resolve()));
    });
  }

  watch(listener: (event: StreamEvent) => void): Unsubscribe {
    // A set of wrappers: the same function may watch twice.
    const own = (event: StreamEvent): void => listener(event);
    this.watchers.add(own);
    return () => void this.watchers.delete(own);
  }

  pendingChanges(limit: number, after?: string): readonly PendingStreamChange[] {
    return this.reader.pendingChanges(limit, after);
  }

  async settleChanges(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.store.apply({ operation: 'stream.settle', rows: ids.map((id) => [id]) });
  }

  /** Lets go of groups that nobody has used for ten minutes, and forgets those without items after a week. */
  async sweep(): Promise<void> {
    const idleSince = this.options.clock.now() - IDLE_MS;
    const idle = [...this.groups.values()].filter((log) => log.quiet && log.usedAt < idleSince);
    await this.releaseAll(idle);
    // One that was used meanwhile has asked for positions again, or will.
    for (const log of idle) if (log.quiet && log.usedAt < idleSince) this.groups.delete(keyOf(log.of));
    await applyUntilFewer(this.store, 'stream.forget', FORGET_LIMIT, () => [this.options.clock.now() - REMEMBER_MS, FORGET_LIMIT]);
  }

  /** Stores where each group is, so that the next run goes on exactly there. */
  async close(): Promise<void> {
    await this.releaseAll([...this.groups.values()].filter(({ quiet }) => quiet));
  }

  /** Adds a write to the store's next group. */
  get writeToStore(): SqliteStore['write'] {
    return this.store.write.bind(this.store);
  }

  nextOrd(): number {
    this.ord += 1;
    return this.ord;
  }

  nextChange(): string {
    return this.changes.next();
  }

  private async releaseAll(logs: readonly GroupLog[]): Promise<void> {
    const rows = logs.map((log) => log.release()).filter((row) => row !== undefined);
    if (rows.length > 0) await this.store.apply({ operation: 'stream.release', rows });
  }

  private open(of: StreamGroup): GroupLog {
    const key = keyOf(of);
    let log = this.groups.get(key);
    const { clock } = this.options;
    if (!log) {
      const { stream, groupId } = of;
      const row = this.reader.group(encodeKey(stream), encodeKey(groupId));
      log = new GroupLog({ stream, groupId }, row, this.store, clock, (event) => this.tell(event), this.epoch);
      this.groups.set(key, log);
    }
    log.usedAt = clock.now();
    return log;
  }

  private tell(event: StreamEvent): void {
    for (const watcher of this.watchers) {
      try {
        watcher(event);
      } catch (error) {
        // The event has happened; whoever stumbled over it must not keep it from the others.
        this.options.log.error('a watcher of streams failed', { stream: event.stream, reason: String(error) });
      }
    }
  }
}

const keyOf = ({ stream, groupId }: StreamGroup): string => `${stream.length} ${stream}${groupId}`;

function entryOf(item: StoredItem | undefined): StateEntry | undefined {
  return item && item.text !== null ? storedEntry(item.text, item.revision) : undefined;
}

function told(pending: PendingItem): Promise<boolean> {
  return new Promise((resolve) => void pending.latest.waiting.push(resolve));
}

/** The items as watchers know them: without what is stored but was not told yet. */
function asTold(stored: Map<string, StoredItem>, pending: ReadonlyMap<string, PendingItem>): [string, StoredItem][] {
  for (const [item, known] of pending) {
    if (known.told && known.told.text !== null) stored.set(item, known.told);
    else stored.delete(item);
  }
  return [...stored].sort(([, a], [, b]) => a.ord - b.ord);
}
