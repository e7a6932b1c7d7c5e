import {
  Adapter, type ClearChanges, EngineInfo, Inject, InjectConfig, type ModuleContext, type PendingChange, type SharedChanges,
  type StateAdapter, type StateCapabilities, type StateEntry, type StateGroupPage, type StatePage, StateSlot, type StateWrite, type StateWriteResult, StorePart,
} from '@treadle/api';
import type { NatsStore } from '../store/nats-store.js';
import { useStore } from '../store/shared-store.js';
import { NATS_DEFAULTS, NatsConfig, sharedServer } from '../store/store.config.js';
import type { PageOptions } from '../store/pages.js';
import { StateStore } from './state-store.js';

/** Keeps state in NATS JetStream, for any number of engines; updates are atomic over all of them. */
@Adapter<NatsConfig, StateCapabilities>({
  id: 'modules::state::adapters::Nats',
  slot: StateSlot,
  summary: 'Keeps state in NATS JetStream, for several engines; updates are atomic over all of them.',
  stability: 'beta',
  since: '0.1.0',
  config: NatsConfig,
  capabilities: { durable: true, atomicUpdate: 'store', compareAndSet: true, listing: true, ttl: 'ms', multiEngine: true, maxValueBytes: 1_000_000 },
  shares: sharedServer,
  variants: { nats: NATS_DEFAULTS },
})
export class NatsStateAdapter implements StateAdapter {
  readonly shared: SharedChanges = {
    lead: (leaseMs) => this.state.changes.lead(leaseMs),
    onChanges: (listener) => this.state.changes.onChanges(listener),
  };
  private readonly opened = new StorePart<NatsStore, StateStore>('state');

  constructor(@InjectConfig() private readonly config: NatsConfig, @Inject(EngineInfo) private readonly engine: EngineInfo) {}

  async init(context: ModuleContext): Promise<void> {
    await this.opened.open(context, await useStore(context, this.engine, this.config), (store) => StateStore.open(store));
  }

  async stop(): Promise<void> {
    await this.opened.close();
  }

  async get(group: string, key: string): Promise<StateEntry | undefined> {
    return this.state.reader.get(group, key);
  }

  async write(write: StateWrite): Promise<StateWriteResult> {
    return this.state.write(write);
  }

  async list(group: string, options: PageOptions): Promise<StatePage> {
    return this.state.reader.list(group, options);
  }

  async listGroups(options: PageOptions): Promise<StateGroupPage> {
    return this.state.reader.listGroups(options);
  }

  async clear(group: string, changes?: ClearChanges): Promise<number> {
    return this.state.clear(group, changes);
  }

  async pendingChanges(limit: number, after?: string): Promise<readonly PendingChange[]> {
    return this.state.changes.pending(limit, after);
  }

  async settleChanges(ids: readonly string[]): Promise<void> {
    await this.state.changes.settle(ids);
  }

  private get state(): StateStore {
    return this.opened.part;
  }
}
