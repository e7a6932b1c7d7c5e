import type { Page } from 'playwright-core';
import { type Amounts, FullEngine } from './application.js';
import { type ColdLoad, coldLoad } from './cold-load.js';
import { elementsOf, goTo, IS_USABLE, untilThere } from './page-moves.js';
import { type Frames, type Measured, PageMeter } from './page-meter.js';
import { type TailResult, tailed } from './tail.js';

export interface ScaleOptions {
  readonly amounts: Amounts;
  /** Lines a second that the tail shows. */
  readonly perSecond: number;
  readonly seconds: number;
  /** How long each list is scrolled. */
  readonly scrollSeconds: number;
  /** How long a page is watched that nobody uses; 0: not at all. */
  readonly idleSeconds: number;
}

/** A view with much to show. */
export interface ViewResult extends Measured {
  readonly view: string;
  readonly heapMb: number;
  /** Elements of the document. */
  readonly elements: number;
  readonly scroll?: Frames;
}

export interface ScaleResult {
  readonly cold: ColdLoad;
  readonly views: readonly ViewResult[];
  readonly tail: TailResult;
  /** Part of a processor that the page took while nothing happened, of Traces; NaN when it was not watched. */
  readonly idlePercent: number;
}

interface View {
  readonly name: string;
  readonly path: string;
  /** What is there when the view can be used, as an expression of the page's. */
  readonly isThere: string;
  /** Label of what is scrolled. */
  readonly list?: string;
}

const SCROLL_PIXELS = 400;
/** What was opened last may still come to rest. */
const SETTLE_SECONDS = 3;

/** Fills an engine and measures what the page makes of it. `tell` gets what is done now. */
export async function runScale(page: Page, { amounts, perSecond, seconds, scrollSeconds, idleSeconds }: ScaleOptions, tell: (text: string) => void): Promise<ScaleResult> {
  tell(`an engine of ${amounts.steps} Steps starts`);
  const full = await FullEngine.start(amounts);
  const trace = await filled(full, amounts, tell);
  const meter = await PageMeter.of(page);
  await page.goto((await full.admin.call<{ readonly url: string }>('POST', '/session/link', {})).url);
  await page.getByRole('main').getByRole('heading').first().waitFor();
  const cold = await coldLoad(page);
  tell(`a browser that has nothing of the page: ${JSON.stringify(cold)}`);
  const views: ViewResult[] = [];
  for (const view of viewsOf(trace)) {
    views.push(await measured(page, meter, view, scrollSeconds));
    tell(JSON.stringify(views.at(-1)));
  }
  const idlePercent = idleSeconds > 0 ? await idle(page, meter, idleSeconds) : NaN;
  tell(`an idle page takes ${idlePercent} % of a processor`);
  return { cold, views, idlePercent, tail: await tailed(page, meter, { full, perSecond, seconds }) };
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
  const many = (selector: string): string => `document.querySelectorAll('main ${selector}')[5]?.checkVisibility() === true`;
  const role = (name: 'option' | 'treeitem' | 'listitem'): string => many(`[role=${name}]`);
  return [
    { name: 'home', path: '/', isThere: IS_USABLE },
    { name: 'flows', path: '/flows', isThere: "document.querySelector('.react-flow__node')?.checkVisibility() === true" },
    { name: 'flows, outline', path: '/flows?as=outline', isThere: many('tr'), list: 'Outline of the flow' },
    { name: 'endpoints', path: '/endpoints', isThere: many('a[href]') },
    { name: 'logs', path: '/logs', isThere: role('option'), list: 'Log lines, the newest first' },
    { name: 'trace', path: `/traces/${trace}`, isThere: role('treeitem'), list: 'Spans' },
    { name: 'trace, story', path: `/traces/${trace}?mode=story`, isThere: role('listitem'), list: 'Story' },
    { name: 'trace, spans', path: `/traces/${trace}?mode=table`, isThere: role('option'), list: 'Spans by duration' },
    { name: 'state', path: '/state/keys', isThere: role('option'), list: 'Keys' },
    { name: 'stream', path: '/streams/board/all', isThere: role('option'), list: 'Items' },
    { name: 'queues', path: '/queues', isThere: many('a[href]') },
  ];
}

async function measured(page: Page, meter: PageMeter, { name, path, isThere, list }: View, scrollSeconds: number): Promise<ViewResult> {
  await goTo(page, '/metrics');
  await page.getByRole('main', { name: 'Metrics' }).waitFor();
  await untilThere(page, IS_USABLE);
  const open = await meter.during(async () => {
    await goTo(page, path);
    await untilThere(page, isThere);
  });
  const scroll = list === undefined ? undefined : await meter.frames(scrollSeconds, { label: list, pixels: SCROLL_PIXELS });
  return { view: name, ...open, heapMb: await meter.heapMb(), elements: await elementsOf(page), ...scroll && { scroll } };
}

async function idle(page: Page, meter: PageMeter, seconds: number): Promise<number> {
  await goTo(page, '/traces');
  await page.getByRole('list', { name: 'Traces' }).getByRole('link').first().waitFor();
  await meter.idlePercent(SETTLE_SECONDS);
  return meter.idlePercent(seconds);
}
