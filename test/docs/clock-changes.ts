import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../architecture/workspace.js';

const ZONE = 'Europe/Berlin';
/** The nights of docs/cron.md, from midnight to 4:59:59. */
const NIGHTS = [['2026-03-29T00:00:00+01:00', '2026-03-29T05:00:00+02:00'], ['2026-10-25T00:00:00+02:00', '2026-10-25T05:00:00+01:00']] as const;

interface Schedules {
  readonly Schedule: { of(expression: string, zone: string): { next(after: number): number | undefined } };
}

/** Rows of the table in docs/cron.md: an expression and its runs in both nights, as they are written. */
export function writtenNights(): readonly (readonly [expression: string, spring: string, autumn: string])[] {
  const text = readFileSync(join(ROOT, 'docs/cron.md'), 'utf8');
  return [...text.matchAll(/^\| `([^`]+)` \| (\d[^|]*) \| (\d[^|]*) \|$/gm)].map(([, expression = '', spring = '', autumn = '']) => [expression, spring, autumn]);
}

/** The runs of an expression in both nights, written the same way. */
export async function computedNights(expression: string): Promise<readonly [expression: string, spring: string, autumn: string]> {
  // By its path: the module has no use for the arithmetic outside of it.
  const { Schedule } = await import(pathToFileURL(join(ROOT, 'modules/cron/src/schedule/schedule.ts')).href) as Schedules;
  const schedule = Schedule.of(expression, ZONE);
  const [spring, autumn] = NIGHTS.map(([from, until]) => {
    const ticks: number[] = [];
    for (let tick = schedule.next(Date.parse(from) - 1); tick !== undefined && tick < Date.parse(until); tick = schedule.next(tick)) ticks.push(tick);
    return wallTimes(ticks);
  });
  return [expression, spring ?? '', autumn ?? ''];
}

function wallTimes(ticks: readonly number[]): string {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: ZONE, hour: 'numeric', minute: '2-digit' });
  const texts = ticks.map((tick) => clock.format(tick).replace(/^0(?=\d:)/, ''));
  return texts.map((text, index) => (texts.indexOf(text) < index ? `${text} again` : text)).join(', ');
}
