import { type AdminRequest, invalidArgument, limitArgument, wallTime, type Clock } from '@treadle/api';
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

/** The ticks of triggers between two times, by default those of the next 7 days. @throws AdminError 400 */
export function calendar(timelines: readonly Timeline[], clock: Pick<Clock, 'now' | 'wall'>, { from, to, limit }: AdminRequest['query']): Calendar {
  const begin = from === undefined ? wallTime(clock) : timeOf(from, 'from');
  const end = to === undefined ? begin + WEEK_MS : timeOf(to, 'to');
  if (end <= begin || end - begin > MOST_MS) throw invalidArgument('"to" must be later than "from", by at most 366 days');
  const most = limitArgument(limit, MOST, MOST);
  // One more than is shown tells whether there are more.
  const ticks = timelines.flatMap((timeline) => [...timeline.upcoming(begin, end, most + 1)].map((at) => ({ at, ...timeline.key })));
  ticks.sort((a, b) => a.at - b.at || (a.step < b.step ? -1 : 1));
  return { items: ticks.slice(0, most).map(({ at, step, trigger }) => ({ at: new Date(at).toISOString(), step, trigger })), truncated: ticks.length > most };
}

/** @throws AdminError 400 */
export function timeOf(text: string, name: string): number {
  const time = Date.parse(text);
  if (Number.isFinite(time)) return time;
  throw invalidArgument(`"${name}" must be a time, as ISO 8601, got "${text.slice(0, 100)}"`);
}
