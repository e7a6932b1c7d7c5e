import {
  Adapter, type ClearChanges, type Clock, type ConfigSchema, definePlugin, EngineInfo, Inject, InjectConfig, type Json, type ModuleContext, OperationError, type PendingChange,
  type SharedChanges, type StateAdapter, type StateCapabilities, type StateEntry, type StateGroupPage, type StateListOptions, type StatePage, StateSlot,
  type StateWrite, type StateWriteResult,
} from '@treadle/api';
import { LEAD_FLAWS, type LeadFlaw, SharedLead } from '../suite/shared-lead.fixture.js';
import { SharedStores } from '../suite/shared-stores.fixture.js';
import { byBytes } from './state-under-test.js';

/** What is wrong with the store; the suite must find each. */
export const FLAWS = [
  'none', 'lost_updates', 'aliases', 'like_clear', 'utf16_order', 'null_is_missing', 'joined_names', 'offset_cursor', 'revisions_restart', 'expired_listed',
  'expiry_dropped', 'change_ids_restart', 'change_before_decision', 'claims_durable', 'delete_of_missing_counts', 'origin_lost', 'clear_silent', 'always_silent',
  'shared', 'shared_lost_updates', 'shared_in_name', ...LEAD_FLAWS,
] as const;
export type Flaw = (typeof FLAWS)[number];
interface Config { readonly flaw: Flaw }
type Paging = StateListOptions & { readonly limit: number };
interface Kept { readonly group: string; readonly key: string; text: string | undefined; value: Json; revision: number; expiresAt: number }

interface Store { readonly kept: Map<string, Kept>; pending: PendingChange[]; ids: number; readonly clock: Clock; readonly lead: SharedLead }
const newStore = (clock: Clock, ids: number): Store => ({ kept: new Map(), pending: [], ids, clock, lead: new SharedLead(clock) });
const SHARED = new SharedStores<Store>();

const CONFIG: ConfigSchema<Config> = {
  type: 'object', additionalProperties: false, properties: { flaw: { type: 'string', default: 'none', description: 'What is wrong with it' } },
};

/** A store in a Map that does everything right, but for one flaw. */
@Adapter<Config, StateCapabilities>({
  id: 'testing::state::adapters::MapStore', slot: StateSlot, summary: 'A Map', stability: 'development', since: '0.1.0', config: CONFIG,
  capabilities: ({ flaw }) => ({
    durable: flaw === 'claims_durable', atomicUpdate: 'process', compareAndSet: true, listing: true, ttl: 'ms', multiEngine: flaw.startsWith('shared'), maxValueBytes: 1_048_576,
  }),
  variants: Object.fromEntries(FLAWS.map((flaw) => [flaw, { flaw }])),
})
export class MapStore implements StateAdapter {
  private opened: Store | undefined;
  shared?: SharedChanges;

  constructor(@InjectConfig() private readonly config: Config, @Inject(EngineInfo) protected readonly engine: EngineInfo) {}

  async init({ clock }: ModuleContext): Promise<void> {
    const make = (): Store => newStore(clock, this.has('change_ids_restart') ? 0 : Math.floor(Math.random() * 1e9) * 1000);
    const isShared = this.config.flaw.startsWith('shared');
    this.opened = isShared && !this.has('shared_in_name') ? SHARED.take(this.engine.root, this, make) : make();
    if (isShared) this.shared = this.store.lead.of(this, (flaw: LeadFlaw) => this.has(`shared_${flaw}`));
  }

  async stop(): Promise<void> {
    if (!this.has('shared_lead_kept')) this.opened?.lead.leave(this);
    SHARED.leave(this.engine.root, this);
  }

  async get(group: string, key: string): Promise<StateEntry | undefined> {
    return this.entry(this.store.kept.get(this.id(group, key)));
  }

  async write({ group, key, next, always, recordChange, origin }: StateWrite): Promise<StateWriteResult> {
    const id = this.id(group, key);
    const old = this.store.kept.get(id);
    const before = this.entry(old);
    if (this.has('lost_updates') || this.has('shared_lost_updates')) await Promise.resolve();
    if (recordChange && this.has('change_before_decision')) this.record({ group, key, oldValue: before?.value, newValue: 0, revision: 0 });
    const decision = next(before);
    if (decision.action === 'keep') return { before, after: before };
    if (decision.action === 'delete' && !before) return { before, after: this.has('delete_of_missing_counts') ? { value: null, revision: 1 } : undefined };
    const revision = (old?.revision ?? 0) + 1;
    if (decision.action === 'delete') {
      if (this.has('revisions_restart')) this.store.kept.delete(id);
      else this.store.kept.set(id, { group, key, text: undefined, value: null, revision, expiresAt: -Infinity });
    } else {
      const keptUntil = this.has('expiry_dropped') || !before ? Infinity : old?.expiresAt;
      const expiresAt = (decision.keepExpiry ? keptUntil : decision.expiresAt) ?? Infinity;
      this.store.kept.set(id, { group, key, text: JSON.stringify(decision.value), value: decision.value, revision, expiresAt });
    }
    const after = this.entry(this.store.kept.get(id));
    const made = { before, after: decision.action === 'set' ? { value: decision.value, revision } : after };
    if (recordChange && !this.has('change_before_decision') && !(always && this.has('always_silent'))) this.record({ group, key, oldValue: before?.value, newValue: made.after?.value, revision, origin: this.has('origin_lost') ? undefined : origin });
    return made;
  }

  async list(group: string, options: Paging): Promise<StatePage> {
    const items = [...this.store.kept.values()].filter((kept) => kept.group === group && kept.text !== undefined).flatMap((kept) => {
      const entry = this.has('expired_listed') ? { value: kept.value, revision: kept.revision } : this.entry(kept);
      return entry ? [{ key: kept.key, ...entry }] : [];
    });
    return this.page(items, ({ key }) => key, options);
  }

  async listGroups(options: Paging): Promise<StateGroupPage> {
    const groups = new Set([...this.store.kept.values()].filter((kept) => this.entry(kept)).map(({ group }) => group));
    return this.page([...groups], (group) => group, options);
  }

  async clear(group: string, changes?: ClearChanges): Promise<number> {
    const pattern = new RegExp(`^${group.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('_', '.').replaceAll('%', '.*')}`, 'su');
    const isIn = (other: string): boolean => (this.has('like_clear') ? pattern.test(other) : other === group);
    const all = [...this.store.kept.values()].filter((kept) => isIn(kept.group) && this.entry(kept));
    const wants = (key: string): boolean => !this.has('clear_silent') && (changes?.wants(key) ?? false);
    for (const { group: g, key } of all) {
      await this.write({ group: g, key, next: () => ({ action: 'delete' }), recordChange: wants(key), origin: changes?.origin });
    }
    return all.length;
  }

  async pendingChanges(limit: number, after?: string): Promise<readonly PendingChange[]> {
    const from = this.store.pending.findIndex(({ id }) => id === after) + 1;
    return this.store.pending.slice(from, from + limit);
  }

  async settleChanges(ids: readonly string[]): Promise<void> {
    this.store.pending = this.store.pending.filter(({ id }) => !ids.includes(id));
  }

  private get store(): Store {
    if (!this.opened) throw new Error('it is not open');
    return this.opened;
  }

  private has(flaw: Flaw): boolean {
    return this.config.flaw === flaw;
  }

  private id(group: string, key: string): string {
    return this.has('joined_names') ? `${group}:${key}` : JSON.stringify([group, key]);
  }

  private entry(kept: Kept | undefined): StateEntry | undefined {
    if (!kept?.text || kept.expiresAt <= this.store.clock.now()) return undefined;
    if (this.has('null_is_missing') && kept.value === null) return undefined;
    return { value: this.has('aliases') ? kept.value : JSON.parse(kept.text) as Json, revision: kept.revision };
  }

  private record(change: Omit<PendingChange, 'id'>): void {
    this.store.ids += 1;
    this.store.pending.push({ id: `${this.store.ids}`, ...change });
    this.store.lead.stored(this);
  }

  private page<T>(all: readonly T[], nameOf: (item: T) => string, { limit, prefix = '', cursor }: Paging): { items: T[]; cursor?: string } {
    const order = this.has('utf16_order') ? (a: string, b: string) => (a < b ? -1 : 1) : byBytes;
    const matching = all.filter((item) => nameOf(item).startsWith(prefix)).sort((a, b) => order(nameOf(a), nameOf(b)));
    if (cursor !== undefined && !/^[+@]/.test(cursor)) throw new OperationError('StateInvalidArgument', 'no cursor of this store');
    const byOffset = this.has('offset_cursor');
    const from = cursor?.slice(1);
    const rest = byOffset ? matching.slice(Number(from ?? 0)) : matching.filter((item) => from === undefined || order(nameOf(item), from) > 0);
    const items = rest.slice(0, limit);
    const last = items.at(-1);
    if (rest.length <= limit || last === undefined) return { items };
    return { items, cursor: byOffset ? `+${Number(from ?? 0) + limit}` : `@${nameOf(last)}` };
  }
}

export default definePlugin({ name: '@treadle/map-store', version: '0.1.0', api: '*', adapters: [MapStore] });
