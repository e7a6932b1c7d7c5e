import type { Health, HealthReport, InstanceStatus, Unsubscribe } from '@treadle/api';

/** Life of an instance: `starting → ok ⇄ degraded → failed → stopping → stopped`. */
export type Status = InstanceStatus['status'];

/** How an instance is. */
export type Standing = InstanceStatus;

/** Sums up how all instances are. */
export class HealthBoard implements Health {
  private readonly standings = new Map<object, Standing>();
  /** Of instances that should run and could not be built again. */
  private missing: readonly Standing[] = [];
  private readonly listeners = new Set<(report: HealthReport) => void>();
  private phase: 'starting' | 'running' | 'draining' = 'starting';
  private last = '';

  get draining(): boolean {
    return this.phase === 'draining';
  }

  report(): HealthReport {
    if (this.phase === 'draining') return { status: 'draining' };
    const all = this.all();
    const bad = all.filter(({ status }) => status === 'failed' || status === 'degraded');
    if (bad.some(({ status }) => status === 'failed')) return { status: 'unavailable', checks: checksOf(bad) };
    if (this.phase === 'starting' || all.some(({ status }) => status === 'starting')) return { status: 'starting' };
    return bad.length > 0 ? { status: 'degraded', checks: checksOf(bad) } : { status: 'ok' };
  }

  /** In the order in which they came; at the end those that are missing. */
  all(): readonly Standing[] {
    return [...this.standings.values(), ...this.missing];
  }

  onChange(listener: (report: HealthReport) => void): Unsubscribe {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** All modules are up; from now on they speak for themselves. */
  running(): void {
    if (this.phase === 'starting') this.phase = 'running';
    this.changed();
  }

  /** The first stop signal has come. */
  drain(): void {
    this.phase = 'draining';
    this.changed();
  }

  set(user: object, standing: Standing): void {
    this.standings.set(user, standing);
    this.changed();
  }

  /** The instance is gone. */
  remove(user: object): void {
    this.standings.delete(user);
    this.changed();
  }

  /** Those that should run and do not, instead of the ones that were missing before. */
  miss(standings: readonly Standing[]): void {
    this.missing = standings;
    this.changed();
  }

  private changed(): void {
    const report = this.report();
    const text = JSON.stringify(report);
    if (text === this.last) return;
    this.last = text;
    for (const listener of [...this.listeners]) listener(report);
  }
}

function checksOf(standings: readonly Standing[]): NonNullable<HealthReport['checks']> {
  const checks: Record<string, { status: string; message?: string }> = {};
  for (const { instance, status, message } of standings) {
    // Two modules may use the same adapter class.
    const key = instance.id in checks ? `${instance.id} (${instance.path})` : instance.id;
    checks[key] = message === undefined ? { status } : { status, message };
  }
  return checks;
}
