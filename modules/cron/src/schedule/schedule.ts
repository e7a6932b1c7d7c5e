import { type CronExpression, parseExpression } from './cron-expression.js';
import { TimeZone, type ZonePeriod } from './time-zone.js';
import { nextWallTime } from './wall-time.js';

/** A wall time comes at most this much before the same time in UTC: offsets and gaps together stay well below. */
const WIDEST_OFFSET_MS = 50 * 3_600_000;
const LONGEST_LOOK_BACK_MS = 51 * 366 * 86_400_000;
/** A search visits a few periods; more than this would be a fault. */
const MOST_PERIODS = 10_000;

/** Where a tick is in its time zone. */
export interface TickPlace {
  /** Wall time less time, in milliseconds. */
  readonly offset: number;
  /** `shifted`: the clocks leave its time out; `first`, `again`: they show its time twice. */
  readonly dst?: 'shifted' | 'first' | 'again';
}

/** The ticks of an expression in a time zone. Times are milliseconds since the epoch; ticks are whole seconds. */
export class Schedule {
  private constructor(private readonly expression: CronExpression, private readonly zone: TimeZone) {}

  /**
   * @throws CronSyntaxError when the expression is not one
   * @throws RangeError when there is no such time zone
   */
  static of(expression: string, timezone: string): Schedule {
    return new Schedule(parseExpression(expression), TimeZone.of(timezone));
  }

  /**
   * The first tick after a moment; undefined when there is none in 50 years.
   *
   * Where the clocks leave times out, those that the expression names become one tick at the first moment after them,
   * unless the expression has ticks in every hour. Where they repeat times, fixed ones are ticks the first time only and
   * intervals go on as time does.
   */
  next(after: number): number | undefined {
    let from = Math.floor(after / 1000) * 1000 + 1000;
    for (let count = 0; count < MOST_PERIODS; count += 1) {
      const period = this.zone.period(from);
      if (from === period.from && this.namesLeftOut(period)) return from;
      const wall = nextWallTime(this.expression, this.firstWall(period, from));
      if (wall === undefined) return undefined;
      const tick = wall - period.offset;
      if (tick < period.until) return tick;
      from = this.goOn(period, wall);
    }
    return undefined;
  }

  /** From the end of a period, or from shortly before the next match if no times that are past are repeated there. */
  private goOn({ until, offset }: ZonePeriod, wall: number): number {
    const soonest = wall - WIDEST_OFFSET_MS;
    return soonest > until && this.zone.period(until).offset >= offset ? soonest : until;
  }

  /** What the clocks of the zone make of a tick. */
  place(tick: number): TickPlace {
    const { from, until, offset, before } = this.zone.period(tick);
    const wall = tick + offset;
    if (tick === from && offset > before && nextWallTime(this.expression, wall) !== wall) return { offset, dst: 'shifted' };
    if (offset < before && wall < from + before) return { offset, dst: 'again' };
    return wall >= until + this.zone.period(until).offset ? { offset, dst: 'first' } : { offset };
  }

  /** The last tick before a moment; undefined when there is none in 50 years. */
  previous(before: number): number | undefined {
    let found = this.someBefore(before);
    if (found === undefined) return undefined;
    for (let high = before; high - found > 1;) {
      const middle: number = Math.floor((found + high) / 2);
      const tick = this.next(middle);
      if (tick !== undefined && tick < before) found = tick;
      else high = middle;
    }
    return found;
  }

  /** Any tick before a moment. By doubling, so that neither frequent nor rare ones take long to find. */
  private someBefore(before: number): number | undefined {
    for (let span = 2_000; ; span *= 2) {
      const tick = this.next(before - Math.min(span, LONGEST_LOOK_BACK_MS));
      if (tick !== undefined && tick < before) return tick;
      if (span > LONGEST_LOOK_BACK_MS) return undefined;
    }
  }

  /** Times that the expression names were left out where the period begins. */
  private namesLeftOut({ from, before, offset }: ZonePeriod): boolean {
    if (this.expression.everyHour || offset <= before) return false;
    const wall = nextWallTime(this.expression, from + before);
    return wall !== undefined && wall < from + offset;
  }

  private firstWall({ from, before, offset }: ZonePeriod, time: number): number {
    const wall = time + offset;
    return this.expression.fixed ? Math.max(wall, from + before) : wall;
  }
}
