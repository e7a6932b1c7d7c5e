import { CRON_DEFAULTS, type MissedRule } from '../cron-trigger.js';
import type { Schedule } from './schedule.js';

/** Most ticks that are caught up at once. */
export const MAX_CAUGHT_UP = 100;
/** A tick that is found this late, while the engine runs, is still on time; milliseconds. */
export const ON_TIME_MS = 60_000;
/** Records made of ticks that are not caught up: more would push the real runs out of the list. */
const MAX_SKIPPED = 10;
/** Records of a trigger that every store keeps. */
const KEPT = 100;
/** Counting takes some 20 microseconds a tick. */
const MAX_COUNTED = 10_000;

/** Since when to look, and how. */
export interface DueQuestion {
  /** The newest tick that was dealt with. */
  readonly after: number;
  readonly now: number;
  /** Nobody was there before now, so whatever is due was missed. */
  readonly opening: boolean;
}

export interface MissedRules {
  readonly missed: MissedRule;
  /** Default: an hour; none for `all`. */
  readonly catchUpWindowMs?: number | undefined;
}

/** Ticks that have come, oldest first in each list. */
export interface DueTicks {
  readonly newest: number;
  /** The tick that has just come. */
  readonly current: number | undefined;
  readonly caughtUp: readonly number[];
  /** Missed and not caught up: the newest few, as far as there is room for them beside the runs. */
  readonly skipped: readonly number[];
  /** How many more there were to catch up than are caught up, counted up to 10,000. */
  readonly dropped: number;
}

/** What to do about the ticks up to now; undefined when there is none. */
export function dueTicks(schedule: Schedule, question: DueQuestion, rules: MissedRules): DueTicks | undefined {
  const { after, now, opening } = question;
  const first = schedule.next(after);
  if (first === undefined || first > now) return undefined;
  const second = schedule.next(first);
  const newest = second === undefined || second > now ? first : schedule.previous(now + 1) ?? first;
  const current = !opening && now - newest <= ON_TIME_MS ? newest : undefined;
  const late = ticksBefore(schedule, current ?? newest + 1, after, MAX_CAUGHT_UP + MAX_SKIPPED);
  const window = rules.catchUpWindowMs ?? (rules.missed === 'all' ? Infinity : CRON_DEFAULTS.catchUpWindowMs);
  const fresh = late.filter((tick) => now - tick <= window);
  const caughtUp = fresh.slice(0, limitOf(rules.missed, current));
  const room = KEPT - caughtUp.length - (current === undefined ? 0 : 1);
  const skipped = late.filter((tick) => !caughtUp.includes(tick)).slice(0, Math.max(0, Math.min(MAX_SKIPPED, room)));
  const dropped = rules.missed === 'all' && fresh.length > MAX_CAUGHT_UP
    ? ticksBefore(schedule, caughtUp.at(-1) ?? 0, Math.max(after, now - window - 1), MAX_COUNTED).length : 0;
  return { newest, current, caughtUp: caughtUp.reverse(), skipped: skipped.reverse(), dropped };
}

/** The latest tick needs no catching up when another one has just come. */
function limitOf(missed: MissedRule, current: number | undefined): number {
  if (missed === 'all') return MAX_CAUGHT_UP;
  return missed === 'latest' && current === undefined ? 1 : 0;
}

/** Newest first, between two moments. */
function ticksBefore(schedule: Schedule, before: number, after: number, limit: number): readonly number[] {
  const ticks: number[] = [];
  for (let tick = schedule.previous(before); tick !== undefined && tick > after && ticks.length < limit; tick = schedule.previous(tick)) ticks.push(tick);
  return ticks;
}
