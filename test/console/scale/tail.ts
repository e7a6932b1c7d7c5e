import type { Page } from 'playwright-core';
import { waitUntil } from '../../support/wait-until.js';
import type { FullEngine } from './application.js';
import { type Frames, type PageMeter } from './page-meter.js';
import { elementsOf, goTo } from './page-moves.js';
import { type Ages, agesOf, agesOfNewest, type Listed, listedLines, rowsOf } from './tail-lines.js';

/** What the page made of a log that grows. */
export interface TailResult extends Frames {
  readonly seconds: number;
  /** At the beginning, every tenth of the time, and at the end. */
  readonly heapMb: readonly number[];
  /** Rows of the page's list at these times: it holds the more, the more there are, until it is full. */
  readonly rows: readonly number[];
  /** Resident memory of the page's process, at the same times. */
  readonly residentMb: readonly number[];
  /** Lines of the tail that the engine has; of a long one only as many as it keeps. */
  readonly said: number;
  readonly ageMs: Ages;
  /** Of the latest lines, those that the page keeps. */
  readonly lines: Listed;
  readonly elements: number;
}

export interface TailOptions {
  readonly full: FullEngine;
  readonly perSecond: number;
  readonly seconds: number;
}

const SAMPLES = 10;
/** What came last is shown by then, on a machine that has much else to do. */
const LATEST_MS = 60_000;
/** The page keeps 20,000 rows, marks and lines of others among them. */
const KEPT = 19_000;

/** Follows the log while it grows. */
export async function tailed(page: Page, meter: PageMeter, { full, perSecond, seconds }: TailOptions): Promise<TailResult> {
  await goTo(page, '/logs');
  await page.getByRole('option').nth(5).waitFor();
  await full.tail(perSecond, seconds);
  await page.getByRole('option', { name: /tail \d/ }).first().waitFor();
  const [heapMb, rows, residentMb, frames, ages] = [[await meter.heapMb()], [await rowsOf(page)], [await meter.residentMb()], [] as Frames[], [] as number[]];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const [moved, seen] = await Promise.all([meter.frames(seconds / SAMPLES), agesOfNewest(page, seconds / SAMPLES)]);
    frames.push(moved);
    ages.push(...seen);
    heapMb.push(await meter.heapMb());
    rows.push(await rowsOf(page));
    residentMb.push(await meter.residentMb());
  }
  const mean = (of: (one: Frames) => number): number => Math.round(frames.reduce((sum, one) => sum + of(one), 0) / frames.length);
  const elements = await elementsOf(page);
  const last = perSecond * seconds - 1;
  const kept = async (): Promise<{ readonly total: number; readonly items: readonly { readonly message: string }[] }> => full.admin.call('GET', '/logs?q=step:Tail&limit=1');
  await waitUntil('the end of the tail', async () => (await kept()).items[0]?.message === `tail ${last}`);
  const { total: said } = await kept();
  // Without it the figures say what is missing.
  await page.getByRole('option', { name: new RegExp(`tail ${last}\\b`) }).waitFor({ timeout: LATEST_MS }).catch(() => undefined);
  return {
    seconds, said, heapMb, rows, residentMb, ageMs: agesOf(ages), lines: await listedLines(page, last + 1, Math.min(last + 1, KEPT)), elements, count: frames.reduce((sum, one) => sum + one.count, 0),
    p95Ms: Math.max(...frames.map(({ p95Ms }) => p95Ms)), cpuMsASecond: mean((one) => one.cpuMsASecond),
  };
}
