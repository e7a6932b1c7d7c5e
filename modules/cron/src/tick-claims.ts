import type { Clock, CronAdapter, CronClaimRule, CronKey, CronRun } from '@treadle/api';
import { ClaimRound, type TickClaim } from './claim-round.js';
import { RepeatedTicks } from './repeated-ticks.js';
import { newRun } from './runs/run-request.js';
import type { DueTicks } from './schedule/due-ticks.js';

/** For a tick that may run beside others, or waits for them. */
export const MAY_OVERLAP: CronClaimRule = { unlessRunning: false };
/** The store decides whether the tick overlaps a run, whichever engine has it. */
export const NO_OVERLAP: CronClaimRule = { unlessRunning: true };

/** Writes records of one trigger, in rounds. Several rounds may go on at once: each has what it claims to itself. */
export class TickClaims {
  readonly repeated = new RepeatedTicks();
  /** What rounds that failed have claimed, or may have, as it is given back. */
  private unanswered: CronRun[] = [];
  private readonly rounds = new Set<ClaimRound>();

  constructor(private readonly adapter: CronAdapter, private readonly clock: Clock) {}

  /**
   * What is claimed in a round is the caller's once it is over. When it fails, the next one begins with that: until its lease is over it would be
   * held by this engine, which knows nothing of it.
   */
  async round(ask: (round: ClaimRound) => Promise<readonly TickClaim[]>): Promise<readonly TickClaim[]> {
    const { adapter, clock, repeated } = this;
    const round = new ClaimRound({ adapter, clock, repeated }, this.unanswered.splice(0));
    this.rounds.add(round);
    try {
      const found = await round.found();
      return await round.kept([...found, ...await ask(round)]);
    } catch (error) {
      this.unanswered.push(...round.owned);
      throw error;
    } finally {
      this.rounds.delete(round);
    }
  }

  /** Whether an orphan may be taken up; not while a round decides about it. */
  yields(id: string): boolean {
    if ([...this.rounds].some((round) => round.owns(id))) return false;
    this.unanswered = this.unanswered.filter((run) => run.id !== id);
    return true;
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
