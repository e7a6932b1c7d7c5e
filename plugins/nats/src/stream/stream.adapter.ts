import {
  Adapter, EngineInfo, Inject, InjectConfig, type Json, type ModuleContext, OperationError, type PendingStreamChange, type SharedStreams, type StateEntry,
  type StateGroupPage, type StateListOptions, type StreamAdapter, type StreamCapabilities, type StreamEvent, type StreamGroup, type StreamItem,
  type StreamPosition, StreamSlot, type StreamWrite, type StreamWriteResult, type Unsubscribe,
} from '@treadle/api';
import { useStore } from '../store/shared-store.js';
import type { NatsStore } from '../store/nats-store.js';
import { NATS_DEFAULTS, NatsConfig, sharedServer } from '../store/store.config.js';
import { StreamStore } from './stream-store.js';

/** What there is between init and stop. */
interface Working {
  readonly streams: StreamStore;
  readonly store: NatsStore;
  leave(): Promise<void>;
}

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
    now: () => this.open.store.time.now(),
    follow: (group) => this.open.streams.follow(group),
    eventsAfter: (group, position, limit) => this.open.streams.eventsAfter(group, position, limit),
    changes: {
      lead: (leaseMs) => this.open.streams.changes.lead(leaseMs),
      onChanges: (listener) => this.open.streams.changes.onChanges(listener),
    },
  };
  private working: Working | undefined;

  constructor(@InjectConfig() private readonly config: NatsConfig, @Inject(EngineInfo) private readonly engine: EngineInfo) {}

  async init(context: ModuleContext): Promise<void> {
    const { store, leave } = await useStore(context, this.engine, this.config);
    const streams = await StreamStore.open(store, context.log);
    this.working = {
      streams,
      store,
      leave: async () => {
        await streams.close();
        leave();
      },
    };
  }

  async stop(): Promise<void> {
    const { working } = this;
    this.working = undefined;
    await working?.leave();
  }

  async get(group: StreamGroup, id: string): Promise<StateEntry | undefined> {
    return this.open.streams.get(group, id);
  }

  async write(write: StreamWrite): Promise<StreamWriteResult> {
    return this.open.streams.write(write);
  }

  async snapshot(group: StreamGroup): Promise<{ readonly items: readonly StreamItem[]; readonly position: StreamPosition }> {
    return this.open.streams.snapshot(group);
  }

  async listGroups(stream: string, options: StateListOptions & { readonly limit: number }): Promise<StateGroupPage> {
    return this.open.streams.listGroups(stream, options);
  }

  async send(group: StreamGroup, event: { readonly id?: string | undefined; readonly type: string; readonly data: Json }): Promise<void> {
    await this.open.streams.send(group, event);
  }

  watch(listener: (event: StreamEvent) => void): Unsubscribe {
    return this.open.streams.watch(listener);
  }

  async pendingChanges(limit: number, after?: string): Promise<readonly PendingStreamChange[]> {
    return this.open.streams.changes.pending(limit, after);
  }

  async settleChanges(ids: readonly string[]): Promise<void> {
    await this.open.streams.changes.settle(ids);
  }

  private get open(): Working {
    if (!this.working) throw new OperationError('StorageClosed', 'the stream adapter is not open');
    return this.working;
  }
}
