import { type Clock, type CronAdapter, type CronKey, type CronRun, type CronSchedule, type Logger, wallTime } from '@treadle/api';
import type { ClaimRound, TickClaim } from './claim-round.js';
import { CRON_DEFAULTS, type CronTrigger, type OverlapRule } from './cron-trigger.js';
import { Pause } from './pause.js';
import type { RunExecutor } from './runs/run-executor.js';
import { RunLine } from './runs/run-line.js';
import { type CronJob, newRun, unbegun } from './runs/run-request.js';
import { dueTicks, type DueTicks } from './schedule/due-ticks.js';
import { Schedule } from './schedule/schedule.js';
import { MAY_OVERLAP, NO_OVERLAP, recordsOf, TickClaims, type TickRecords } from './tick-claims.js';

/** More runs than a store keeps of a trigger. */
export const MOST_KEPT = 1_000;
/** So much later than one with a worker, an engine without one takes up a tick of a store that others share; milliseconds. */
const UNSERVED_MS = 2_000;

/** Runs of a trigger that may wait for a worker; with `overlap: allow` nothing else would end that. */
const MOST_WAITING = 100;
const TOO_MANY = `${MOST_WAITING} runs of the trigger wait for a worker already`;

export interface TimelineParts {
  readonly adapter: CronAdapter;
  readonly executor: RunExecutor;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observe: (run: CronRun) => void;
}

/** One trigger on its way through time: which of its ticks have come, and which runs wait or go on. */
export class Timeline {
  private trigger: CronTrigger;
  private schedule: Schedule;
  private since = 0;
  /** The newest tick that was dealt with. */
  private cursor = 0;
  /** The tick after a cursor, so that it is computed once. */
  private following: { readonly cursor: number; readonly tick: number | undefined } | undefined;
  /** `unknown` until the store has told what it knows. */
  private state: 'unknown' | 'opening' | 'open' = 'unknown';
  readonly pause: Pause;
  private readonly line: RunLine;
  private readonly claims: TickClaims;
  /** What was missed and neither run nor recorded when missed ticks were last caught up here; counted up to 10,000. `at`: milliseconds since the epoch. */
  dropped: { readonly ticks: number; readonly at: number } | undefined;
  /** Index in the `triggers` of its Step. */
  position: number;
  /** False when its Step has gone; runs that go on still end in it. */
  bound = true;

  constructor(readonly key: CronKey, trigger: CronTrigger, position: number, private readonly parts: TimelineParts) {
    this.trigger = trigger;
    this.position = position;
    this.schedule = Schedule.of(trigger.expression, this.timezone);
    this.claims = new TickClaims(parts.adapter, parts.clock);
    this.pause = new Pause(parts.clock);
    this.line = new RunLine(this, parts);
  }

  get expression(): string {
    return this.trigger.expression;
  }

  get timezone(): string {
    return this.trigger.timezone ?? CRON_DEFAULTS.timezone;
  }

  get opened(): boolean {
    return this.state !== 'unknown';
  }

  /** Nothing of it is left to wait for. */
  get over(): boolean {
    return !this.bound && this.line.isFree;
  }

  /** The next tick; undefined when it is not open, or there is none. Milliseconds since the epoch. */
  nextAt(): number | undefined {
    if (!this.opened || !this.bound) return undefined;
    if (this.following?.cursor !== this.cursor) this.following = { cursor: this.cursor, tick: this.schedule.next(this.cursor) };
    return this.following.tick;
  }

  /** When the next tick is to be dealt with here; undefined as for `nextAt`. Milliseconds since the epoch. */
  dueAt(): number | undefined {
    const next = this.nextAt();
    return next === undefined ? undefined : next + this.lag;
  }

  /** The first tick after a moment that is not in a pause. Milliseconds since the epoch. */
  tickAfter(moment: number): number | undefined {
    const { on, until } = this.pause;
    if (!this.bound || (on && until === undefined)) return undefined;
    return this.schedule.next(until === undefined ? moment : Math.max(moment, until - 1));
  }

  /** The Step has come back, perhaps with other settings. */
  rebind(trigger: CronTrigger, position: number): void {
    this.trigger = trigger;
    this.position = position;
    this.bound = true;
  }

  /** What waits, in line or for a worker, is given back: another module, or this one later, may take it. */
  async unbind(): Promise<void> {
    this.bound = false;
    await this.line.letGo();
  }

  /** `lastTick` is no time to come; `ahead` is one, when a clock that was ahead has brought it about: with the records of then, newest tick first. */
  open(schedule: CronSchedule, ahead = 0, records: readonly CronRun[] = []): void {
    const { since, lastTick = 0 } = schedule;
    const now = wallTime(this.parts.clock);
    // A trigger that a clock which was ahead saw first, or resumed, has been there since no later than its last tick.
    this.since = since <= now ? since : lastTick || now;
    this.cursor = Math.max(this.since, lastTick);
    if (schedule.paused) this.pauseUntil(schedule.pausedUntil);
    this.state = 'opening';
    if (ahead > now) this.claims.repeated.putBack(this.schedule, { now, reached: ahead, records });
  }

  /** `until`: milliseconds since the epoch; may be over. */
  pauseUntil(until?: number): void {
    this.pause.begin(until);
    this.endPause();
  }

  /** `at`: milliseconds since the epoch; ticks before it were not missed. */
  resume(at: number): void {
    this.pause.end();
    this.since = at;
    this.cursor = Math.max(this.cursor, at);
  }

  /** A tick at the end of a pause is none of it. */
  private endPause(): void {
    const end = this.pause.takeEnd();
    this.since = Math.max(this.since, end ?? 0);
    this.cursor = Math.max(this.cursor, (end ?? 0) - 1);
  }

  /** What the store has by now: another engine may have paused or resumed it. */
  follow({ paused, pausedUntil, since }: CronSchedule): void {
    const at = Math.min(since, wallTime(this.parts.clock));
    if (paused) this.pauseUntil(pausedUntil);
    else if (this.pause.on || at > this.since) this.resume(at);
  }

  /** The time of day was put back: ticks come again. The records of those that have been keep them from running again. */
  async putBack(now: number): Promise<void> {
    if (this.cursor > now && this.opened) {
      const records = await this.parts.adapter.runs(this.key, MOST_KEPT);
      this.claims.repeated.putBack(this.schedule, { now, reached: this.cursor, records });
    }
    this.since = Math.min(this.since, now);
    this.cursor = Math.min(this.cursor, now);
  }

  /** Deals with the ticks that have come. Rejects when the store failed; the same ticks are due again then. */
  async advance(): Promise<void> {
    this.endPause();
    const opening = this.state === 'opening';
    const now = wallTime(this.parts.clock);
    const due = dueTicks(this.schedule, { after: this.cursor, now: opening ? now : now - this.lag, opening }, {
      missed: this.trigger.missed ?? CRON_DEFAULTS.missed, catchUpWindowMs: this.trigger.catchUpWindowMs,
    });
    if (due && !this.pause.on) await this.claim(due, now);
    this.state = 'open';
    // It may have been resumed or put back meanwhile.
    if (due) this.cursor = Math.max(this.cursor, Math.min(due.newest, wallTime(this.parts.clock)));
    this.line.pump();
  }

  /** Runs an orphan when its turn has come. */
  adopt(run: CronRun): void {
    if (this.claims.yields(run.id)) this.line.adopt(run);
  }

  /** Starts a run now, whatever else goes on; undefined when the store has a record of this very moment. */
  async runNow(now: number): Promise<CronRun | undefined> {
    const run = newRun({ ...this.key, scheduledAt: now, firedAt: now, manual: true, missed: false, status: 'running' });
    const claims = await this.claims.round((round) => round.claim([run], MAY_OVERLAP));
    for (const claim of claims) if (claim.became === 'claimed' && claim.run !== run) this.take(claim.run);
    const became = claims.find((claim) => claim.run === run)?.became;
    if (became === 'claimed') this.line.start(run);
    this.line.pump();
    // What was given back runs soon, here or in another engine.
    return became === 'claimed' || became === 'given_back' ? run : undefined;
  }

  get overlap(): OverlapRule {
    return this.trigger.overlap ?? CRON_DEFAULTS.overlap;
  }

  /** An engine that has a worker comes first: what is claimed here could only be given back. */
  private get lag(): number {
    return this.parts.executor.keeps(this.key.step) ? 0 : UNSERVED_MS;
  }

  private async claim(due: DueTicks, now: number): Promise<void> {
    const claims = await this.claims.round((round) => this.claimed(round, recordsOf(this.key, due, now)));
    for (const { run, became } of claims) if (became === 'claimed') this.take(run);
    if (due.dropped > 0 && claims.some(({ became }) => became === 'claimed')) this.tellDropped(due, now);
  }

  /** What cannot begin at once is recorded as unbegun. Of several ticks each waits for the one before it. */
  private async claimed(round: ClaimRound, { skipped, runs }: TickRecords): Promise<readonly TickClaim[]> {
    const served = this.parts.executor.serves(this.key.step);
    const [first] = runs;
    if (first && runs.length === 1 && this.overlap !== 'allow') return this.claimOne(round, skipped, served ? first : unbegun(first));
    const room = this.overlap === 'allow' ? await this.room(served) : runs.length;
    const [fit, rest] = [runs.slice(0, room), runs.slice(room).map((run): CronRun => ({ ...run, status: 'skipped', error: TOO_MANY }))];
    return round.claim([...skipped, ...served && this.overlap === 'allow' ? fit : fit.map(unbegun), ...rest], MAY_OVERLAP);
  }

  /** How many more runs may wait for a worker. Where there is one, those count alone that it had no room for. */
  private async room(served: boolean): Promise<number> {
    if (served && this.line.going < MOST_WAITING) return MOST_WAITING;
    const running = await this.parts.adapter.running(this.key);
    return Math.max(0, MOST_WAITING - running.filter(({ attempt }) => !served || attempt === 0).length);
  }

  private async claimOne(round: ClaimRound, skipped: readonly CronRun[], run: CronRun): Promise<readonly TickClaim[]> {
    if (!this.line.isFree) return round.claim([...skipped, await this.overlapping(run)], MAY_OVERLAP);
    const claims = await round.claim([...skipped, run], NO_OVERLAP);
    const refused = claims.find(({ became }) => became === 'overlaps')?.run;
    return refused ? [...claims, ...await this.claimRefused(round, refused)] : claims;
  }

  /** The store has a run that goes on: one of another engine, or one that has ended here and whose end is still being written. */
  private async claimRefused(round: ClaimRound, run: CronRun): Promise<readonly TickClaim[]> {
    if (await this.line.ended()) {
      const claims = await round.claim([run], NO_OVERLAP);
      if (claims.every(({ became }) => became !== 'overlaps')) return claims;
    }
    return round.claim([await this.overlapping(run)], MAY_OVERLAP);
  }

  /** The record of a tick while another run goes on: it waits for that, or is skipped. */
  private async overlapping(run: CronRun): Promise<CronRun> {
    const waits = this.overlap === 'queue' && !this.line.hasTick && !await this.waitsElsewhere();
    return waits ? { ...run, attempt: 0 } : { ...run, attempt: 1, status: 'skipped' };
  }

  /** Another engine has one that waits for the run that goes on. */
  private async waitsElsewhere(): Promise<boolean> {
    const running = await this.parts.adapter.running(this.key);
    const others = running.filter(({ id, missed }) => !missed && !this.parts.executor.holds(id));
    return others.length > 0 && others.length + this.line.going > 1;
  }

  private tellDropped({ dropped, caughtUp }: DueTicks, at: number): void {
    this.dropped = { ticks: dropped, at };
    this.parts.log.warn('missed cron ticks were dropped: 100 at most are caught up', { stepName: this.key.step, trigger: this.key.trigger, caughtUp: caughtUp.length, dropped });
  }

  private take(run: CronRun): void {
    if (run.status === 'running') this.line.take(run);
    else this.parts.observe(run);
  }

  readonly job = (): CronJob | undefined => {
    const { key: { step }, position: index, timezone, schedule } = this;
    return !this.bound ? undefined : {
      step, index, timezone, timeoutMs: this.trigger.timeoutMs ?? CRON_DEFAULTS.timeoutMs,
      previousTick: (before) => {
        const tick = schedule.previous(before);
        return tick === undefined || tick < this.since ? undefined : tick;
      },
    };
  };
}
