import { type AdminRequest, type Clock, invalidArgument, wallTime } from '@treadle/api';
import { timeOf } from './calendar.js';
import { CRON_DEFAULTS, cronTriggerIssues } from './cron-trigger.js';
import { normalized } from './schedule/cron-expression.js';
import { Schedule, type TickPlace } from './schedule/schedule.js';

const DEFAULT_COUNT = 5;
const MOST = 100;
const MOST_CHARACTERS = 200;

/** One tick of `GET /expression`. */
export interface TestedTick {
  readonly at: string;
  /** In the time zone, with its offset. */
  readonly local: string;
  /** What the change of the clocks does to it. */
  readonly dst?: TickPlace['dst'] | 'changed';
}

/** What the engine makes of an expression. */
export interface TestedExpression {
  readonly expression: string;
  readonly timezone: string;
  readonly next: readonly TestedTick[];
}

/** The next ticks of any expression. @throws AdminError 400 that says what is wrong with it and what to write */
export function testExpression(clock: Pick<Clock, 'now' | 'wall'>, { expression, timezone = CRON_DEFAULTS.timezone, count, from }: AdminRequest['query']): TestedExpression {
  if (expression === undefined || expression.length > MOST_CHARACTERS) throw invalidArgument(`"expression" must be a cron expression of at most ${MOST_CHARACTERS} characters`);
  const [issue] = cronTriggerIssues({ type: 'cron', expression, timezone });
  if (issue) throw invalidArgument(`${issue.message}; ${issue.remedy}`);
  const ticks = ticksOf(Schedule.of(expression, timezone), from === undefined ? wallTime(clock) : timeOf(from, 'from') - 1, countOf(count));
  return { expression: normalized(expression), timezone, next: ticks };
}

function countOf(text: string | undefined): number {
  const count = text === undefined ? DEFAULT_COUNT : Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= MOST) return count;
  throw invalidArgument(`"count" must be a whole number from 1 to ${MOST}`);
}

function ticksOf(schedule: Schedule, after: number, count: number): readonly TestedTick[] {
  const ticks: TestedTick[] = [];
  let { offset } = schedule.place(after);
  for (let at = schedule.next(after); at !== undefined && ticks.length < count; at = schedule.next(at)) {
    const place = schedule.place(at);
    const dst = place.dst ?? (place.offset === offset ? undefined : 'changed');
    ({ offset } = place);
    ticks.push({ at: new Date(at).toISOString(), local: localText(at, offset), ...dst !== undefined && { dst } });
  }
  return ticks;
}

/** `2027-03-28T03:00:00+02:00` */
function localText(at: number, offset: number): string {
  const minutes = Math.abs(Math.round(offset / 60_000));
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${new Date(at + offset).toISOString().slice(0, -5)}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
