import type { Clock, CronAdapter, CronKey, CronRun, Timer } from '@treadle/api';
import type { OverlapRule } from '../cron-trigger.js';
import type { RunExecutor } from './run-executor.js';
import { type CronJob, unbegun } from './run-request.js';

/** Pause until runs of another module on the same store are looked at again. */
const BLOCKED_MS = 1_000;

interface LineParts {
  readonly adapter: CronAdapter;
  readonly executor: RunExecutor;
  readonly clock: Clock;
}

/** The trigger whose runs these are. */
export interface LineOwner {
  readonly key: CronKey;
  readonly overlap: OverlapRule;
  readonly bound: boolean;
  readonly job: () => CronJob | undefined;
}

/** Runs of one trigger that are in the hands of this engine: those that go on, or wait for a worker, and those that wait for their turn. */
export class RunLine {
  private readonly active = new Set<string>();
  /** In the order in which they start. Their next attempts are not written down: what waits has not begun. */
  private waiting: CronRun[] = [];
  /** Writing of ends that is under way. */
  private readonly ending = new Set<Promise<void>>();
  private pumping = false;
  private blocked: Timer | undefined;

  constructor(private readonly owner: LineOwner, private readonly parts: LineParts) {}

  /** Nothing goes on or waits here that a tick would overlap. */
  get isFree(): boolean {
    return this.active.size + this.waiting.length === 0;
  }

  /** A tick that has just come waits already. */
  get hasTick(): boolean {
    return this.waiting.some(({ missed }) => !missed);
  }

  get going(): number {
    return this.active.size;
  }

  /** False when no end is being written; else waits for that. */
  async ended(): Promise<boolean> {
    if (this.ending.size === 0) return false;
    await Promise.all(this.ending);
    return true;
  }

  /** Takes a claimed run in; to be followed by `pump`. */
  take(run: CronRun): void {
    if (run.attempt === 0) this.queue(run);
    else if (this.owner.overlap === 'allow' || this.isFree) this.start(run);
    else this.queue(unbegun(run));
  }

  /** Runs an orphan when its turn has come. */
  adopt(run: CronRun): void {
    this.queue(run);
    this.waiting.sort((a, b) => a.scheduledAt - b.scheduledAt);
    this.pump();
  }

  start(run: CronRun): void {
    this.parts.executor.start(run, this.owner.job, this.activated(run));
  }

  /** What waits, in line or for a worker, is given back: another module, or this one later, may take it. */
  async letGo(): Promise<void> {
    this.blocked?.cancel();
    this.parts.executor.letGo([...this.active]);
    await this.parts.executor.giveBack(this.waiting.splice(0));
  }

  /** Starts what may start. Where other engines may have a worker, nothing waits here while there is none. */
  pump(): void {
    const { owner, parts: { executor } } = this;
    if (!executor.keeps(owner.key.step)) void executor.giveBack(this.waiting.splice(0));
    else if (owner.overlap === 'allow') for (const run of this.waiting.splice(0)) this.takeUp(run);
    else if (!this.pumping && this.waiting.length > 0 && this.active.size === 0) void this.startFirst();
  }

  private queue(run: CronRun): void {
    this.parts.executor.reserve(run);
    this.waiting.push(run);
  }

  private async startFirst(): Promise<void> {
    this.pumping = true;
    const blocked = await this.isBlocked(this.waiting[0]?.scheduledAt ?? 0).catch(() => true);
    this.pumping = false;
    if (blocked && this.owner.bound) {
      this.blocked = this.parts.clock.after(BLOCKED_MS, () => this.pump());
      return;
    }
    const run = this.waiting.shift();
    if (run) this.takeUp(run);
  }

  /** Another module on the same store has an earlier run that goes on. */
  private async isBlocked(tick: number): Promise<boolean> {
    const running = await this.parts.adapter.running(this.owner.key);
    return running.some(({ id, scheduledAt }) => scheduledAt < tick && !this.parts.executor.holds(id));
  }

  private takeUp(run: CronRun): void {
    this.parts.executor.takeUp(run, this.owner.job, this.activated(run));
  }

  /** To be called when the run has ended, with the writing of its end. */
  private activated({ id }: CronRun): (written: Promise<void>) => void {
    this.active.add(id);
    return (written) => {
      this.active.delete(id);
      this.ending.add(written);
      void written.then(() => this.ending.delete(written));
      this.pump();
    };
  }
}
