import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { stopAllEngines } from '../support/engine-process.js';
import { waitUntil } from '../support/wait-until.js';
import { requireBrowser } from './browser.js';
import { FullEngine } from './scale/application.js';
import { aboveBudget } from './scale/budgets.js';
import { runScale } from './scale/scale-run.js';
import { accountOf } from './scale/tail-lines.js';

const AMOUNTS = { logs: 5_000, spans: 4_000, keys: 3_000, steps: 300, items: 2_500 };
/** More lines than a page keeps. */
const TAIL = { perSecond: 2_400, seconds: 10 };
/** A list is scrolled to see what is drawn then. How smoothly, and what an idle page takes, is for the long form. */
const WATCHED = { scrollSeconds: 0.5, idleSeconds: 0 };

/** `npm run console:scale` is the long form, which measures. */
describe('the console over much data', function () {
  this.timeout(400_000);
  let browser: Browser;
  let page: Page;
  const faults: string[] = [];

  before(async function () {
    browser = await requireBrowser(this);
    page = await (await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })).newPage();
    page.setDefaultTimeout(90_000);
    page.on('pageerror', (error) => faults.push(String(error)));
  });
  after(async () => {
    await browser?.close();
    await stopAllEngines();
  });

  it('draws what is in sight of each view, and follows a fast log, in bounded memory', async () => {
    const result = await runScale(page, { amounts: AMOUNTS, ...TAIL, ...WATCHED }, () => undefined);
    const { cold, views, tail } = result;
    expect(aboveBudget(result, false).filter((line) => /processor time|elements|MB of scripts/.test(line))).to.deep.equal([]);
    expect(cold.paintMs).to.be.within(1, cold.usableMs);
    expect(views.map(({ view }) => view)).to.include.members(['flows', 'logs', 'trace', 'trace, story', 'state', 'stream']);
    expect(tail.said).to.equal(TAIL.perSecond * TAIL.seconds);
    expect(tail.lines.shown + tail.lines.marked).to.be.within(tail.lines.of * 0.95, tail.lines.of);
    expect(faults).to.deep.equal([]);
  });

  it('says of each figure that is above its budget, and of none that is missing that it is within', () => {
    const view = { view: 'trace', ms: 1, cpuMs: 299, longestTaskMs: 101, slowestAnswer: '', heapMb: 10, elements: 100 };
    const tail = {
      seconds: 600, count: 1, p95Ms: 34, cpuMsASecond: 1, heapMb: [10, 90, 100, 140, 151], rows: [100, 20_000, 19_999, 20_000, 20_000], residentMb: [90, 100, 90, 100, 111], said: 1, elements: 100, lines: { of: 1000, shown: 900, marked: 49 }, ageMs: { p50: 1, p95: 1_001, max: 60_001 },
    };
    expect(aboveBudget({ cold: { paintMs: 401, usableMs: 801 }, views: [view], tail, idlePercent: 0.4 }, false)).to.deep.equal([
      'tail: MB of scripts: 151 instead of at most 150', 'tail: part of its lines that is neither shown nor marked as left out: 0.051 instead of at most 0.05', 'tail: greatest age of the newest line, ms: 60001 instead of at most 60000',
      "tail: growth of the page's process: 0.11 instead of at most 0.1",
    ]);
    const calm = { ...tail, seconds: 30, heapMb: [1], lines: { of: 1000, shown: 0, marked: 950 }, ageMs: { p50: 1, p95: 1_001, max: 5_001 } };
    expect(aboveBudget({ cold: { paintMs: 401, usableMs: 801 }, views: [{ ...view, ms: 301, cpuMs: 301 }, { ...view, view: 'logs', cpuMs: NaN }], tail: calm, idlePercent: 1.2 }, true)).to.deep.equal([
      'cold load: ms until something is painted: 401 instead of at most 400', 'cold load: ms until it can be used: 801 instead of at most 800',
      'trace: ms of processor time until it can be used: 301 instead of at most 300', 'trace: ms until it can be used: 301 instead of at most 300', 'trace: longest task, ms: 101 instead of at most 100',
      'logs: ms of processor time until it can be used: NaN instead of at most 800', 'logs: longest task, ms: 101 instead of at most 100', 'idle page: % of a processor: 1.2 instead of at most 1', 'tail: greatest age of the newest line, ms: 5001 instead of at most 5000',
      'tail: p95 of a frame, ms: 34 instead of at most 33', 'tail: p95 of the age of the newest line, ms: 1001 instead of at most 1000',
    ]);
  });

  it('takes a mark for no more lines than are missing where it stands', () => {
    const lines = (...numbers: readonly number[]): readonly { readonly line: number }[] => numbers.map((line) => ({ line }));
    expect(accountOf(lines(5, 4, 3, 2, 1, 0), 6, 6)).to.deep.equal({ of: 6, shown: 6, marked: 0 });
    expect(accountOf([{ missing: 1 }, ...lines(8), { missing: 900 }, {}, ...lines(5, 3, 2)], 10, 7)).to.deep.equal({ of: 7, shown: 3, marked: 3 });
    expect(accountOf([...lines(9), { missing: 900 }, ...lines(2)], 10, 5)).to.deep.equal({ of: 5, shown: 1, marked: 4 });
    expect(accountOf([...lines(9), { missing: 3 }], 10, 10)).to.deep.equal({ of: 10, shown: 1, marked: 3 });
    expect(accountOf([], 10, 10)).to.deep.equal({ of: 10, shown: 0, marked: 0 });
  });

  it('draws the first spans of a long trace while the rest is on its way, and then reaches the last one', async () => {
    const full = await FullEngine.start({ steps: 0 });
    const trace = await full.fill('spans', 1_200, 1_200);
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => { goOn = resolve; });
    await page.route(/\/traces\/[0-9a-f]{32}\?limit=20000$/, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto((await full.admin.call<{ readonly url: string }>('POST', '/session/link', {})).url);
    await page.goto(`${await full.engine.address('console')}/traces/${trace}`);
    await page.getByRole('treeitem', { name: /0000005/ }).waitFor();
    await page.getByText('loading the rest').waitFor();
    await page.getByText(/^1\u202f\d{3} spans/).waitFor();
    goOn();
    await page.getByText('loading the rest').waitFor({ state: 'detached' });
    await page.getByRole('tree', { name: 'Spans' }).evaluate(TO_END);
    await page.getByRole('treeitem', { name: /0001199/ }).waitFor();
    expect(await page.getByText(/further spans are not drawn/).count()).to.equal(0);
    await page.unrouteAll();
    expect(faults).to.deep.equal([]);
  });

  it('folds a large graph into its flows, each of which opens, and reaches the last of all items and rows', async () => {
    const full = await FullEngine.start({ steps: 300 });
    await full.fill('items', 1_700, 1_700);
    const base = await full.engine.address('console');
    await page.goto((await full.admin.call<{ readonly url: string }>('POST', '/session/link', {})).url);
    await page.goto(`${base}/flows`);
    await page.locator('.react-flow__node').filter({ hasText: 'chain-17' }).click();
    await page.waitForURL(/flow=chain-17$/);
    await page.locator('.react-flow__node').filter({ hasText: 'Link17x9' }).waitFor();
    await page.goto(`${base}/flows?as=outline`);
    await page.getByRole('region', { name: 'Outline of the flow' }).evaluate(TO_END);
    await page.getByRole('button', { name: 'Link9x9' }).waitFor();
    expect(await page.getByRole('row').count()).to.be.below(120);
    await page.goto(`${base}/streams/board/all`);
    await page.getByRole('option', { name: /^0000000/ }).waitFor();
    const last = page.getByRole('option', { name: /^0001699/ });
    const items = page.getByRole('listbox', { name: 'Items' });
    await waitUntil('the last item', async () => {
      await items.evaluate(TO_END);
      return await last.count() === 1;
    });
    expect(faults).to.deep.equal([]);
  });
});

const TO_END = (element: unknown): void => {
  const list = element as { scrollTop: number; readonly scrollHeight: number };
  list.scrollTop = list.scrollHeight;
};
