import {
  Adapter, type Clock, type ConfigSchema, type CronAdapter, type CronCapabilities, type CronClaimed, type CronClaimRule, type CronKey, type CronRun, type CronSchedule, CronSlot, definePlugin,
  EngineInfo, Inject, InjectConfig, type ModuleContext, OutageGrace, type SharedCron, type Timer, type Unsubscribe,
} from '@treadle/api';

/** What is wrong with the store; the suite must find each. */
export const CRON_FLAWS = [
  'none', 'claims_twice', 'no_second_user', 'forgets_ticks', 'drops_running', 'no_fencing', 'endless_leases', 'never_orphans', 'attempt_stays', 'old_attempts',
  'manual_moves_tick', 'resume_keeps_since', 'joined_names', 'unordered_runs', 'claims_durable', 'anyone_renews', 'overlaps', 'overlaps_at_once', 'claims_paused',
  'pauses_for_good', 'forgets_end_of_pause', 'resume_forgets_end_of_pause', 'forgets_skips', 'renews_in_name', 'judges_at_once',
  'shared', 'shared_in_name', 'shared_tells_nobody', 'shared_own_time', 'shared_nobody_leaves', 'shared_overlaps_at_once',
] as const;
export type CronFlaw = (typeof CRON_FLAWS)[number];
interface Config { readonly flaw: CronFlaw }

const CONFIG: ConfigSchema<Config> = {
  type: 'object', additionalProperties: false, properties: { flaw: { type: 'string', default: 'none', description: 'What is wrong with it' } },
};

interface Store {
  readonly schedules: Map<string, CronSchedule>;
  readonly runs: Map<string, CronRun>;
  readonly leases: Map<string, { readonly holder: object; readonly until: number }>;
  readonly forgotten: Set<string>;
  readonly users: Map<MapCron, Set<() => void>>;
  /** Of the engine that opened it first. */
  readonly clock: Clock;
}
const newStore = (clock: Clock): Store => ({ schedules: new Map(), runs: new Map(), leases: new Map(), forgotten: new Set(), users: new Map(), clock });

/** By the root of the engines that have it, as long as there is one. */
const SHARED = new Map<string, Store>();

/** Ticks in Maps that do everything right, but for one flaw. */
@Adapter<Config, CronCapabilities>({
  id: 'testing::cron::adapters::MapCron', slot: CronSlot, summary: 'Maps', stability: 'development', since: '0.1.0', config: CONFIG,
  capabilities: ({ flaw }) => ({ durable: flaw === 'claims_durable', multiEngine: flaw.startsWith('shared') }),
  variants: Object.fromEntries(CRON_FLAWS.map((flaw) => [flaw, { flaw }])),
})
export class MapCron implements CronAdapter {
  private opened: Store | undefined;
  private own: Clock | undefined;
  private readonly grace = new OutageGrace(() => this.own?.monotonic() ?? 0);
  private beats: Timer | undefined;
  readonly shared?: SharedCron;

  constructor(@InjectConfig() private readonly config: Config, @Inject(EngineInfo) private readonly engine: EngineInfo) {
    if (config.flaw.startsWith('shared')) this.shared = { now: () => this.clock.now(), onSchedules: (listener) => this.listen(listener) };
  }

  async init({ clock, shared }: ModuleContext): Promise<void> {
    this.own = clock;
    this.grace.beat();
    this.beats = clock.every(1_000, () => this.grace.beat(this.grace.apart && !this.has('judges_at_once') ? clock.monotonic() : undefined));
    if (this.shared) this.opened = this.openShared(clock);
    else this.opened = this.has('no_second_user') ? newStore(clock) : await shared('map-cron', async () => newStore(clock), async () => undefined);
    this.store.users.set(this, new Set());
  }

  async stop(): Promise<void> {
    this.beats?.cancel();
    const { users, leases } = this.store;
    users.delete(this);
    if (!this.has('shared_nobody_leaves')) for (const [id, { holder }] of leases) if (holder === this) leases.delete(id);
    if (users.size === 0) SHARED.delete(this.engine.root);
  }

  async schedules(keys: readonly CronKey[], now: number): Promise<readonly CronSchedule[]> {
    return keys.map((key) => {
      const known = this.store.schedules.get(this.id(key)) ?? { ...plain(key), since: now, paused: false };
      this.store.schedules.set(this.id(key), known);
      return known;
    });
  }

  async setPaused(key: CronKey, paused: boolean, now: number, until?: number): Promise<void> {
    const [found] = await this.schedules([key], now);
    if (!found) return;
    const { pausedUntil = Infinity, ...known } = found;
    const resumed = known.paused && !paused && !this.has('resume_keeps_since');
    const end = pausedUntil <= now && !this.has('resume_forgets_end_of_pause') ? Math.max(known.since, pausedUntil - 1) : now;
    this.store.schedules.set(this.id(key), { ...known, paused, since: resumed ? end : known.since, ...until !== undefined && !this.has('forgets_end_of_pause') && { pausedUntil: until } });
    if (this.has('shared_tells_nobody')) return;
    for (const [user, listeners] of this.store.users) if (user !== this) for (const listener of listeners) setImmediate(listener);
  }

  async claim(runs: readonly CronRun[], leaseMs: number, rule?: CronClaimRule): Promise<readonly CronClaimed[]> {
    const alone = rule?.unlessRunning === true && !this.has('overlaps');
    if (this.has('claims_twice')) {
      const free = runs.map((run) => this.isFree(run));
      await Promise.resolve();
      return runs.map((run, index) => (free[index] === true ? this.write(run, leaseMs) : 'taken'));
    }
    if (!this.has('overlaps_at_once') && !this.has('shared_overlaps_at_once')) return runs.map((run) => this.refusal(run, alone) ?? this.write(run, leaseMs));
    const refusals = runs.map((run) => this.refusal(run, alone));
    await Promise.resolve();
    return runs.map((run, index) => refusals[index] ?? this.refusal(run, false) ?? this.write(run, leaseMs));
  }

  async orphans(): Promise<readonly CronRun[]> {
    return this.has('never_orphans') ? [] : this.all().reverse().filter(({ status, id }) => status === 'running' && !this.isHeld(id));
  }

  async takeOver(run: CronRun, leaseMs: number): Promise<CronRun | undefined> {
    const known = this.store.runs.get(run.id);
    if (known?.status !== 'running' || this.isHeld(run.id) || (known.attempt !== run.attempt && !this.has('old_attempts'))) return undefined;
    const taken = { ...known, attempt: known.attempt + (this.has('attempt_stays') ? 0 : 1) };
    this.store.runs.set(run.id, taken);
    this.hold(run.id, leaseMs);
    return taken;
  }

  async renew(ids: readonly string[], leaseMs: number): Promise<readonly string[]> {
    const own = ids.filter((id) => this.isOwn(id) || (this.has('anyone_renews') && this.store.leases.has(id)));
    for (const id of own) this.hold(id, leaseMs);
    return this.has('renews_in_name') ? ids : own;
  }

  async running(key: CronKey): Promise<readonly CronRun[]> {
    return this.of(key).filter(({ status }) => status === 'running').reverse();
  }

  async finish(runs: readonly CronRun[]): Promise<void> {
    for (const run of runs) {
      if (!this.store.runs.has(run.id) || !(this.isOwn(run.id) || this.has('no_fencing'))) continue;
      this.store.runs.set(run.id, run);
      this.store.leases.delete(run.id);
    }
  }

  async runs(key: CronKey, limit: number): Promise<readonly CronRun[]> {
    return (this.has('unordered_runs') ? this.of(key).reverse() : this.of(key)).slice(0, limit);
  }

  private get store(): Store {
    if (!this.opened) throw new Error('it is not open');
    return this.opened;
  }

  private get clock(): Clock {
    return this.has('shared_own_time') && this.own ? this.own : this.store.clock;
  }

  private openShared(clock: Clock): Store {
    const { root } = this.engine;
    const store = this.has('shared_in_name') ? newStore(clock) : SHARED.get(root) ?? newStore(clock);
    SHARED.set(root, store);
    return store;
  }

  private listen(listener: () => void): Unsubscribe {
    const listeners = this.store.users.get(this);
    listeners?.add(listener);
    return () => listeners?.delete(listener);
  }

  private has(flaw: CronFlaw): boolean {
    return this.config.flaw === flaw;
  }

  private id({ step, trigger }: CronKey): string {
    return this.has('joined_names') ? `${step}:${trigger}` : JSON.stringify([step, trigger]);
  }

  private tick(run: CronRun): string {
    return `${this.id(run)} ${run.scheduledAt}`;
  }

  private all(): CronRun[] {
    return [...this.store.runs.values()].sort((a, b) => b.scheduledAt - a.scheduledAt);
  }

  private of(key: CronKey): CronRun[] {
    return this.all().filter((run) => this.id(run) === this.id(key));
  }

  private refusal(run: CronRun, alone: boolean): CronClaimed | undefined {
    if (!this.isFree(run)) return 'taken';
    if (!run.manual && this.isPaused(run) && !this.has('claims_paused')) return 'paused';
    return alone && run.status === 'running' && this.of(run).some(({ status }) => status === 'running') ? 'overlaps' : undefined;
  }

  private isPaused(run: CronRun): boolean {
    const { paused = false, pausedUntil = Infinity } = this.store.schedules.get(this.id(run)) ?? {};
    return paused && (run.scheduledAt < pausedUntil || this.has('pauses_for_good'));
  }

  private isFree(run: CronRun): boolean {
    if (!run.manual && this.store.forgotten.has(this.tick(run))) return false;
    return !this.of(run).some(({ scheduledAt }) => scheduledAt === run.scheduledAt);
  }

  private write(run: CronRun, leaseMs: number): CronClaimed {
    this.store.runs.set(run.id, run);
    if (run.status === 'running') this.hold(run.id, leaseMs);
    if (!run.manual || this.has('manual_moves_tick')) this.moveTick(run);
    for (const old of this.superfluous(run)) {
      if (old.status === 'running' && !this.has('drops_running')) continue;
      this.store.runs.delete(old.id);
      if (!this.has('forgets_ticks') && !(old.manual && this.has('forgets_skips'))) this.store.forgotten.add(this.tick(old));
    }
    return 'claimed';
  }

  private superfluous(key: CronKey): readonly CronRun[] {
    if (!this.has('forgets_skips')) return this.of(key).slice(100);
    return [...this.store.runs.values()].filter((run) => this.id(run) === this.id(key)).slice(0, -100);
  }

  private moveTick(run: CronRun): void {
    const known = this.store.schedules.get(this.id(run)) ?? { ...plain(run), since: run.scheduledAt, paused: false };
    this.store.schedules.set(this.id(run), { ...known, lastTick: Math.max(run.scheduledAt, known.lastTick ?? 0) });
  }

  private hold(id: string, leaseMs: number): void {
    this.store.leases.set(id, { holder: this, until: this.has('endless_leases') ? Infinity : this.clock.monotonic() + leaseMs });
  }

  private isOwn(id: string): boolean {
    return this.store.leases.get(id)?.holder === this;
  }

  private isHeld(id: string): boolean {
    const { until = -Infinity } = this.store.leases.get(id) ?? {};
    return until > this.clock.monotonic() || (until > -Infinity && !this.shared && !this.grace.judges(this.clock.monotonic()));
  }
}

function plain({ step, trigger }: CronKey): CronKey {
  return { step, trigger };
}

export default definePlugin({ name: '@treadle/map-cron', version: '0.1.0', api: '*', adapters: [MapCron] });
