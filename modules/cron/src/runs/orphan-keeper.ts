import { type Catalog, type Clock, type CronAdapter, type CronKey, type CronRun, type Logger, wallTime } from '@treadle/api';
import type { Timeline } from '../timeline.js';
import { MAX_ATTEMPTS, type RunExecutor } from './run-executor.js';
import { LEASE_MS } from './run-leases.js';

/** How long a run waits whose Step is there, but no longer has the trigger: catalogs may come in parts. */
const TRIGGER_GONE_MS = 60_000;
/** How long a run waits for its Step to come back. */
const STEP_GONE_MS = 7 * 24 * 3_600_000;

interface OrphanParts {
  readonly catalog: Catalog;
  readonly adapter: CronAdapter;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Takes runs over whose engine or module is gone. */
export class OrphanKeeper {
  private sweeping: Promise<void> | undefined;
  private again = false;
  /** Runs of triggers that this engine does not have, and since when they have been orphans; milliseconds of the monotonic clock. */
  private strange = new Map<string, number>();

  constructor(
    private readonly parts: OrphanParts, private readonly executor: Pick<RunExecutor, 'holds' | 'keeps'>,
    private readonly timelineOf: (key: CronKey) => Timeline | undefined,
  ) {}

  /** Never rejects; what fails is tried again by the next one. */
  sweep(): Promise<void> {
    this.sweeping ??= this.sweepOnce().catch((error: Error) => {
      this.parts.log.warn('cron runs without an engine could not be taken over', { reason: error.message });
    }).finally(() => {
      this.sweeping = undefined;
      if (this.again) this.sweepAfresh();
    });
    return this.sweeping;
  }

  /** As `sweep`, but one that is under way is not enough: what has just changed may concern what it has passed over. */
  sweepAfresh(): void {
    this.again = this.sweeping !== undefined;
    if (!this.again) void this.sweep();
  }

  private async sweepOnce(): Promise<void> {
    const orphans = await this.parts.adapter.orphans();
    this.strange = new Map([...this.strange].filter(([id]) => orphans.some((run) => run.id === id)));
    for (const run of orphans) {
      if (this.executor.holds(run.id)) continue; // Its lease ran out because this process was held up.
      const timeline = this.timelineOf(run);
      if (timeline?.bound && timeline.opened) await this.adopt(run, timeline);
      else if (!timeline?.bound && this.isLost(run)) await this.abandon(run, 'its Step no longer has this trigger');
    }
  }

  private async adopt(run: CronRun, timeline: Timeline): Promise<void> {
    if (run.attempt >= MAX_ATTEMPTS) await this.abandon(run, `it was cut ${run.attempt} times`);
    else if (this.executor.keeps(run.step)) timeline.adopt(run);
  }

  /** On a store of several engines another one may have the trigger: it is given the time to take the run. */
  private isLost({ id, step, firedAt }: CronRun): boolean {
    const now = this.parts.clock.monotonic();
    const since = this.strange.get(id) ?? now;
    this.strange.set(id, since);
    if (this.parts.adapter.shared && now - since < TRIGGER_GONE_MS) return false;
    const age = wallTime(this.parts.clock) - firedAt;
    return age > (this.parts.catalog.step(step) ? TRIGGER_GONE_MS : STEP_GONE_MS);
  }

  private async abandon(run: CronRun, error: string): Promise<void> {
    const taken = await this.parts.adapter.takeOver(run, LEASE_MS);
    if (!taken) return;
    await this.parts.adapter.finish([{ ...run, status: 'abandoned', error }]);
    const { step: stepName, trigger, scheduledAt, attempt, traceId } = run;
    this.parts.log.error('cron run abandoned', { stepName, trigger, scheduledAt: new Date(scheduledAt).toISOString(), attempt, traceId, error });
  }
}
