import type { Clock, CronAdapter, CronClaimed, CronClaimRule, CronKey, CronRun } from '@treadle/api';
import { RepeatedTicks } from './repeated-ticks.js';
import { LEASE_MS } from './runs/run-executor.js';
import { isLate } from './runs/run-recorder.js';
import { newRun, unbegun } from './runs/run-request.js';
import type { DueTicks } from './schedule/due-ticks.js';

/** A record and what became of it. */
export interface TickClaim {
  readonly run: CronRun;
  readonly became: CronClaimed;
}

/** For a tick that may run beside others, or waits for them. */
export const MAY_OVERLAP: CronClaimRule = { unlessRunning: false };
/** The store decides whether the tick overlaps a run, whichever engine has it. */
export const NO_OVERLAP: CronClaimRule = { unlessRunning: true };

/** Writes records of the ticks of one trigger. */
export class TickClaims {
  readonly repeated = new RepeatedTicks();
  /** Claims that were not answered, as they are given back: nothing of them has begun. */
  private unanswered: readonly CronRun[] = [];

  constructor(private readonly adapter: CronAdapter, private readonly clock: Clock) {}

  /** A tick that comes a second time, because the time of day was put back, has a record under a moment of its own. */
  async claim(runs: readonly CronRun[], rule: CronClaimRule): Promise<readonly TickClaim[]> {
    const claims = await this.ask(runs, rule);
    const again = claims.flatMap(({ run, became }) => (became === 'taken' ? this.repetitionOf(run) : []));
    return again.length === 0 ? claims : [...claims, ...await this.ask(again, rule)];
  }

  private async ask(runs: readonly CronRun[], rule: CronClaimRule): Promise<readonly TickClaim[]> {
    const began = this.clock.monotonic();
    const found = await this.found();
    const claims = [...found, ...await this.claims(runs, rule, found)];
    return isLate(this.adapter, this.clock.monotonic() - began) ? this.givenBack(claims) : claims;
  }

  private async claims(runs: readonly CronRun[], rule: CronClaimRule, found: readonly TickClaim[]): Promise<readonly TickClaim[]> {
    try {
      const outcomes = await this.adapter.claim(runs, LEASE_MS, rule);
      return runs.map((run, index) => ({ run, became: outcomes[index] ?? 'taken' }));
    } catch (error) {
      this.unanswered = [...found.map(({ run }) => run), ...runs.filter(({ status }) => status === 'running')].map(asUnbegun);
      throw error;
    }
  }

  /** What was stored although its claim failed. It would be held by this engine, which knows nothing of it, until its lease is over. */
  private async found(): Promise<readonly TickClaim[]> {
    const found: TickClaim[] = [];
    if (this.unanswered.length > 0) await this.adapter.finish(this.unanswered);
    for (const run of this.unanswered) {
      const taken = await this.adapter.takeOver(run, LEASE_MS);
      if (taken) found.push({ run: taken, became: 'claimed' });
    }
    this.unanswered = [];
    return found;
  }

  /** Whoever takes them up has the attempts that these would have been; what others have by now is passed over. */
  private async givenBack(claims: readonly TickClaim[]): Promise<readonly TickClaim[]> {
    const isOurs = ({ run, became }: TickClaim): boolean => became === 'claimed' && run.status === 'running';
    await this.adapter.finish(claims.filter(isOurs).map(({ run }) => asUnbegun(run)));
    return claims.map((claim) => (isOurs(claim) ? { ...claim, became: 'taken' } : claim));
  }

  private repetitionOf(run: CronRun): readonly CronRun[] {
    const scheduledAt = this.repeated.record(run.scheduledAt);
    return scheduledAt === run.scheduledAt ? [] : [{ ...run, scheduledAt }];
  }
}

const asUnbegun = (run: CronRun): CronRun => (run.attempt > 0 ? unbegun(run) : run);

/** Records of ticks that have come: those that are not run, and those that are, oldest first in each list. */
export interface TickRecords {
  readonly skipped: readonly CronRun[];
  readonly runs: readonly CronRun[];
}

/** @param now milliseconds since the epoch */
export function recordsOf(key: CronKey, { skipped, caughtUp, current }: DueTicks, now: number): TickRecords {
  const make = (missed: boolean, status: CronRun['status']) => (tick: number): CronRun =>
    newRun({ ...key, scheduledAt: tick, firedAt: now, manual: false, missed, status });
  return {
    skipped: skipped.map(make(true, 'skipped')),
    runs: [...caughtUp.map(make(true, 'running')), ...current === undefined ? [] : [make(false, 'running')(current)]],
  };
}
