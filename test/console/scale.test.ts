import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { stopAllEngines } from '../support/engine-process.js';
import { waitUntil } from '../support/wait-until.js';
import { requireBrowser } from './browser.js';
import { FullEngine } from './scale/application.js';
import { aboveBudget } from './scale/budgets.js';
import { runScale } from './scale/scale-run.js';

const AMOUNTS = { logs: 5_000, spans: 4_000, keys: 3_000, steps: 300, items: 2_500 };
/** Elements of a view, whatever it has to show. */
const MOST_ELEMENTS = 3_000;
const MOST_HEAP_MB = 150;
const TAIL = { perSecond: 1_200, seconds: 30 };

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
    const { views, tail } = await runScale(page, { amounts: AMOUNTS, ...TAIL }, () => undefined);
    expect(views.filter(({ elements }) => elements > MOST_ELEMENTS).map(({ view, elements }) => `${view}: ${elements}`)).to.deep.equal([]);
    expect(views.map(({ view }) => view)).to.include.members(['flows', 'logs', 'trace', 'trace, story', 'state', 'stream']);
    expect(tail.said).to.equal(TAIL.perSecond * TAIL.seconds);
    expect(tail.elements).to.be.below(MOST_ELEMENTS);
    expect(Math.max(...tail.heapMb)).to.be.below(MOST_HEAP_MB);
    expect(faults).to.deep.equal([]);
  });

  it('says of each figure that is above its budget, and of none that is missing that it is within', () => {
    const view = { view: 'trace', ms: 1, cpuMs: 299, longestTaskMs: 101, slowestAnswer: '', heapMb: 10, elements: 100 };
    const tail = { count: 1, p95Ms: 34, cpuMsASecond: 1, heapMb: [10, 151], said: 1, elements: 100 };
    expect(aboveBudget({ views: [view], tail, idlePercent: 0.4 }, false)).to.deep.equal(['tail: MB of scripts: 151 instead of at most 150']);
    expect(aboveBudget({ views: [{ ...view, cpuMs: 301 }, { ...view, view: 'logs', cpuMs: NaN }], tail: { ...tail, heapMb: [1] }, idlePercent: 1.2 }, true)).to.deep.equal([
      'trace: ms of processor time until it can be used: 301 instead of at most 300', 'trace: longest task, ms: 101 instead of at most 100',
      'logs: ms of processor time until it can be used: NaN instead of at most 800', 'logs: longest task, ms: 101 instead of at most 100', 'idle page: % of a processor: 1.2 instead of at most 1', 'tail: p95 of a frame, ms: 34 instead of at most 33',
    ]);
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
