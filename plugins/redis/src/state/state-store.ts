import { DELETED_REVISION_MS, Batcher, type ClearChanges, type StateEntry, type StateWrite, type StateWriteResult, TaskLane, type Unsubscribe } from '@treadle/api';
import { ChangeFeed, FEED_SCRIPTS } from '../store/change-feed.js';
import type { RedisStore } from '../store/redis-store.js';
import { StateReader } from './state-reader.js';
import { type Place, placeOf } from './state-rows.js';
import { STATE_SCRIPTS, SWEEP } from './state-scripts.js';
import { StateWriter } from './state-writer.js';

/** Keys that are read together. */
const MOST_READS = 500;
/** Beats between two sweeps, and rows of one script call of a sweep. */
const SWEEP_BEATS = 5;
const SWEEP_ROWS = 100;

const OPENED = new WeakMap<RedisStore, StateStore>();

/** The state of one prefix as one engine sees it. */
export class StateStore {
  readonly reader: StateReader;
  readonly changes: ChangeFeed;
  private readonly writer: StateWriter;
  private readonly reads: Batcher<Place, StateEntry | undefined>;
  private readonly unlisten: Unsubscribe;
  private beats = 0;

  private constructor(private readonly store: RedisStore) {
    this.changes = new ChangeFeed(store, { channel: 'state', word: 'changed', key: 's:changes' });
    this.reader = new StateReader(store, this.changes);
    this.writer = new StateWriter(store, () => this.changes.stored());
    this.reads = new Batcher(new TaskLane(), MOST_READS, (places) => this.writer.read(places));
    this.unlisten = store.listen({ beat: () => this.beat() });
  }

  /** @throws an `OperationError` when the server is away */
  static async open(store: RedisStore): Promise<StateStore> {
    await store.register([...FEED_SCRIPTS, ...STATE_SCRIPTS]);
    const state = new StateStore(store);
    OPENED.set(store, state);
    return state;
  }

  /** That of an adapter of this engine, if there is one. */
  static opened(store: RedisStore): StateStore | undefined {
    return OPENED.get(store);
  }

  async get(group: string, key: string): Promise<StateEntry | undefined> {
    return (await this.reads.add([placeOf({ group, key })]))[0];
  }

  write(write: StateWrite): Promise<StateWriteResult> {
    return this.writer.write(write);
  }

  /** Portion by portion: what is written meanwhile goes as well, or stays. */
  async clear(group: string, changes?: ClearChanges): Promise<number> {
    let removed = 0;
    for (let keys = await this.reader.keys(group, undefined); keys.length > 0; keys = await this.reader.keys(group, keys.at(-1))) {
      const results = await Promise.all(keys.map((key) => this.writer.write({
        group, key, recordChange: changes?.wants(key) ?? false, origin: changes?.origin, next: () => ({ action: 'delete' }), always: { action: 'delete' },
      })));
      removed += results.filter(({ before }) => before !== undefined).length;
    }
    return removed;
  }

  close(): void {
    if (OPENED.get(this.store) === this) OPENED.delete(this.store);
    this.unlisten();
    this.changes.close();
  }

  private async beat(): Promise<void> {
    this.beats += 1;
    if (this.beats % SWEEP_BEATS !== 0) return;
    while (await this.store.run(SWEEP, [this.store.key('s:v')], [DELETED_REVISION_MS, SWEEP_ROWS]) === SWEEP_ROWS);
  }
}
