import { AdminError, type Clock, type CronAdapter, type CronRun, wallTime } from '@treadle/api';
import { LEASE_MS } from './runs/run-leases.js';
import { newRun } from './runs/run-request.js';
import type { Timeline } from './timeline.js';

/** Ticks to come of a trigger that are skipped, at most: a store keeps their records beside the last 100. */
const MOST = 10;

interface SkippingParts {
  readonly adapter: CronAdapter;
  readonly clock: Clock;
}

/** Ticks that somebody lets be skipped. Such a tick has a record before it comes, so that no engine on the store runs it. */
export class SkippedTicks {
  constructor(private readonly parts: SkippingParts) {}

  /** Those of a trigger that are still to come, the next one first. */
  async of({ key }: Timeline): Promise<readonly CronRun[]> {
    const { adapter, clock } = this.parts;
    const newest = await adapter.runs(key, MOST);
    return newest.filter(({ scheduledAt, manual, status }) => scheduledAt > wallTime(clock) && manual && status === 'skipped').reverse();
  }

  /**
   * Lets the next tick be skipped. @param by who wants it
   * @param at that it has to be; undefined: whichever is next
   * @throws AdminError 409 when there is none, another one is next, or too many are skipped
   */
  async skipNext(timeline: Timeline, by: string, at?: number): Promise<CronRun> {
    const { adapter, clock } = this.parts;
    const now = wallTime(clock);
    const skipped = await this.of(timeline);
    if (skipped.length === MOST) throw new AdminError(409, 'too_many_skipped', `the next ${MOST} ticks are skipped already; pause the trigger until a time instead`);
    const tick = nextBut(skipped, timeline, now);
    if (tick === undefined) throw new AdminError(409, 'no_next_tick', 'the trigger has no next tick, or is paused until it is resumed');
    if (at !== undefined && at !== tick) throw new AdminError(409, 'not_the_next_tick', `the next tick is ${new Date(tick).toISOString()}`);
    const run: CronRun = { ...newRun({ ...timeline.key, scheduledAt: tick, firedAt: now, manual: true, missed: false, status: 'skipped' }), error: `skipped by ${by}` };
    const [became] = await adapter.claim([run], LEASE_MS);
    if (became !== 'claimed') throw new AdminError(409, 'not_the_next_tick', `${new Date(tick).toISOString()} has come, or somebody else has skipped it`);
    return run;
  }
}

/** The first tick to come that is not skipped. */
export function nextBut(skipped: readonly CronRun[], timeline: Timeline, now: number): number | undefined {
  const ticks = new Set(skipped.map(({ scheduledAt }) => scheduledAt));
  let tick = timeline.tickAfter(now);
  while (tick !== undefined && ticks.has(tick)) tick = timeline.tickAfter(tick);
  return tick;
}
