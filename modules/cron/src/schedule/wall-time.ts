import type { CronExpression } from './cron-expression.js';
import { holds, nextIn } from './field-set.js';

/** How far ahead is searched; 29 February on a given day of the week comes at least every 40 years. */
const SEARCHED_MONTHS = 50 * 12;
const DAY_MS = 86_400_000;

/**
 * A wall time: what clocks show somewhere, as the milliseconds that it would be in UTC. The first one that an
 * expression matches, not before another; undefined when there is none in 50 years.
 */
export function nextWallTime(expression: CronExpression, from: number): number | undefined {
  const start = Math.ceil(from / 1000) * 1000;
  const today = Math.floor(start / DAY_MS) * DAY_MS;
  const day = nextDay(expression, today);
  if (day === undefined) return undefined;
  if (day > today) return day + timeOfDay(expression, 0) * 1000;
  const time = timeOfDay(expression, (start - today) / 1000);
  if (time !== -1) return today + time * 1000;
  const later = nextDay(expression, today + DAY_MS);
  return later === undefined ? undefined : later + timeOfDay(expression, 0) * 1000;
}

/** Seconds of the day of the first match that is not before another, or -1. */
function timeOfDay({ hours, minutes, seconds }: CronExpression, from: number): number {
  const [hour, minute, second] = [Math.floor(from / 3600), Math.floor(from / 60) % 60, from % 60];
  const firstMinute = nextIn(minutes, 0);
  const firstSecond = nextIn(seconds, 0);
  if (holds(hours, hour)) {
    if (holds(minutes, minute) && nextIn(seconds, second) !== -1) return hour * 3600 + minute * 60 + nextIn(seconds, second);
    const nextMinute = nextIn(minutes, minute + 1);
    if (nextMinute !== -1) return hour * 3600 + nextMinute * 60 + firstSecond;
  }
  const nextHour = nextIn(hours, hour + 1);
  return nextHour === -1 ? -1 : nextHour * 3600 + firstMinute * 60 + firstSecond;
}

/** The first matching day, not before another; days are given by their first millisecond. */
function nextDay(expression: CronExpression, from: number): number | undefined {
  const date = new Date(from);
  const year = date.getUTCFullYear();
  let day = date.getUTCDate();
  for (let month = date.getUTCMonth(), end = month + SEARCHED_MONTHS; month < end; month += 1) {
    if (holds(expression.months, month % 12 + 1) && inYears(expression, year + Math.floor(month / 12))) {
      const found = dayInMonth(expression, Date.UTC(year, month, 1), day);
      if (found !== undefined) return found;
    }
    day = 1;
  }
  return undefined;
}

const inYears = ({ years }: CronExpression, year: number): boolean => years === undefined || holds(years, year);

function dayInMonth({ days, weekdays, bothDays }: CronExpression, first: number, from: number): number | undefined {
  const start = new Date(first);
  const weekday = start.getUTCDay();
  const month = start.getUTCMonth();
  const length = new Date(Date.UTC(start.getUTCFullYear(), month + 1, 0)).getUTCDate();
  for (let day = from; day <= length; day += 1) {
    const inDays = holds(days, day);
    const inWeekdays = holds(weekdays, (weekday + day - 1) % 7);
    if (bothDays ? inDays && inWeekdays : inDays || inWeekdays) return first + (day - 1) * DAY_MS;
  }
  return undefined;
}
