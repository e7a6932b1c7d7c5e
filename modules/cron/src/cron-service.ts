import { type Catalog, type Clock, type CronAdapter, type CronRun, type CronSchedule, type Invoker, type Logger, type StepId, type StepRecord, type Telemetry, type Timer, type TriggerRecord, type TriggerRef, type Unsubscribe, wallTime } from '@treadle/api';
import { CronSpans } from './cron-telemetry.js';
import { type CronTrigger, triggerIdOf } from './cron-trigger.js';
import { OrphanKeeper } from './runs/orphan-keeper.js';
import { RunExecutor } from './runs/run-executor.js';
import { SkippedTicks } from './skipped-ticks.js';
import { storeClock } from './store-clock.js';
import { MOST_KEPT, Timeline, type TimelineParts } from './timeline.js';
import { Turns } from './turns.js';

/** Longest wait of a timer. Timers do not see that the clock was set, or that the machine slept. */
const LONGEST_WAIT_MS = 10_000;
/** Pause after the store has failed. */
const RETRY_MS = 1_000;
/** How often runs are looked for whose holder is gone. */
const ORPHANS_MS = 15_000;

export interface ServiceParts {
  readonly catalog: Catalog;
  readonly invoker: Invoker;
  readonly adapter: CronAdapter;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry?: Telemetry | undefined;
}

/** Runs the ticks of all triggers: one timer for the next of them. */
export class CronService {
  /** Told of every run that ended and of every tick that was skipped; where telemetry attaches. */
  observer: ((run: CronRun) => void) | undefined;
  private readonly timelines = new Map<string, Timeline>();
  readonly skipped: SkippedTicks;
  private readonly executor: RunExecutor;
  private readonly orphans: OrphanKeeper;
  private readonly sweeping: Timer;
  private timer: Timer | undefined;
  private working = false;
  private underWay: Promise<void> = Promise.resolve();
  private again = false;
  private failing = false;
  private stopped = false;
  /** The time of day when it was last looked at, and the moment by the monotonic clock. No tick has come since. */
  private looked: { readonly wall: number; readonly at: number };

  private readonly parts: ServiceParts;
  private readonly unlisten: Unsubscribe | undefined;
  /** Another engine may have paused or resumed triggers. */
  private stale = false;
  /** Of claims and takeovers: their answers have to come in time. */
  private readonly turns = new Turns();
  private readonly servedSteps = new Set<StepId>();

  constructor(given: ServiceParts) {
    const { shared } = given.adapter;
    const parts = this.parts = { ...given, clock: storeClock(given.clock, shared) };
    this.looked = { wall: wallTime(parts.clock), at: parts.clock.monotonic() };
    this.skipped = new SkippedTicks(parts);
    const spans = new CronSpans(parts.telemetry, parts.clock);
    this.executor = new RunExecutor({ ...parts, spans, turns: this.turns, observe: (run) => this.observer?.(run) });
    this.orphans = new OrphanKeeper(parts, this.executor, (key) => this.timelines.get(idOf(key.step, key.trigger)));
    this.sweeping = parts.clock.every(ORPHANS_MS, () => void this.orphans.sweep());
    if (!shared) return;
    const unlisten = [shared.onSchedules(() => this.wakeStale()), parts.invoker.onServing((step, servers) => this.served(step, servers))];
    this.unlisten = () => unlisten.forEach((end) => end());
  }

  /** Takes a trigger in. @throws an `Error` when the Step has the same schedule twice */
  bind(step: StepRecord, record: TriggerRecord, { index }: TriggerRef): void {
    const trigger = record as CronTrigger;
    const key = { step: step.id, trigger: triggerIdOf(trigger) };
    const known = this.timelines.get(idOf(key.step, key.trigger));
    if (known?.bound) throw new Error(`the Step has the schedule "${key.trigger}" already, as triggers[${known.position}]; remove one of them`);
    if (known) known.rebind(trigger, index);
    else this.timelines.set(idOf(key.step, key.trigger), new Timeline(key, trigger, index, this.timelineParts()));
    this.wake();
  }

  unbind(step: StepRecord, record: TriggerRecord, { index }: TriggerRef): void {
    const id = idOf(step.id, triggerIdOf(record as CronTrigger));
    const timeline = this.timelines.get(id);
    if (timeline?.bound && timeline.position === index) void timeline.unbind();
  }

  /** Triggers that are served, in the order of their Steps. */
  triggers(): readonly Timeline[] {
    return [...this.timelines.values()].filter(({ bound }) => bound);
  }

  /** The triggers of a Step; with `trigger` that one alone. */
  triggersOf(step: StepId, trigger?: string): readonly Timeline[] {
    return this.triggers().filter(({ key }) => key.step === step && (trigger === undefined || key.trigger === trigger));
  }

  /** `until`: when a pause ends by itself; milliseconds since the epoch. */
  async setPaused(timeline: Timeline, paused: boolean, until?: number): Promise<void> {
    const now = wallTime(this.parts.clock);
    await this.parts.adapter.setPaused(timeline.key, paused, now, until);
    if (paused) timeline.pauseUntil(until);
    else if (timeline.pause.on) timeline.resume(now);
    this.wake();
  }

  /** Takes over what other engines have paused or resumed; on a store that no other engine has there is nothing to take over. */
  async followStore(): Promise<void> {
    if (!this.parts.adapter.shared) return;
    this.stale = false;
    const opened = this.triggers().filter((timeline) => timeline.opened);
    try {
      const schedules = await this.parts.adapter.schedules(opened.map(({ key }) => key), wallTime(this.parts.clock));
      for (const [index, schedule] of schedules.entries()) opened[index]?.follow(schedule);
    } catch (error) {
      this.stale = true;
      throw error;
    }
  }

  /** Starts a run of a trigger at once. It never takes the record of a tick: its moment is no whole second. */
  async runNow(timeline: Timeline): Promise<CronRun> {
    let now = wallTime(this.parts.clock);
    for (;;) {
      if (now % 1000 === 0) now += 1;
      const run = await timeline.runNow(now);
      if (run) return run;
      now += 1;
    }
  }

  get clock(): Clock {
    return this.parts.clock;
  }

  /** Newest first. Ticks that are still to come, which a clock that was ahead has brought about, are the last. */
  async runs({ key }: Timeline, limit: number): Promise<readonly CronRun[]> {
    const { adapter, clock } = this.parts;
    const isAhead = ({ scheduledAt }: CronRun): boolean => scheduledAt > wallTime(clock);
    const newest = await adapter.runs(key, limit);
    if (!newest.some(isAhead)) return newest;
    const kept = await adapter.runs(key, MOST_KEPT);
    return [...kept.filter((run) => !isAhead(run)), ...kept.filter(isAhead)].slice(0, limit);
  }

  /** Lets no tick come any more and waits for the runs until the signal aborts; those are given back then. */
  async drain(signal: AbortSignal): Promise<void> {
    this.halt();
    // What is being claimed now comes into the executor's hands, which gives it back at once.
    const givenBack = [...this.timelines.values()].map((timeline) => timeline.unbind());
    await Promise.all([...givenBack, this.executor.drain(signal), this.underWay]);
  }

  /** Gives everything back. */
  async stop(): Promise<void> {
    await this.drain(AbortSignal.abort());
    await this.executor.stop();
  }

  private halt(): void {
    this.stopped = true;
    this.timer?.cancel();
    this.sweeping.cancel();
    this.unlisten?.();
  }

  private wakeStale(): void {
    this.stale = true;
    this.wake();
  }

  /** What nobody could begin has been given back: whoever has a worker first takes it up. */
  private served(step: StepId, servers: number): void {
    const wasServed = this.servedSteps.has(step);
    if (servers === 0) this.servedSteps.delete(step);
    else this.servedSteps.add(step);
    if (servers === 0 || wasServed || this.stopped || this.triggersOf(step).length === 0) return;
    this.orphans.sweepAfresh();
    this.wake();
  }

  private timelineParts(): TimelineParts {
    return { ...this.parts, executor: this.executor, observe: (run) => this.observer?.(run) };
  }

  /** Looks at everything in a moment; what is bound in the same turn is opened together. */
  private wake(delayMs = 0): void {
    if (this.stopped) return;
    this.timer?.cancel();
    this.timer = this.parts.clock.after(delayMs, () => this.work());
  }

  private work(): void {
    this.again = this.working;
    if (!this.working) this.underWay = this.workThrough();
  }

  private async workThrough(): Promise<void> {
    this.working = true;
    try {
      await this.workOnce();
      this.failing = false;
    } catch (error) {
      if (!this.failing) this.parts.log.warn('cron could not reach its store; this is tried again', { reason: (error as Error).message });
      this.failing = true;
    }
    this.working = false;
    this.wake(this.failing ? RETRY_MS : this.again ? 0 : this.untilNext());
  }

  private async workOnce(): Promise<void> {
    await this.checkClock();
    for (const [id, timeline] of this.timelines) if (timeline.over) this.timelines.delete(id);
    if (this.stale) await this.followStore();
    await this.openNew();
    const now = wallTime(this.parts.clock);
    const due = this.triggers().filter((timeline) => (timeline.dueAt() ?? Infinity) <= now && !this.stopped);
    await this.advance(due);
  }

  /** Rejects when one of them could not, after all of them have been tried. */
  private async advance(timelines: readonly Timeline[]): Promise<void> {
    const ended = await Promise.allSettled(timelines.map((timeline) => this.turns.run(async () => this.stopped || timeline.advance())));
    const failed = ended.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason as Error;
  }

  /**
   * When the clock was put back it goes on from what it would have shown at the last look, as if it had been put back then: no tick
   * is lost between the jump and the look that finds it. A clock that is put back fires no tick again that stands for a time of day.
   */
  private async checkClock(): Promise<void> {
    const { looked, parts: { clock } } = this;
    const look = { wall: wallTime(clock), at: clock.monotonic() };
    const from = Math.round(look.wall - (look.at - looked.at));
    if (look.wall < looked.wall) await Promise.all([...this.timelines.values()].map((timeline) => timeline.putBack(from)));
    this.looked = look;
  }

  private async openNew(): Promise<void> {
    const fresh = this.triggers().filter(({ opened }) => !opened);
    if (fresh.length === 0) return;
    const schedules = await this.parts.adapter.schedules(fresh.map(({ key }) => key), wallTime(this.parts.clock));
    await Promise.all(fresh.map(async (timeline, index) => {
      const schedule = schedules[index];
      if (schedule) await this.open(timeline, schedule);
    }));
    await this.orphans.sweep();
    await this.advance(fresh);
  }

  /** The newest tick with a record may be still to come: a clock that was ahead may have brought it about. */
  private async open(timeline: Timeline, schedule: CronSchedule): Promise<void> {
    const now = wallTime(this.parts.clock);
    const { lastTick = 0 } = schedule;
    if (lastTick <= now) {
      timeline.open(schedule);
      return;
    }
    const records = await this.parts.adapter.runs(timeline.key, MOST_KEPT);
    const newest = records.find(({ scheduledAt, manual }) => !manual && scheduledAt <= now)?.scheduledAt ?? now;
    timeline.open({ ...schedule, lastTick: newest }, lastTick, records);
  }

  private untilNext(): number {
    const now = wallTime(this.parts.clock);
    const next = Math.min(...this.triggers().map((timeline) => timeline.dueAt() ?? Infinity));
    return Math.min(LONGEST_WAIT_MS, Math.max(0, next - now));
  }
}

function idOf(step: StepId, trigger: string): string {
  return JSON.stringify([step, trigger]);
}
