import type { Page } from 'playwright-core';
import { percentile } from '../../support/statistics.js';

/** How old the newest line was that the page showed, again and again; milliseconds. */
export interface Ages {
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

/** What became of lines that were logged. */
export interface Listed {
  /** So many of the latest were looked for. */
  readonly of: number;
  readonly shown: number;
  /** So many are left out, as marks in the list say. */
  readonly marked: number;
}

/** A row of the page's list: a line's number, or how many lines a mark stands for. */
export interface Row {
  readonly line?: number;
  readonly missing?: number;
}

const LIST = '[role=listbox][aria-label^="Log lines"]';
const SAMPLE_MS = 100;
/** Frames without a further row after which there is none. */
const MOST_STALLED = 60;

/** Ages of the newest line that the page shows, for so many seconds; without one it is as old as the time is long. */
export async function agesOfNewest(page: Page, seconds: number): Promise<readonly number[]> {
  return await page.evaluate(`new Promise((resolve) => {
    const [ages, from] = [[], Date.now()];
    const timer = setInterval(() => {
      const newest = [...document.querySelectorAll('${LIST} [role=option]')].find((row) => /tail \\d/.test(row.textContent));
      ages.push(Date.now() - (newest ? Date.parse(newest.querySelector('time').dateTime) : from));
      if (Date.now() - from < ${seconds * 1000}) return;
      clearInterval(timer);
      resolve(ages);
    }, ${SAMPLE_MS});
  })`) as readonly number[];
}

export function agesOf(all: readonly number[]): Ages {
  return { p50: percentile(all, 0.5), p95: percentile(all, 0.95), max: Math.max(...all) };
}

/** Rows of the list, drawn or not. */
export async function rowsOf(page: Page): Promise<number> {
  return await page.evaluate(`(() => {
    const list = document.querySelector('${LIST}');
    return Math.round(list.scrollHeight / list.querySelector('[data-index]').offsetHeight);
  })()`) as number;
}

/** Goes through the list as somebody who scrolls does, until the first of the latest `of` of `said` lines; they are numbered from 0. */
export async function listedLines(page: Page, said: number, of: number): Promise<Listed> {
  return accountOf(await page.evaluate(rowsUntil(said - of)) as readonly Row[], said, of);
}

/** `rows`: the newest first. A mark stands for no more lines than are missing where it is. */
export function accountOf(rows: readonly Row[], said: number, of: number): Listed {
  const first = said - of;
  let [above, missing, shown, marked] = [said, 0, 0, 0];
  for (const row of [...rows, { line: first - 1 }]) {
    missing += row.missing ?? 0;
    if (row.line === undefined || above <= first) continue;
    marked += Math.min(missing, above - Math.max(row.line, first - 1) - 1);
    if (row.line >= first) shown += 1;
    [above, missing] = [row.line, 0];
  }
  return { of, shown, marked };
}

/** Runs in the page: its rows from the top to that of the line. */
const rowsUntil = (first: number): string => `(async () => {
  const list = document.querySelector('${LIST}');
  const rowOf = (holder) => {
    const mark = holder.querySelector('[role=note]');
    if (mark) return { missing: Number(/[\\d\\u202f]+/.exec(mark.textContent)[0].replaceAll('\\u202f', '')) };
    const line = /tail (\\d+)/.exec(holder.textContent);
    return line ? { line: Number(line[1]) } : {};
  };
  const rows = [];
  // The next page begins where what was seen ends: a frame that comes before its rows only costs another one.
  for (let stalled = 0; stalled < ${MOST_STALLED};) {
    list.scrollTop = rows.length * list.querySelector('[data-index]').offsetHeight;
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const seen = rows.length;
    for (const holder of list.querySelectorAll('[data-index]')) rows[holder.dataset.index] ??= rowOf(holder);
    const end = rows.findIndex((row) => row?.line <= ${first});
    if (end >= 0) return rows.slice(0, end + 1).filter(Boolean);
    stalled = rows.length > seen ? 0 : stalled + 1;
  }
  return rows.filter(Boolean);
})()`;
