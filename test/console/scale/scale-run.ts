import type { Page } from 'playwright-core';
import { type Amounts, FullEngine } from './application.js';
import { type Frames, type Measured, PageMeter } from './page-meter.js';

export interface ScaleOptions {
  readonly amounts: Amounts;
  /** Lines a second that the tail shows. */
  readonly perSecond: number;
  readonly seconds: number;
}

/** A view with much to show. */
export interface ViewResult extends Measured {
  readonly view: string;
  readonly heapMb: number;
  /** Elements of the document. */
  readonly elements: number;
  readonly scroll?: Frames;
}

export interface TailResult extends Frames {
  /** At the beginning, every tenth of the time, and at the end. */
  readonly heapMb: readonly number[];
  /** Lines of the tail that the engine has; of a long one only as many as it keeps. */
  readonly said: number;
  readonly elements: number;
}

export interface ScaleResult {
  readonly views: readonly ViewResult[];
  readonly tail: TailResult;
  /** Part of a processor that the page took while nothing happened, of Traces. */
  readonly idlePercent: number;
}

interface View {
  readonly name: string;
  readonly path: string;
  /** Is there when the view can be used. */
  readonly sign: (page: Page) => Promise<void>;
  /** Label of what is scrolled. */
  readonly list?: string;
}

const SCROLL_SECONDS = 3;
const SCROLL_PIXELS = 400;
const SAMPLES = 10;
/** What was opened last may still come to rest. */
const [SETTLE_SECONDS, IDLE_SECONDS] = [3, 10];

/** Fills an engine and measures what the page makes of it. `tell` gets what is done now. */
export async function runScale(page: Page, { amounts, perSecond, seconds }: ScaleOptions, tell: (text: string) => void): Promise<ScaleResult> {
  tell(`an engine of ${amounts.steps} Steps starts`);
  const full = await FullEngine.start(amounts);
  const trace = await filled(full, amounts, tell);
  const meter = await PageMeter.of(page);
  await page.goto((await full.admin.call<{ readonly url: string }>('POST', '/session/link', {})).url);
  await page.getByRole('main').getByRole('heading').first().waitFor();
  const views: ViewResult[] = [];
  for (const view of viewsOf(trace)) {
    views.push(await measured(page, meter, view));
    tell(JSON.stringify(views.at(-1)));
  }
  const idlePercent = await idle(page, meter);
  tell(`an idle page takes ${idlePercent} % of a processor`);
  return { views, idlePercent, tail: await tailed(page, meter, { full, perSecond, seconds }) };
}

async function filled(full: FullEngine, { logs, spans, keys, items }: Amounts, tell: (text: string) => void): Promise<string> {
  tell(`${keys} keys of state`);
  await full.fill('keys', keys, 2_000);
  tell(`${items} items of a stream`);
  await full.fill('items', items, 2_000);
  tell(`${logs} lines of the log`);
  await full.fill('logs', logs, 500);
  tell(`a trace of ${spans} spans`);
  return full.fill('spans', spans, spans);
}

function viewsOf(trace: string): readonly View[] {
  const role = (name: 'option' | 'treeitem' | 'row' | 'listitem') => async (page: Page): Promise<void> => page.getByRole('main').getByRole(name).nth(5).waitFor();
  return [
    { name: 'home', path: '/', sign: (page) => page.getByRole('main').getByRole('heading').first().waitFor() },
    { name: 'flows', path: '/flows', sign: (page) => page.locator('.react-flow__node').first().waitFor() },
    { name: 'flows, outline', path: '/flows?as=outline', sign: role('row'), list: 'Outline of the flow' },
    { name: 'endpoints', path: '/endpoints', sign: (page) => page.getByRole('main').getByRole('link').nth(5).waitFor() },
    { name: 'logs', path: '/logs', sign: role('option'), list: 'Log lines, the newest first' },
    { name: 'trace', path: `/traces/${trace}`, sign: role('treeitem'), list: 'Spans' },
    { name: 'trace, story', path: `/traces/${trace}?mode=story`, sign: role('listitem'), list: 'Story' },
    { name: 'trace, spans', path: `/traces/${trace}?mode=table`, sign: role('option'), list: 'Spans by duration' },
    { name: 'state', path: '/state/keys', sign: role('option'), list: 'Keys' },
    { name: 'stream', path: '/streams/board/all', sign: role('option'), list: 'Items' },
    { name: 'queues', path: '/queues', sign: (page) => page.getByRole('main').getByRole('link').nth(5).waitFor() },
  ];
}

async function measured(page: Page, meter: PageMeter, { name, path, sign, list }: View): Promise<ViewResult> {
  await goTo(page, '/metrics');
  await page.getByRole('main', { name: 'Metrics' }).waitFor();
  const open = await meter.during(async () => {
    await goTo(page, path);
    await sign(page);
  });
  const scroll = list === undefined ? undefined : await meter.frames(SCROLL_SECONDS, { label: list, pixels: SCROLL_PIXELS });
  return { view: name, ...open, heapMb: await meter.heapMb(), elements: await elementsOf(page), ...scroll && { scroll } };
}

async function idle(page: Page, meter: PageMeter): Promise<number> {
  await goTo(page, '/traces');
  await page.getByRole('list', { name: 'Traces' }).getByRole('link').first().waitFor();
  await meter.idlePercent(SETTLE_SECONDS);
  return meter.idlePercent(IDLE_SECONDS);
}

interface Tailed {
  readonly full: FullEngine;
  readonly perSecond: number;
  readonly seconds: number;
}

async function tailed(page: Page, meter: PageMeter, { full, perSecond, seconds }: Tailed): Promise<TailResult> {
  await goTo(page, '/logs');
  await page.getByRole('option').nth(5).waitFor();
  await full.tail(perSecond, seconds);
  await page.getByRole('option', { name: /tail \d/ }).first().waitFor();
  const heapMb = [await meter.heapMb()];
  const frames: Frames[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    frames.push(await meter.frames(seconds / SAMPLES));
    heapMb.push(await meter.heapMb());
  }
  const { total: said } = await full.admin.call<{ readonly total: number }>('GET', '/logs?q=step:Tail&limit=1');
  const mean = (of: (one: Frames) => number): number => Math.round(frames.reduce((sum, one) => sum + of(one), 0) / frames.length);
  return { said, heapMb, elements: await elementsOf(page), count: frames.reduce((sum, one) => sum + one.count, 0), p95Ms: Math.max(...frames.map(({ p95Ms }) => p95Ms)), cpuMsASecond: mean((one) => one.cpuMsASecond) };
}

/** As a link of the page does. */
async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`);
}

function elementsOf(page: Page): Promise<number> {
  return page.evaluate('document.querySelectorAll("*").length') as Promise<number>;
}
