import { type AdminRequest, invalidArgument, limitArgument, wallTime } from '@treadle/api';
import type { CronService } from './cron-service.js';
import type { Timeline } from './timeline.js';

const WEEK_MS = 7 * 24 * 3_600_000;
/** Longest stretch that is looked at. */
const MOST_MS = 366 * 24 * 3_600_000;
const MOST = 1_000;

/** Ticks to come, in the order of time. */
export interface Calendar {
  readonly items: readonly { readonly at: string; readonly step: string; readonly trigger: string }[];
  /** There are more in this time. */
  readonly truncated: boolean;
}

/** The ticks of triggers between two times, by default those of the next 7 days; neither those in a pause nor those that are skipped. @throws AdminError 400 */
export async function calendar({ clock, skipped }: Pick<CronService, 'clock' | 'skipped'>, timelines: readonly Timeline[], { from, to, limit }: AdminRequest['query']): Promise<Calendar> {
  const begin = from === undefined ? wallTime(clock) : timeOf(from, 'from');
  const end = to === undefined ? begin + WEEK_MS : timeOf(to, 'to');
  if (end <= begin || end - begin > MOST_MS) throw invalidArgument('"to" must be later than "from", by at most 366 days');
  const most = limitArgument(limit, MOST, MOST);
  // One more than is shown tells whether there are more.
  const ticks = (await Promise.all(timelines.map(async (timeline) => {
    const left = new Set((await skipped.of(timeline)).map(({ scheduledAt }) => scheduledAt));
    return ticksOf(timeline, { begin, end, left, most: most + 1 }).map((at) => ({ at, ...timeline.key }));
  }))).flat();
  ticks.sort((a, b) => a.at - b.at || (a.step < b.step ? -1 : 1));
  return { items: ticks.slice(0, most).map(({ at, step, trigger }) => ({ at: new Date(at).toISOString(), step, trigger })), truncated: ticks.length > most };
}

/** Those of one trigger but the `left` out, at most so many. */
function ticksOf(timeline: Timeline, { begin, end, left, most }: { readonly begin: number; readonly end: number; readonly left: ReadonlySet<number>; readonly most: number }): readonly number[] {
  const ticks: number[] = [];
  for (let tick = timeline.tickAfter(begin); tick !== undefined && tick <= end && ticks.length < most; tick = timeline.tickAfter(tick)) if (!left.has(tick)) ticks.push(tick);
  return ticks;
}

/** @throws AdminError 400 */
export function timeOf(text: string, name: string): number {
  const time = Date.parse(text);
  if (Number.isFinite(time)) return time;
  throw invalidArgument(`"${name}" must be a time, as ISO 8601, got "${text.slice(0, 100)}"`);
}
