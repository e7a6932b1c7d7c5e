import type { CronCalendar } from '../../api/types.generated.js';
import { minuteTime, type Zone } from '../../format/time.js';

export type Tick = CronCalendar['items'][number];

/** Ticks of different triggers in the same minute. */
export interface Collision {
  /** As it is shown, e.g. `2026-11-27 09:00`. */
  readonly minute: string;
  readonly at: string;
  readonly ticks: readonly Tick[];
}

export interface Hour {
  readonly ticks: readonly Tick[];
  readonly collisions: number;
}

export interface Day {
  /** `2026-11-27` */
  readonly date: string;
  /** 24, by what the clocks show: an hour that comes twice has the ticks of both. */
  readonly hours: readonly Hour[];
}

export interface Calendar {
  readonly days: readonly Day[];
  readonly collisions: readonly Collision[];
}

const HOURS = 24;
const DATE = 10;

/** Ticks by the days and hours of a zone, from the first to the last day that has one. */
export function calendarOf(items: readonly Tick[], zone: Exclude<Zone, 'relative'>): Calendar {
  const minutes = byMinute(items, zone);
  const collisions = [...minutes].flatMap(([minute, ticks]) => (new Set(ticks.map(({ step, trigger }) => `${step} ${trigger}`)).size > 1 ? [{ minute, at: ticks[0]?.at ?? '', ticks }] : []));
  const days = daysBetween([...minutes.keys()].map((minute) => minute.slice(0, DATE)));
  return {
    collisions,
    days: days.map((date) => ({
      date, hours: Array.from({ length: HOURS }, (_, hour) => {
        const begins = `${date} ${String(hour).padStart(2, '0')}`;
        return { ticks: [...minutes].flatMap(([minute, ticks]) => (minute.startsWith(begins) ? ticks : [])), collisions: collisions.filter(({ minute }) => minute.startsWith(begins)).length };
      }),
    })),
  };
}

/** All dates from the first to the last of these, which are in order. */
function daysBetween(dates: readonly string[]): readonly string[] {
  const [first, last] = [dates[0], dates.at(-1)];
  if (first === undefined || last === undefined) return [];
  const days: string[] = [];
  for (let day = new Date(`${first}T12:00:00Z`); days.at(-1) !== last; day = new Date(day.getTime() + HOURS * 3_600_000)) days.push(day.toISOString().slice(0, DATE));
  return days;
}

function byMinute(items: readonly Tick[], zone: Zone): ReadonlyMap<string, readonly Tick[]> {
  const minutes = new Map<string, Tick[]>();
  for (const tick of items) {
    const minute = minuteTime(Date.parse(tick.at), zone);
    minutes.set(minute, [...minutes.get(minute) ?? [], tick]);
  }
  return minutes;
}
