import type { Schedule } from './schedule/schedule.js';

/** A second in which ticks are told apart by milliseconds. */
const SECOND_MS = 1_000;

/**
 * Ticks that a wall clock which was put back brings about a second time. Those of a schedule whose ticks are closer together than the
 * jump run again: whoever wants something each minute wants it also in the hour that comes twice. What comes once a day has been,
 * and stays away. A repeated tick has a record of its own, some milliseconds after the whole second.
 */
export class RepeatedTicks {
  private until = 0;
  private offset = 0;

  /** The clock shows `now`; ticks up to `reached` have been. `newest`: that with a record up to now, when it is known. */
  putBack(schedule: Schedule, { now, reached, newest = 0 }: { readonly now: number; readonly reached: number; readonly newest?: number | undefined }): void {
    const next = schedule.next(now);
    const second = next === undefined ? undefined : schedule.next(next);
    if (next === undefined || second === undefined || second - next > reached - now) return;
    this.offset = Math.max(newest % SECOND_MS, this.offset + 1);
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
