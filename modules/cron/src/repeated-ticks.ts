import type { CronRun } from '@treadle/api';
import type { Schedule } from './schedule/schedule.js';

/** A second in which ticks are told apart by milliseconds. */
const SECOND_MS = 1_000;

/**
 * Ticks that a wall clock which was put back brings about a second time. Those of a schedule whose ticks are closer together than the
 * jump run again: whoever wants something each minute wants it also in the hour that comes twice. What comes once a day has been,
 * and stays away. A repeated tick has a record of its own, some milliseconds after the whole second. How many is seen by the records that the store has, so
 * that engines agree on it which did not see the same jumps.
 */
export class RepeatedTicks {
  private until = 0;
  private offset = 0;

  /** The clock shows `now`; ticks up to `reached` have been. `records`: those of the trigger, newest tick first. */
  putBack(schedule: Schedule, { now, reached, records }: { readonly now: number; readonly reached: number; readonly records: readonly CronRun[] }): void {
    const next = schedule.next(now);
    const second = next === undefined ? undefined : schedule.next(next);
    if (next === undefined || second === undefined || second - next > reached - now) return;
    const ticks = records.filter(({ manual }) => !manual).map(({ scheduledAt }) => scheduledAt);
    const ahead = ticks.filter((tick) => tick > now).map((tick) => tick % SECOND_MS + 1);
    const newest = ticks.find((tick) => tick <= now) ?? 0;
    this.offset = Math.max(1, newest % SECOND_MS, ...ahead);
    this.until = Math.max(this.until, reached);
  }

  /** The moment under which a tick is recorded. */
  record(tick: number): number {
    return tick <= this.until ? tick + this.offset : tick;
  }
}

/** The tick that a record is about. */
export function tickOf({ scheduledAt, manual }: { readonly scheduledAt: number; readonly manual: boolean }): number {
  return manual ? scheduledAt : scheduledAt - scheduledAt % SECOND_MS;
}
