import type { Browser, CDPSession, Page } from 'playwright-core';
import { residentMegabytes } from '../../bench/src/process-usage.js';
import { percentile } from '../../support/statistics.js';

/** What happened in the page while something was done. */
export interface Measured {
  /** Until it was there. */
  readonly ms: number;
  /** Processor time of the page's main thread: the same on a busy machine. */
  readonly cpuMs: number;
  /** Longest piece of work that kept the page from answering, as long as it took on this machine. */
  readonly longestTaskMs: number;
  /** Longest time from a request to the whole answer of the engine. */
  readonly slowestAnswer: string;
}

/** Of some seconds in which the page moved. */
export interface Frames {
  readonly p95Ms: number;
  readonly count: number;
  readonly cpuMsASecond: number;
}

/** What is scrolled, and by how much in each frame. */
export interface Scroll {
  readonly label: string;
  readonly pixels: number;
}

/** Runs in the page: notes long tasks. */
const INSTALL = `window.longestTask = 0;
new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) window.longestTask = Math.max(window.longestTask, duration); }).observe({ type: 'longtask' });`;
const SLOWEST = `(() => {
  const found = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/v1/')).sort((a, b) => b.duration - a.duration)[0];
  return found ? Math.round(found.duration) + ' ms ' + new URL(found.name).pathname.slice('/api/v1'.length) : '';
})()`;
const BYTES_IN_MB = 1e6;

/** Measures a page by the debugger of its browser. */
export class PageMeter {
  private constructor(private readonly page: Page, private readonly session: CDPSession, private readonly browser: CDPSession) {}

  static async of(page: Page): Promise<PageMeter> {
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.addInitScript(INSTALL);
    return new PageMeter(page, session, await (page.context().browser() as Browser).newBrowserCDPSession());
  }

  async during(action: () => Promise<void>): Promise<Measured> {
    await this.page.evaluate('window.longestTask = 0; performance.clearResourceTimings()');
    const [from, cpu] = [performance.now(), await this.cpuSeconds()];
    await action();
    const ms = performance.now() - from;
    // A task that was under way is noted after its end.
    await this.page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))');
    return { ms: Math.round(ms), cpuMs: Math.round((await this.cpuSeconds() - cpu) * 1000), longestTaskMs: Math.round(await this.page.evaluate('window.longestTask') as number), slowestAnswer: await this.page.evaluate(SLOWEST) as string };
  }

  /** Frames while the element is scrolled, or just lies there. */
  async frames(seconds: number, scroll?: Scroll): Promise<Frames> {
    const cpu = await this.cpuSeconds();
    const times = await this.page.evaluate(framesOf(seconds, scroll)) as readonly number[];
    return { p95Ms: round(percentile(times, 0.95)), count: times.length, cpuMsASecond: Math.round(((await this.cpuSeconds() - cpu) * 1000) / seconds) };
  }

  /** Part of a processor that the page takes by itself, in percent with one digit. */
  async idlePercent(seconds: number): Promise<number> {
    const from = await this.cpuSeconds();
    await this.page.waitForTimeout(seconds * 1000);
    return round(((await this.cpuSeconds() - from) / seconds) * 100);
  }

  /** MB of JavaScript that is alive, after a collection. */
  async heapMb(): Promise<number> {
    await this.session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await this.session.send('Runtime.getHeapUsage') as { usedSize: number };
    return round(usedSize / BYTES_IN_MB);
  }

  /** Resident memory of the page's process, in MB. */
  async residentMb(): Promise<number> {
    const { processInfo } = await this.browser.send('SystemInfo.getProcessInfo') as { processInfo: { type: string; id: number }[] };
    // Beside it there may be one that waits for the next page.
    return round(Math.max(...processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => residentMegabytes(id))));
  }

  private async cpuSeconds(): Promise<number> {
    const { metrics } = await this.session.send('Performance.getMetrics') as { metrics: { name: string; value: number }[] };
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN;
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Runs in the page: times between frames, milliseconds, while what has the label is scrolled. */
const framesOf = (seconds: number, scroll: Scroll | undefined): string => `new Promise((resolve) => {
  const list = ${scroll === undefined ? 'null' : `document.querySelector('[aria-label="${scroll.label}"]')`};
  const times = [];
  let [from, last] = [0, 0];
  const frame = (now) => {
    if (from === 0) from = now;
    else times.push(now - last);
    last = now;
    if (list) list.scrollTop = (list.scrollTop + ${scroll?.pixels ?? 0}) % list.scrollHeight;
    if (now - from < ${seconds * 1000}) requestAnimationFrame(frame);
    else resolve(times);
  };
  requestAnimationFrame(frame);
})`;
