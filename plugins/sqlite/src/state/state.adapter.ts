import {
  Adapter, EngineInfo, Inject, InjectConfig, type ModuleContext, type PendingChange, type StateAdapter, type StateCapabilities,
  type StateEntry, type StateGroupPage, type StatePage, StateSlot, type StateWrite, type StateWriteResult,
} from '@treadle/api';
import { type StoreUse, useStore } from '../store/shared-store.js';
import { REMEMBER_MS, StateEntries } from './state-entries.js';
import { type PageOptions, StateReader } from './state-reader.js';
import { SqliteStateConfig, STATE_DEFAULTS } from './state.config.js';

const SWEEP_EVERY_MS = 5_000;
/** Rows per sweep; more are swept at once. */
const SWEEP_LIMIT = 1_000;
const CLEAR_LIMIT = 1_000;
const MB = 1_000_000;

/** What works between init and stop. */
interface Working {
  readonly use: StoreUse;
  readonly entries: StateEntries;
  readonly reader: StateReader;
  readonly context: ModuleContext;
  readonly sweeping: { cancel(): void };
}

/** Keeps state in the embedded store. */
@Adapter<SqliteStateConfig, StateCapabilities>({
  id: 'modules::state::adapters::Sqlite',
  slot: StateSlot,
  summary: 'Keeps state in an embedded SQLite database; acknowledged writes survive a power cut.',
  stability: 'beta',
  since: '0.1.0',
  config: SqliteStateConfig,
  capabilities: (config) => ({
    durable: config.store_method === 'file_based', atomicUpdate: 'process', compareAndSet: true, listing: true, ttl: 'ms',
    multiEngine: false, maxValueBytes: 1_000_000,
  }),
  variants: {
    file_based: STATE_DEFAULTS,
    relaxed: { ...STATE_DEFAULTS, durability: 'relaxed' },
    in_memory: { ...STATE_DEFAULTS, store_method: 'in_memory' },
  },
})
export class SqliteStateAdapter implements StateAdapter {
  private working: Working | undefined;
  /** Keys written since a `clear` of their group began; it leaves them alone. */
  private readonly clearing = new Map<string, Set<Set<string>>>();

  constructor(@InjectConfig() private readonly config: SqliteStateConfig, @Inject(EngineInfo) private readonly engine: EngineInfo) {}

  async init(context: ModuleContext): Promise<void> {
    const { config } = this;
    const use = await useStore(context, this.engine, config);
    const reader = new StateReader(use.store.reads);
    const entries = new StateEntries(use.store, reader, context.clock, config.cache_mb * MB);
    const sweeping = context.clock.every(SWEEP_EVERY_MS, () => void this.sweep());
    this.working = { use, entries, reader, context, sweeping };
  }

  async stop(): Promise<void> {
    const { working } = this;
    this.working = undefined;
    working?.sweeping.cancel();
    working?.use.leave();
    return Promise.resolve();
  }

  get(group: string, key: string): Promise<StateEntry | undefined> {
    return this.open.entries.get(group, key);
  }

  write(write: StateWrite): Promise<StateWriteResult> {
    const running = this.clearing.get(write.group);
    if (running) for (const written of running) written.add(write.key);
    return this.open.entries.write(write);
  }

  async list(group: string, options: PageOptions): Promise<StatePage> {
    await this.open.entries.groupSettled(group);
    const { reader, context } = this.open;
    return reader.list(group, options, context.clock.now());
  }

  async listGroups(options: PageOptions): Promise<StateGroupPage> {
    const { reader, context, entries } = this.open;
    await entries.allSettled();
    return reader.listGroups(options, context.clock.now());
  }

  /** In commits of 1,000 keys each. Keys that are written while it runs stay. */
  async clear(group: string): Promise<number> {
    const written = new Set<string>();
    const running = this.clearing.get(group) ?? new Set();
    this.clearing.set(group, running.add(written));
    try {
      return await this.clearAll(group, written);
    } finally {
      running.delete(written);
      if (running.size === 0) this.clearing.delete(group);
    }
  }

  async pendingChanges(limit: number): Promise<readonly PendingChange[]> {
    return Promise.resolve(this.open.reader.pendingChanges(limit));
  }

  async settleChanges(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.open.use.store.apply({ operation: 'state.settle', rows: ids.map((id) => [id]) });
  }

  private get open(): Working {
    if (!this.working) throw new Error('the state adapter is not open');
    return this.working;
  }

  private async clearAll(group: string, written: ReadonlySet<string>): Promise<number> {
    const { entries, reader, context } = this.open;
    await entries.groupSettled(group);
    let removed = 0;
    for (let after: string | undefined, more = true; more;) {
      const keys = reader.keys(group, after, { now: context.clock.now(), limit: CLEAR_LIMIT });
      const writes = keys.filter((key) => !written.has(key)).map((key) => entries.write({
        group, key, recordChange: false, next: () => ({ action: 'delete' }),
      }));
      for (const { before } of await Promise.all(writes)) removed += before ? 1 : 0;
      after = keys.at(-1);
      more = keys.length === CLEAR_LIMIT;
    }
    return removed;
  }

  /** Expired values become rows without value; rows without value are forgotten after a day. */
  private async sweep(): Promise<void> {
    const { working } = this;
    if (!working) return;
    const { use: { store }, context: { clock, log } } = working;
    const row = [clock.now(), clock.now() + REMEMBER_MS, SWEEP_LIMIT];
    try {
      const found = await store.apply({ operation: 'state.sweep', rows: [row] });
      if (found === SWEEP_LIMIT) await this.sweep();
    } catch (error) {
      // Reads do not depend on it and the next round tries again.
      log.debug('sweep of expired state failed', { reason: (error as Error).message });
    }
  }
}
