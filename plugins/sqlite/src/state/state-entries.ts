import { type Clock, DELETED_REVISION_MS, encodeKey, type StateCommitWrite, type StateDecision, type StateEntry, type StateWrite, type StateWriteResult } from '@treadle/api';
import { ChangeIds } from '../store/change-ids.js';
import type { SqliteStore } from '../store/sqlite-store.js';
import type { Row, WriteRequest } from '../store/store-area.js';
import type { PreparedWrite } from '../store/prepared-write.js';
import type { Settled, Ticket } from '../store/write-queue.js';
import { type CachedEntry, EntryCache } from './entry-cache.js';
import { storedEntry } from '../store/stored-entry.js';
import type { StateReader } from './state-reader.js';

/** An entry that a write on its way to the disk will make. */
interface PendingEntry extends CachedEntry {
  ticket: Ticket | undefined;
  /** Called with true once it is durable, with false when it has failed. */
  waiting: ((durable: boolean) => void)[] | undefined;
}

/** Where an entry is, in the database's form. */
interface Place {
  readonly group: string;
  readonly key: string;
  /** Group and key as one text; NUL occurs in neither. */
  readonly id: string;
}

/**
 * Reads and writes single entries. The newest value of a key, durable or not yet, is always in memory while it is being
 * written, so a read-modify-write happens within one turn; whoever is shown a value waits until it is durable.
 */
export class StateEntries {
  private readonly cache: EntryCache;
  private readonly pending = new Map<string, PendingEntry>();
  /** The last write of each group that is under way. */
  private readonly lastOfGroup = new Map<string, PendingEntry>();
  private readonly changes: ChangeIds;

  constructor(
    private readonly store: SqliteStore, private readonly reader: StateReader, private readonly clock: Clock, cacheBytes: number,
  ) {
    this.cache = new EntryCache(cacheBytes);
    this.changes = new ChangeIds(store.identity);
  }

  async get(group: string, key: string): Promise<StateEntry | undefined> {
    const place = placeOf(group, key);
    for (;;) {
      const pending = this.pending.get(place.id);
      if (!pending) return this.visible(this.committed(place));
      if (await durable(pending)) return this.visible(pending);
    }
  }

  /** When an entry expires that is there; milliseconds. */
  async expiryOf(group: string, key: string): Promise<number | undefined> {
    const place = placeOf(group, key);
    for (;;) {
      const pending = this.pending.get(place.id);
      const entry = pending ?? this.committed(place);
      if (!pending || await durable(pending)) return this.isLive(entry) ? entry.dueAt ?? undefined : undefined;
    }
  }

  async write(write: StateWrite): Promise<StateWriteResult> {
    const place = placeOf(write.group, write.key);
    for (;;) {
      const base = this.pending.get(place.id);
      const entry = base ?? this.committed(place);
      const before = this.visible(entry);
      const decision = write.next(before);
      const writes = decision.action === 'set' || (decision.action === 'delete' && before !== undefined);
      if (writes) return this.change({ place, entry, live: before !== undefined, recordChange: write.recordChange, origin: write.origin }, decision, { before, base: base?.ticket });
      if (!base || await durable(base)) return { before, after: before };
    }
  }

  /** Whether nobody is writing the key, and it has the revision; 0: there is none. Default: any. */
  holds(group: string, key: string, revision?: number): boolean {
    const place = placeOf(group, key);
    if (this.pending.has(place.id)) return false;
    if (revision === undefined) return true;
    const entry = this.committed(place);
    return (this.isLive(entry) ? entry.revision : 0) === revision;
  }

  /** A write of a key that nobody is writing, to be written with something else; undefined when it changes nothing. */
  prepare({ group, key, decision, change }: StateCommitWrite): PreparedWrite | undefined {
    const place = placeOf(group, key);
    const entry = this.committed(place);
    const live = this.isLive(entry);
    if (decision.action === 'keep' || (decision.action === 'delete' && !live)) return undefined;
    const from = { place, entry, live, recordChange: change !== undefined, origin: change?.origin };
    const made = this.enter(from, decision);
    return {
      request: this.requestOf(from, made),
      sent: (ticket) => {
        made.ticket = ticket;
      },
      settled: (outcome) => this.settle(place, made, outcome),
    };
  }

  /** Resolves when all writes of the group that are under way now are settled. */
  async groupSettled(group: string): Promise<void> {
    const last = this.lastOfGroup.get(encodeKey(group));
    if (last) await durable(last);
  }

  /** As `groupSettled`, for all groups. */
  async allSettled(): Promise<void> {
    await Promise.all([...this.lastOfGroup.values()].map(durable));
  }

  private change(
    from: WriteStart, decision: StateDecision, { before, base }: { readonly before: StateEntry | undefined; readonly base: Ticket | undefined },
  ): Promise<StateWriteResult> {
    const { place } = from;
    const made = this.enter(from, decision);
    const { text } = made;
    return new Promise((resolve, reject) => {
      made.ticket = this.store.write(this.requestOf(from, made), (outcome) => {
        this.settle(place, made, outcome);
        if (!outcome.ok) reject(outcome.error);
        else resolve({ before, after: text === null ? undefined : storedEntry(text, made.revision) });
      }, base);
    });
  }

  /** What the decision makes of the entry, which counts for whoever reads or writes from now on. */
  private enter(from: WriteStart, decision: StateDecision): PendingEntry {
    const { place } = from;
    const made = this.made(from, decision);
    this.cache.delete(place.id);
    this.pending.set(place.id, made);
    this.lastOfGroup.set(place.group, made);
    return made;
  }

  private made({ entry, live }: WriteStart, decision: StateDecision): PendingEntry {
    const rest = { revision: entry.revision + 1, ticket: undefined, waiting: undefined };
    if (decision.action !== 'set') return { text: null, dueAt: this.clock.now() + DELETED_REVISION_MS, ...rest };
    const dueAt = decision.keepExpiry && live ? entry.dueAt : decision.expiresAt ?? null;
    return { text: decision.text ?? JSON.stringify(decision.value), dueAt, ...rest };
  }

  private requestOf({ place, entry, live, recordChange, origin = null }: WriteStart, made: CachedEntry): WriteRequest {
    const { text, revision, dueAt } = made;
    const row: Row = [place.group, place.key, text, revision, dueAt];
    const operation = text === null ? 'state.delete' : 'state.put';
    return { operation, rows: [recordChange ? [...row, this.changes.next(), live ? entry.text : null, text, origin] : row] };
  }

  private settle(place: Place, made: PendingEntry, outcome: Settled): void {
    if (this.pending.get(place.id) === made) {
      this.pending.delete(place.id);
      const { text, revision, dueAt } = made;
      if (outcome.ok) this.cache.set(place.id, { text, revision, dueAt });
    }
    if (this.lastOfGroup.get(place.group) === made) this.lastOfGroup.delete(place.group);
    for (const resolve of made.waiting ?? []) resolve(outcome.ok);
  }

  private committed({ id, group, key }: Place): CachedEntry {
    const cached = this.cache.get(id);
    if (cached) return cached;
    const read = this.reader.entry(group, key);
    this.cache.set(id, read);
    return read;
  }

  private visible(entry: CachedEntry): StateEntry | undefined {
    return this.isLive(entry) ? storedEntry(entry.text, entry.revision) : undefined;
  }

  private isLive(entry: CachedEntry): entry is CachedEntry & { readonly text: string } {
    return entry.text !== null && (entry.dueAt === null || entry.dueAt > this.clock.now());
  }
}

/** What a change starts from. */
interface WriteStart {
  readonly place: Place;
  readonly entry: CachedEntry;
  /** There was a value. */
  readonly live: boolean;
  readonly recordChange: boolean;
  readonly origin: string | null | undefined;
}

function placeOf(groupText: string, keyText: string): Place {
  const group = encodeKey(groupText);
  const key = encodeKey(keyText);
  return { group, key, id: `${group}\0${key}` };
}

function durable(pending: PendingEntry): Promise<boolean> {
  return new Promise((resolve) => {
    (pending.waiting ??= []).push(resolve);
  });
}
