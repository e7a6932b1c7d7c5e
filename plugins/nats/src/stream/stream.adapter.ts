import {
  Adapter, EngineInfo, Inject, InjectConfig, type Json, type ModuleContext, type PendingStreamChange, type SharedStreams, type StateEntry,
  type StateGroupPage, type StateListOptions, type StreamAdapter, type StreamCapabilities, type StreamEvent, type StreamGroup, type StreamItem,
  type StreamPosition, StreamSlot, type StreamWrite, type StreamWriteResult, type Unsubscribe, StorePart,
} from '@treadle/api';
import { useStore } from '../store/shared-store.js';
import type { NatsStore } from '../store/nats-store.js';
import { NATS_DEFAULTS, NatsConfig, sharedServer } from '../store/store.config.js';
import { StreamStore } from './stream-store.js';

/** Keeps the items of streams, and the one order of their events, in NATS JetStream, for any number of engines. */
@Adapter<NatsConfig, StreamCapabilities>({
  id: 'modules::stream::adapters::Nats',
  slot: StreamSlot,
  summary: 'Keeps streams in NATS JetStream, for several engines; clients resume at any of them.',
  stability: 'beta',
  since: '0.1.0',
  config: NatsConfig,
  capabilities: { durable: true, resumes: 'always', multiEngine: true, maxItemBytes: 1_000_000 },
  shares: sharedServer,
  variants: { nats: NATS_DEFAULTS },
})
export class NatsStreamAdapter implements StreamAdapter {
  readonly shared: SharedStreams = {
    now: () => this.opened.store.time.now(),
    follow: (group) => this.opened.part.follow(group),
    eventsAfter: (group, position, limit) => this.opened.part.eventsAfter(group, position, limit),
    changes: {
      lead: (leaseMs) => this.opened.part.changes.lead(leaseMs),
      onChanges: (listener) => this.opened.part.changes.onChanges(listener),
    },
  };
  private readonly opened = new StorePart<NatsStore, StreamStore>('stream');

  constructor(@InjectConfig() private readonly config: NatsConfig, @Inject(EngineInfo) private readonly engine: EngineInfo) {}

  async init(context: ModuleContext): Promise<void> {
    await this.opened.open(context, await useStore(context, this.engine, this.config), (store) => StreamStore.open(store, context.log));
  }

  async stop(): Promise<void> {
    await this.opened.close();
  }

  async get(group: StreamGroup, id: string): Promise<StateEntry | undefined> {
    return this.opened.part.get(group, id);
  }

  async write(write: StreamWrite): Promise<StreamWriteResult> {
    return this.opened.part.write(write);
  }

  async snapshot(group: StreamGroup): Promise<{ readonly items: readonly StreamItem[]; readonly position: StreamPosition }> {
    return this.opened.part.snapshot(group);
  }

  async listGroups(stream: string, options: StateListOptions & { readonly limit: number }): Promise<StateGroupPage> {
    return this.opened.part.listGroups(stream, options);
  }

  async send(group: StreamGroup, event: { readonly id?: string | undefined; readonly type: string; readonly data: Json }): Promise<void> {
    await this.opened.part.send(group, event);
  }

  watch(listener: (event: StreamEvent) => void): Unsubscribe {
    return this.opened.part.watch(listener);
  }

  async pendingChanges(limit: number, after?: string): Promise<readonly PendingStreamChange[]> {
    return this.opened.part.changes.pending(limit, after);
  }

  async settleChanges(ids: readonly string[]): Promise<void> {
    await this.opened.part.changes.settle(ids);
  }
}
