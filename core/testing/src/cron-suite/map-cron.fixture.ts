import {
  Adapter, type Clock, type ConfigSchema, type CronAdapter, type CronCapabilities, type CronKey, type CronRun, type CronSchedule, CronSlot, definePlugin,
  InjectConfig, type ModuleContext,
} from '@treadle/api';

/** What is wrong with the store; the suite must find each. */
export const CRON_FLAWS = [
  'none', 'claims_twice', 'no_second_user', 'forgets_ticks', 'drops_running', 'no_fencing', 'endless_leases', 'never_orphans', 'attempt_stays', 'old_attempts',
  'manual_moves_tick', 'resume_keeps_since', 'joined_names', 'unordered_runs', 'claims_durable', 'anyone_renews',
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
}
const newStore = (): Store => ({ schedules: new Map(), runs: new Map(), leases: new Map(), forgotten: new Set() });

/** Ticks in Maps that do everything right, but for one flaw. */
@Adapter<Config, CronCapabilities>({
  id: 'testing::cron::adapters::MapCron', slot: CronSlot, summary: 'Maps', stability: 'development', since: '0.1.0', config: CONFIG,
  capabilities: ({ flaw }) => ({ durable: flaw === 'claims_durable', multiEngine: false }),
  variants: Object.fromEntries(CRON_FLAWS.map((flaw) => [flaw, { flaw }])),
})
export class MapCron implements CronAdapter {
  private store = newStore();
  private clock: Clock | undefined;

  constructor(@InjectConfig() private readonly config: Config) {}

  async init({ clock, shared }: ModuleContext): Promise<void> {
    this.clock = clock;
    this.store = this.has('no_second_user') ? newStore() : await shared('map-cron', async () => newStore(), async () => undefined);
  }

  async schedules(keys: readonly CronKey[], now: number): Promise<readonly CronSchedule[]> {
    return keys.map((key) => {
      const known = this.store.schedules.get(this.id(key)) ?? { ...plain(key), since: now, paused: false };
      this.store.schedules.set(this.id(key), known);
      return known;
    });
  }

  async setPaused(key: CronKey, paused: boolean, now: number): Promise<void> {
    const [known] = await this.schedules([key], now);
    if (!known) return;
    const resumed = known.paused && !paused && !this.has('resume_keeps_since');
    this.store.schedules.set(this.id(key), { ...known, paused, since: resumed ? now : known.since });
  }

  async claim(runs: readonly CronRun[], leaseMs: number): Promise<readonly boolean[]> {
    if (this.has('claims_twice')) {
      const free = runs.map((run) => this.isFree(run));
      await Promise.resolve();
      return runs.map((run, index) => free[index] === true && this.write(run, leaseMs));
    }
    return runs.map((run) => this.isFree(run) && this.write(run, leaseMs));
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

  async renew(ids: readonly string[], leaseMs: number): Promise<void> {
    for (const id of ids) if (this.isOwn(id) || (this.has('anyone_renews') && this.store.leases.has(id))) this.hold(id, leaseMs);
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

  private isFree(run: CronRun): boolean {
    if (!run.manual && this.store.forgotten.has(this.tick(run))) return false;
    return !this.of(run).some(({ scheduledAt }) => scheduledAt === run.scheduledAt);
  }

  private write(run: CronRun, leaseMs: number): true {
    this.store.runs.set(run.id, run);
    if (run.status === 'running') this.hold(run.id, leaseMs);
    if (!run.manual || this.has('manual_moves_tick')) this.moveTick(run);
    for (const old of this.of(run).slice(100)) {
      if (old.status === 'running' && !this.has('drops_running')) continue;
      this.store.runs.delete(old.id);
      if (!this.has('forgets_ticks')) this.store.forgotten.add(this.tick(old));
    }
    return true;
  }

  private moveTick(run: CronRun): void {
    const known = this.store.schedules.get(this.id(run)) ?? { ...plain(run), since: run.scheduledAt, paused: false };
    this.store.schedules.set(this.id(run), { ...known, lastTick: Math.max(run.scheduledAt, known.lastTick ?? 0) });
  }

  private hold(id: string, leaseMs: number): void {
    const now = this.clock?.monotonic() ?? 0;
    this.store.leases.set(id, { holder: this, until: this.has('endless_leases') ? Infinity : now + leaseMs });
  }

  private isOwn(id: string): boolean {
    return this.store.leases.get(id)?.holder === this;
  }

  private isHeld(id: string): boolean {
    return (this.store.leases.get(id)?.until ?? -Infinity) > (this.clock?.monotonic() ?? 0);
  }
}

function plain({ step, trigger }: CronKey): CronKey {
  return { step, trigger };
}

export default definePlugin({ name: '@treadle/map-cron', version: '0.1.0', api: '*', adapters: [MapCron] });
