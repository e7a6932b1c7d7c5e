import type { CronAdapter, CronClaimed, CronClaimRule, CronKey, CronRun } from '@treadle/api';
import { RepeatedTicks } from './repeated-ticks.js';
import { LEASE_MS } from './runs/run-executor.js';
import { newRun } from './runs/run-request.js';
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

  constructor(private readonly adapter: CronAdapter) {}

  /** A tick that comes a second time, because the time of day was put back, has a record under a moment of its own. */
  async claim(runs: readonly CronRun[], rule: CronClaimRule): Promise<readonly TickClaim[]> {
    const claims = await this.ask(runs, rule);
    const again = claims.flatMap(({ run, became }) => (became === 'taken' ? this.repetitionOf(run) : []));
    return again.length === 0 ? claims : [...claims, ...await this.ask(again, rule)];
  }

  private async ask(runs: readonly CronRun[], rule: CronClaimRule): Promise<readonly TickClaim[]> {
    const outcomes = await this.adapter.claim(runs, LEASE_MS, rule);
    return runs.map((run, index) => ({ run, became: outcomes[index] ?? 'taken' }));
  }

  private repetitionOf(run: CronRun): readonly CronRun[] {
    const scheduledAt = this.repeated.record(run.scheduledAt);
    return scheduledAt === run.scheduledAt ? [] : [{ ...run, scheduledAt }];
  }
}

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
