import type { CronClaimed, CronClaimRule, CronRun, CronSchedule } from '@treadle/api';

interface Known {
  run: CronRun;
  /** Number of the adapter that holds it. */
  holder: number | undefined;
  until: number;
}

/** What a store of ticks is, in as few words as possible: the adapters are compared with it. Knows one trigger. */
export class CronModel {
  now = 0;
  private schedule: Omit<CronSchedule, 'step' | 'trigger'> | undefined;
  private readonly known = new Map<number, Known>();

  see(now: number): Omit<CronSchedule, 'step' | 'trigger'> {
    this.schedule ??= { since: now, paused: false };
    return this.schedule;
  }

  pause(paused: boolean, now: number, until?: number): void {
    const { since, paused: was, pausedUntil = Infinity, ...rest } = this.see(now);
    const resumed = pausedUntil <= now ? Math.max(since, pausedUntil - 1) : now;
    this.schedule = { since: was && !paused ? resumed : since, paused, ...until !== undefined && { pausedUntil: until }, ...rest };
  }

  claim(run: CronRun, holder: number, leaseMs: number, { unlessRunning }: CronClaimRule): CronClaimed {
    if (this.known.has(run.scheduledAt)) return 'taken';
    const { paused, pausedUntil = Infinity } = this.see(run.scheduledAt);
    if (paused && run.scheduledAt < pausedUntil) return 'paused';
    if (unlessRunning && run.status === 'running' && this.running().length > 0) return 'overlaps';
    this.known.set(run.scheduledAt, { run, holder: run.status === 'running' ? holder : undefined, until: this.now + leaseMs });
    const { lastTick = run.scheduledAt, ...rest } = this.see(run.scheduledAt);
    this.schedule = { ...rest, lastTick: Math.max(lastTick, run.scheduledAt) };
    return 'claimed';
  }

  at(tick: number): CronRun | undefined {
    return this.known.get(tick)?.run;
  }

  orphans(): CronRun[] {
    return this.running().filter(({ scheduledAt }) => !this.isHeld(scheduledAt));
  }

  running(): CronRun[] {
    return [...this.known.values()].map(({ run }) => run).filter(({ status }) => status === 'running').sort((a, b) => a.scheduledAt - b.scheduledAt);
  }

  takeOver(run: CronRun, holder: number, leaseMs: number): CronRun | undefined {
    const known = this.known.get(run.scheduledAt);
    if (known?.run.status !== 'running' || known.run.attempt !== run.attempt || this.isHeld(run.scheduledAt)) return undefined;
    Object.assign(known, { run: { ...known.run, attempt: run.attempt + 1 }, holder, until: this.now + leaseMs });
    return known.run;
  }

  /** Whether it holds the run. */
  renew(tick: number, holder: number, leaseMs: number): boolean {
    const known = this.known.get(tick);
    if (known?.holder !== holder) return false;
    known.until = this.now + leaseMs;
    return true;
  }

  finish(run: CronRun, holder: number): void {
    const known = this.known.get(run.scheduledAt);
    if (known?.holder === holder) Object.assign(known, { run, holder: undefined });
  }

  runs(): CronRun[] {
    return [...this.known.values()].map(({ run }) => run).sort((a, b) => b.scheduledAt - a.scheduledAt);
  }

  /** The engine ended: nobody holds anything; without a durable store nothing is left at all. */
  restart(durable: boolean): void {
    for (const known of this.known.values()) known.holder = undefined;
    if (durable) return;
    this.known.clear();
    this.schedule = undefined;
  }

  private isHeld(tick: number): boolean {
    const known = this.known.get(tick);
    return known?.holder !== undefined && known.until > this.now;
  }
}
