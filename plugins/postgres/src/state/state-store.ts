import { DELETED_REVISION_MS, Batcher, type ClearChanges, decodeKey, encodeKey, type StateEntry, type StateWrite, type StateWriteResult, TaskLane, type Unsubscribe } from '@treadle/api';
import { ChangeFeed } from '../store/change-feed.js';
import type { PgStore } from '../store/pg-store.js';
import { StateReader } from './state-reader.js';
import { placeOf, StateWriter } from './state-writer.js';

/** Keys of one page of a `clear`, and rows of one sweep. */
const PORTION = 1_000;
/** Beats between two sweeps. */
const SWEEP_BEATS = 5;

const EXPIRE = `UPDATE state_entries SET value = NULL, due_at = $2 WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM state_entries WHERE due_at <= $1 AND value IS NOT NULL LIMIT $3 FOR UPDATE SKIP LOCKED)) RETURNING 1`;
const FORGET = `WITH gone AS (DELETE FROM state_entries WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM state_entries WHERE due_at <= $1 AND value IS NULL LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING grp, revision)
  INSERT INTO state_floors AS f (grp, revision) SELECT grp, max(revision) FROM gone GROUP BY grp
  ON CONFLICT (grp) DO UPDATE SET revision = GREATEST(f.revision, excluded.revision) RETURNING 1`;

const OPENED = new WeakMap<PgStore, StateStore>();

/** The state of one schema as one engine sees it. */
export class StateStore {
  readonly reader: StateReader;
  readonly changes: ChangeFeed;
  private readonly writer: StateWriter;
  private readonly reads: Batcher<{ readonly group: string; readonly key: string }, StateEntry | undefined>;
  private readonly unlisten: Unsubscribe;
  private beats = 0;

  constructor(readonly store: PgStore) {
    this.reader = new StateReader(store);
    this.changes = new ChangeFeed(store, { task: 'state changes', kind: 'c', table: 'state_changes' });
    this.writer = new StateWriter(store, () => this.changes.stored());
    this.reads = new Batcher(new TaskLane(), PORTION, (places) => this.writer.read(places.map(placeOf)));
    this.unlisten = store.listen({ beat: () => this.beat() });
    OPENED.set(store, this);
  }

  /** Of a store that an adapter of this engine has open. */
  static opened(store: PgStore): StateStore | undefined {
    return OPENED.get(store);
  }

  async get(group: string, key: string): Promise<StateEntry | undefined> {
    return (await this.reads.add([{ group, key }]))[0];
  }

  write(write: StateWrite): Promise<StateWriteResult> {
    return this.writer.write(write);
  }

  /** Keys that are written while it runs stay. */
  async clear(group: string, changes?: ClearChanges): Promise<number> {
    let removed = 0;
    for (let after: string | undefined, more = true; more;) {
      const keys = await this.reader.keys(encodeKey(group), after, PORTION);
      const writes = keys.map(({ key: stored, revision }) => {
        const key = decodeKey(stored);
        return this.writer.write({
          group, key, recordChange: changes?.wants(key) ?? false, origin: changes?.origin,
          next: (current) => (current?.revision === revision ? { action: 'delete' } : { action: 'keep' }),
        });
      });
      for (const { before, after: left } of await Promise.all(writes)) removed += before && !left ? 1 : 0;
      after = keys.at(-1)?.key;
      more = keys.length === PORTION;
    }
    return removed;
  }

  close(): void {
    this.unlisten();
    if (OPENED.get(this.store) === this) OPENED.delete(this.store);
    this.changes.close();
  }

  private async beat(): Promise<void> {
    this.beats += 1;
    if (this.beats % SWEEP_BEATS !== 0) return;
    const { connections, time } = this.store;
    const now = time.now();
    while ((await connections.rows(EXPIRE, [now, now + DELETED_REVISION_MS, PORTION])).length === PORTION);
    await connections.rows(FORGET, [now, PORTION]);
  }
}
