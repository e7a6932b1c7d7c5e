import {
  Adapter, type CommitOutcome, type ConfigSchema, definePlugin, type DeliveryCommit, EngineInfo, Inject, InjectConfig, type ModuleContext, type QueueCapabilities,
  QueueSlot, type StateCapabilities, StateSlot, type StoreWrite, type StreamCapabilities, StreamSlot,
} from '@treadle/api';
import { MapQueue } from '../map-queue/map-queue.js';
import { MapStore } from '../state-suite/map-store.fixture.js';
import { MapStreams } from '../stream-suite/map-streams.fixture.js';

/** What is wrong with the commits; the suite must find each. */
export const COMMIT_FLAWS = [
  'none', 'settles_first', 'void_writes', 'full_writes', 'no_compare', 'reads_unchecked', 'enqueues_first', 'state_first', 'items_lost', 'wrong_at', 'change_lost', 'repeat_id',
] as const;
export type CommitFlaw = (typeof COMMIT_FLAWS)[number];
interface Config { readonly flaw: CommitFlaw }
interface Limits { readonly maxWaiting: number }

const CONFIG: ConfigSchema<Config> = {
  type: 'object', additionalProperties: false, properties: { flaw: { type: 'string', default: 'none', description: 'What is wrong with it' } },
};

/** The stores of the engines that run, by their root. */
const STATES = new Map<string, MapStore>();
const STREAMS = new Map<string, MapStreams>();

const BESIDE = {
  summary: 'Beside the queue', stability: 'development', since: '0.1.0', store: () => 'memory', variants: { none: { flaw: 'none' } },
  config: { type: 'object', properties: { flaw: { type: 'string', default: 'none', description: 'Nothing is wrong with it' } } },
} as const;

/** State beside the queue. */
@Adapter<{ flaw: 'none' }, StateCapabilities>({
  ...BESIDE, id: 'testing::state::adapters::BesideState', slot: StateSlot,
  capabilities: { durable: false, atomicUpdate: 'process', compareAndSet: true, listing: true, ttl: 'ms', multiEngine: false, maxValueBytes: 1_000_000 },
})
class BesideState extends MapStore {
  override async init(context: ModuleContext): Promise<void> {
    await super.init(context);
    STATES.set(this.engine.root, this);
  }
}

/** Streams beside the queue. */
@Adapter<{ flaw: 'none' }, StreamCapabilities>({
  ...BESIDE, id: 'testing::stream::adapters::BesideStreams', slot: StreamSlot,
  capabilities: { durable: false, resumes: 'never', multiEngine: false, maxItemBytes: 1_000_000 },
})
class BesideStreams extends MapStreams {
  override async init(context: ModuleContext): Promise<void> {
    await super.init(context);
    STREAMS.set(this.engine.root, this);
  }
}

/** A queue in memory that commits everything right, but for one flaw. */
@Adapter<Config, QueueCapabilities>({
  id: 'testing::queue::adapters::CommittingQueue', slot: QueueSlot, summary: 'Commits together', stability: 'development', since: '0.1.0', config: CONFIG,
  capabilities: {
    durable: false, ordering: 'per_key', delayed: true, dedupe: true, multiEngine: false, takeOverMs: 0, counts: 'exact',
    commit: ['settle', 'enqueue', 'state', 'stream'], maxMessageBytes: 1_000_000,
  },
  variants: Object.fromEntries(COMMIT_FLAWS.map((flaw) => [flaw, { flaw }])),
})
export class CommittingQueue extends MapQueue {
  private last: Promise<unknown> = Promise.resolve();

  constructor(@InjectConfig() private readonly config: Config, @Inject(EngineInfo) private readonly info: EngineInfo) {
    super();
  }

  /** One after the other, since looking and writing are not one turn. */
  commitMany(commits: readonly DeliveryCommit[], limits: Limits): Promise<readonly CommitOutcome[]> {
    const mine = this.last.then(async () => {
      const outcomes: CommitOutcome[] = [];
      for (const commit of commits) outcomes.push(await this.commit(commit, limits));
      return outcomes;
    });
    this.last = mine.catch(() => undefined);
    return mine;
  }

  private async commit({ settle, enqueue, writes }: DeliveryCommit, { maxWaiting }: Limits): Promise<CommitOutcome> {
    if (!this.claimed(settle.claim) && !this.has('void_writes')) return { ok: false, why: 'void' };
    if (this.has('settles_first')) this.settle(settle);
    if (this.has('enqueues_first')) this.enqueue(enqueue, maxWaiting);
    const at = this.has('no_compare') ? undefined : await this.conflict(writes);
    if (at !== undefined) {
      if (this.has('state_first')) await this.writeAll(writes.filter(({ slot }) => slot === 'state'));
      return { ok: false, why: 'conflict', at: this.has('wrong_at') ? 0 : at };
    }
    const outcome = this.enqueue(enqueue, this.has('full_writes') ? Infinity : maxWaiting);
    if (!outcome.ok) return { ok: false, why: 'full', full: outcome.full };
    await this.writeAll(writes);
    this.settle(settle);
    return { ok: true, ids: this.has('repeat_id') ? enqueue.map(({ id }) => id) : outcome.ids };
  }

  private async conflict(writes: readonly StoreWrite[]): Promise<number | undefined> {
    for (const [at, write] of writes.entries()) {
      const { ifRevision, decision } = write;
      if (ifRevision === undefined || (decision.action === 'keep' && this.has('reads_unchecked'))) continue;
      const entry = write.slot === 'state' ? await this.state.get(write.group, write.key) : await this.streams.get(write.group, write.id);
      if ((entry?.revision ?? 0) !== ifRevision) return at;
    }
    return undefined;
  }

  private async writeAll(writes: readonly StoreWrite[]): Promise<void> {
    for (const write of writes) await this.write(write);
  }

  private async write(write: StoreWrite): Promise<void> {
    const { change } = write;
    if (write.slot === 'state') {
      const { group, key, decision } = write;
      await this.state.write({ group, key, next: () => decision, recordChange: change !== undefined && !this.has('change_lost'), origin: change?.origin });
    } else if (!this.has('items_lost')) {
      await this.streams.write({ ...write.group, id: write.id, next: () => write.decision, change: () => change });
    }
  }

  private get state(): MapStore {
    return STATES.get(this.info.root) as MapStore;
  }

  private get streams(): MapStreams {
    return STREAMS.get(this.info.root) as MapStreams;
  }

  private has(flaw: CommitFlaw): boolean {
    return this.config.flaw === flaw;
  }
}

export default definePlugin({ name: '@treadle/committing-queue', version: '0.1.0', api: '*', adapters: [CommittingQueue, BesideState, BesideStreams] });
