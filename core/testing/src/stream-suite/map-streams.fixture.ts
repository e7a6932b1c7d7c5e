import { randomBytes } from 'node:crypto';
import {
  Adapter, type Clock, type ConfigSchema, definePlugin, EngineInfo, Inject, InjectConfig, type Json, type ModuleContext, type PendingStreamChange, type StateEntry,
  type SharedStreams, type StateGroupPage, type StateListOptions, type StreamAdapter, type StreamCapabilities, type StreamEvent, type StreamGroup, type StreamItem,
  type StreamPosition, StreamSlot, type StreamWrite, type StreamWriteResult, type Unsubscribe,
} from '@treadle/api';
import { LEAD_FLAWS, type LeadFlaw, SharedLead } from '../suite/shared-lead.fixture.js';
import { SharedStores } from '../suite/shared-stores.fixture.js';

/** What is wrong with the streams; the suite must find each. */
export const STREAM_FLAWS = [
  'none', 'lost_updates', 'aliases', 'joined_names', 'told_late', 'gap', 'duplicate', 'same_epoch', 'keep_tells', 'id_order', 'snapshot_ahead', 'change_ids_restart',
  'delete_without_item', 'sends_stored', 'revisions_restart', 'claims_durable', 'utf16_order', 'one_watcher', 'seq_over_groups',
  'shared', 'shared_in_name', 'shared_lost_updates', 'shared_unordered', 'shared_never_unfollows', 'shared_gap_in_past', 'shared_any_position', 'shared_follows_late',
  'shared_same_times', ...LEAD_FLAWS,
] as const;
export type StreamFlaw = (typeof STREAM_FLAWS)[number];
interface Config { readonly flaw: StreamFlaw }
interface Item { value: Json; revision: number }
interface Group { readonly of: StreamGroup; readonly items: Map<string, Item>; seq: number; floor: number; past: StreamEvent[]; stamp: number }
interface Store {
  readonly groups: Map<string, Group>;
  changes: PendingStreamChange[];
  changeIds: number;
  seq: number;
  readonly epoch: string;
  /** Of the engine that opened it first. */
  readonly clock: Clock;
  readonly lead: SharedLead;
  readonly engines: Set<MapStreams>;
}
const SHARED = new SharedStores<Store>();
/** Events of a group that are kept for engines to come. */
const MOST_PAST = 1_000;

const CONFIG: ConfigSchema<Config> = {
  type: 'object', additionalProperties: false, properties: { flaw: { type: 'string', default: 'none', description: 'What is wrong with it' } },
};
const copy = (value: Json): Json => JSON.parse(JSON.stringify(value)) as Json;
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Streams in Maps that do everything right, but for one flaw. */
@Adapter<Config, StreamCapabilities>({
  id: 'testing::stream::adapters::MapStreams', slot: StreamSlot, summary: 'Maps', stability: 'development', since: '0.1.0', config: CONFIG,
  capabilities: ({ flaw }) => ({ durable: flaw === 'claims_durable', resumes: 'never', multiEngine: flaw.startsWith('shared'), maxItemBytes: 1_000_000 }),
  variants: Object.fromEntries(STREAM_FLAWS.map((flaw) => [flaw, { flaw }])),
})
export class MapStreams implements StreamAdapter {
  private readonly watchers = new Set<(event: StreamEvent) => void>();
  /** How often a group is followed. */
  private readonly followed = new Map<string, number>();
  /** Events of other engines that were not told yet. */
  private coming: StreamEvent[] = [];
  private opened: Store | undefined;
  shared?: SharedStreams;

  constructor(@InjectConfig() private readonly config: Config, @Inject(EngineInfo) protected readonly engine: EngineInfo) {}

  async init({ clock }: ModuleContext): Promise<void> {
    const make = (): Store => ({
      groups: new Map(), changes: [], changeIds: this.has('change_ids_restart') ? 0 : Math.floor(Math.random() * 1e9) * 1000, seq: 0, clock, lead: new SharedLead(clock),
      engines: new Set(), epoch: this.has('same_epoch') ? 'e' : randomBytes(6).toString('hex'),
    });
    const isShared = this.config.flaw.startsWith('shared');
    this.opened = isShared && !this.has('shared_in_name') ? SHARED.take(this.engine.root, this, make) : make();
    this.store.engines.add(this);
    if (!isShared) return;
    this.shared = {
      now: () => this.store.clock.now(), follow: (group) => this.follow(group),
      eventsAfter: async (group, position, limit) => this.eventsAfter(this.group(group), position, limit),
      changes: this.store.lead.of(this, (flaw: LeadFlaw) => this.has(`shared_${flaw}`)),
    };
  }

  async stop(): Promise<void> {
    this.store.engines.delete(this);
    if (!this.has('shared_lead_kept')) this.store.lead.leave(this);
    SHARED.leave(this.engine.root, this);
  }

  async get(of: StreamGroup, id: string): Promise<StateEntry | undefined> {
    return this.entry(this.group(of).items.get(id));
  }

  async write(write: StreamWrite): Promise<StreamWriteResult> {
    const group = this.group(write);
    const old = group.items.get(write.id);
    const before = this.entry(old);
    if (this.has('lost_updates') || this.has('shared_lost_updates')) await turn();
    const decision = write.next(this.entry(old));
    if (decision.action === 'keep' || (decision.action === 'delete' && !before)) {
      if (this.has('keep_tells') && decision.action === 'keep') this.tell(group, write.id, { type: 'update', data: before?.value ?? null });
      return { before, after: before };
    }
    const kind = decision.action === 'delete' ? 'delete' as const : before ? 'update' as const : 'create' as const;
    const revision = (old?.revision ?? (this.has('revisions_restart') ? 0 : group.floor)) + 1;
    const value = decision.action === 'set' ? copy(decision.value) : before?.value ?? null;
    if (decision.action === 'set') group.items.set(write.id, { value: this.has('aliases') ? decision.value : value, revision });
    else group.items.delete(write.id);
    group.floor = Math.max(group.floor, revision);
    const change = write.change?.(kind);
    if (change) {
      this.store.changeIds += 1;
      this.store.changes.push({ ...group.of, id: `${this.store.changeIds}`, itemId: write.id, type: kind, data: value, origin: change.origin });
      this.store.lead.stored(this);
    }
    const event = { type: kind, data: kind === 'delete' && this.has('delete_without_item') ? null : value };
    if (this.has('told_late')) setImmediate(() => this.tell(group, write.id, event));
    else if (this.has('snapshot_ahead')) await turn().then(() => this.tell(group, write.id, event));
    else this.tell(group, write.id, event);
    return { before, after: decision.action === 'set' ? { value: copy(value), revision } : undefined };
  }

  async snapshot(of: StreamGroup): Promise<{ items: readonly StreamItem[]; position: StreamPosition }> {
    const group = this.group(of);
    const items = [...group.items].map(([id, item]) => ({ id, ...this.entry(item) as StateEntry }));
    if (this.has('id_order')) items.sort((a, b) => (a.id < b.id ? -1 : 1));
    return { items, position: { epoch: this.store.epoch, seq: this.has('seq_over_groups') ? this.store.seq : group.seq } };
  }

  async listGroups(stream: string, { limit, prefix = '', cursor }: StateListOptions & { readonly limit: number }): Promise<StateGroupPage> {
    const order = this.has('utf16_order') ? (a: string, b: string) => (a < b ? -1 : 1) : (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    const all = [...this.store.groups.values()].filter((group) => group.of.stream === stream && group.items.size > 0).map(({ of }) => of.groupId)
      .filter((name) => name.startsWith(prefix)).sort(order).filter((name) => cursor === undefined || order(name, cursor.slice(1)) > 0);
    const items = all.slice(0, limit);
    return all.length > limit ? { items, cursor: `@${items.at(-1)}` } : { items };
  }

  async send(of: StreamGroup, { id, ...event }: { readonly id?: string | undefined; readonly type: string; readonly data: Json }): Promise<void> {
    const group = this.group(of);
    if (this.has('sends_stored')) group.items.set(id ?? 'event', { value: event.data, revision: 1 });
    this.tell(group, id, { type: 'event', event });
  }

  watch(listener: (event: StreamEvent) => void): Unsubscribe {
    if (this.has('one_watcher')) this.watchers.clear();
    const own = (event: StreamEvent): void => listener(event);
    this.watchers.add(own);
    return () => void this.watchers.delete(own);
  }

  async pendingChanges(limit: number, after?: string): Promise<readonly PendingStreamChange[]> {
    const from = this.store.changes.findIndex(({ id }) => id === after) + 1;
    return this.store.changes.slice(from, from + limit);
  }

  async settleChanges(ids: readonly string[]): Promise<void> {
    this.store.changes = this.store.changes.filter(({ id }) => !ids.includes(id));
  }

  private has(flaw: StreamFlaw): boolean {
    return this.config.flaw === flaw;
  }

  private group({ stream, groupId }: StreamGroup): Group {
    const key = this.has('joined_names') ? `${stream}:${groupId}` : JSON.stringify([stream, groupId]);
    const group = this.store.groups.get(key) ?? { of: { stream, groupId }, items: new Map<string, Item>(), seq: 0, floor: 0, past: [], stamp: 0 };
    this.store.groups.set(key, group);
    return group;
  }

  private entry(item: Item | undefined): StateEntry | undefined {
    return item && { value: this.has('aliases') ? item.value : copy(item.value), revision: item.revision };
  }

  private tell(group: Group, id: string | undefined, event: StreamEvent['event']): void {
    this.store.seq += 1;
    group.seq += this.has('gap') && group.seq === 2 ? 2 : 1;
    const seq = this.has('seq_over_groups') ? this.store.seq : group.seq;
    const now = this.store.clock.now();
    group.stamp = this.shared && !this.has('shared_same_times') ? Math.max(now, group.stamp + 1) : now;
    const told: StreamEvent = { ...group.of, id, epoch: this.store.epoch, seq, event, timestamp: group.stamp };
    group.past = [...group.past.slice(-MOST_PAST + 1), told];
    if (!this.has('shared_unordered')) this.tellComing();
    this.tellWatchers(told);
    for (const engine of this.store.engines) if (engine !== this) engine.hear(told);
  }

  /** An event of another engine. */
  private hear(event: StreamEvent): void {
    if (!this.followed.has(nameOf(event))) return;
    this.coming.push(event);
    setImmediate(() => this.tellComing());
  }

  private tellComing(): void {
    for (const event of this.coming.splice(0)) this.tellWatchers(event);
  }

  private tellWatchers(told: StreamEvent): void {
    for (const watcher of this.watchers) {
      for (let times = this.has('duplicate') ? 2 : 1; times > 0; times--) {
        try {
          watcher(told);
        } catch {
          // A watcher that throws keeps nothing from the others.
        }
      }
    }
  }

  private async follow(group: StreamGroup): Promise<Unsubscribe> {
    const name = nameOf(group);
    const begin = (): void => void this.followed.set(name, (this.followed.get(name) ?? 0) + 1);
    if (this.has('shared_follows_late')) setTimeout(begin, 20);
    else await turn().then(begin);
    return () => {
      const uses = (this.followed.get(name) ?? 0) - 1;
      if (uses > 0 || this.has('shared_never_unfollows')) this.followed.set(name, Math.max(1, uses));
      else this.followed.delete(name);
    };
  }

  private eventsAfter({ past, seq: last }: Group, { epoch, seq }: StreamPosition, limit: number): readonly StreamEvent[] | undefined {
    if (epoch !== this.store.epoch || (seq > last && !this.has('shared_any_position'))) return undefined;
    const isGone = seq < last && (past[0]?.seq ?? Infinity) > seq + 1;
    return isGone && !this.has('shared_gap_in_past') ? undefined : past.filter((event) => event.seq > seq).slice(0, limit);
  }

  private get store(): Store {
    if (!this.opened) throw new Error('it is not open');
    return this.opened;
  }
}

const nameOf = ({ stream, groupId }: StreamGroup): string => JSON.stringify([stream, groupId]);

export default definePlugin({ name: '@treadle/map-streams', version: '0.1.0', api: '*', adapters: [MapStreams] });
