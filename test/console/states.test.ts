import { join } from 'node:path';
import { freePort } from '@treadle/testing';
import { expect } from 'chai';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { createServer, type ViteDevServer } from 'vite';
import { ROOT } from '../architecture/workspace.js';
import { faultsInAllLooks, requireBrowser } from './browser.js';
import { goTo } from './scale/page-moves.js';

/** Views, with a text of their empty state; undefined: an engine always has something to show there. */
const VIEWS = [
  ['/', undefined], ['/flows', 'No Steps were found'], ['/endpoints', 'No HTTP Steps'], ['/traces', 'Nothing recorded yet'], ['/logs', 'Nothing was logged yet'], ['/state', 'No state written yet'],
  ['/streams', 'No stream is declared'], ['/queues', 'No Step consumes a topic'], ['/cron', 'No Step has a cron trigger'], ['/metrics', 'No metric was recorded yet'], ['/modules', undefined],
] as const;

/** What views show besides, each with recorded answers. */
const FURTHER = ['/cron?as=calendar', '/cron?as=expression', '/metrics?m=http.server.request.count&by=http.route', '/metrics?m=http.server.request.duration&show=p99&as=table', '/traces/capture'];

describe("the console's page without an engine", function () {
  this.timeout(240_000);
  let server: ViteDevServer;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let base = '';
  const faults: string[] = [];

  before(async function () {
    browser = await requireBrowser(this);
    const port = await freePort();
    server = await createServer({ configFile: join(ROOT, 'console/app/vite.config.ts'), root: join(ROOT, 'console/app'), server: { port }, logLevel: 'error' });
    await server.listen();
    base = `http://127.0.0.1:${port}`;
    context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: 'dark', reducedMotion: 'reduce' });
    page = await context.newPage();
    // The first view waits until its libraries are bundled.
    page.setDefaultTimeout(90_000);
    page.on('pageerror', (error) => faults.push(String(error)));
  });
  afterEach(() => expect(faults.splice(0)).to.deep.equal([]));
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  const choose = async (state: string): Promise<void> => void await page.goto(`${base}/fixture/${state}`);

  it('shows every view with recorded answers', async () => {
    await choose('ready');
    for (const path of [...VIEWS.map(([one]) => one), ...FURTHER]) {
      await goTo(page, path);
      await page.getByRole('main').getByRole('heading').first().waitFor();
      await page.locator('[role=status][aria-label^=Loading]').first().waitFor({ state: 'detached' });
      expect(await page.getByText(/Could not load|There is no such view| broke$/).allTextContents(), path).to.deep.equal([]);
    }
  });

  it('says in every view that nothing is there yet, and what would make it come', async () => {
    await choose('empty');
    for (const [path, text] of VIEWS) {
      await goTo(page, path);
      if (text) await page.getByRole('status').filter({ hasText: text }).waitFor();
      else await page.getByRole('main').getByRole('heading').first().waitFor();
      expect(await page.getByText('Could not load').count(), path).to.equal(0);
      expect(await faultsInAllLooks(page), path).to.deep.equal([]);
    }
  });

  it('says in every view that it failed, why, and offers to try again', async () => {
    await choose('failed');
    for (const [path] of VIEWS) {
      await goTo(page, path);
      const failed = page.getByRole('alert').filter({ hasText: 'Could not load' }).first();
      await failed.getByText('the store of the fixture cannot be read').first().waitFor();
      await failed.getByText('storage_unavailable · HTTP 503').waitFor();
      await failed.getByRole('button', { name: 'Try again' }).waitFor();
      expect(await faultsInAllLooks(page), path).to.deep.equal([]);
    }
  });

  it('says in every view that it loads', async () => {
    await choose('loading');
    for (const [path] of VIEWS) {
      await goTo(page, path);
      await page.getByRole('status', { name: /^Loading/ }).first().waitFor();
      expect(await page.getByText(/Could not load|Nothing recorded|No state/).count(), path).to.equal(0);
    }
    expect(await faultsInAllLooks(page)).to.deep.equal([]);
  });

  it('keeps what was there with a mark when a refresh fails', async () => {
    await choose('ready');
    await page.goto(`${base}/state`);
    await page.getByRole('navigation', { name: 'Groups' }).getByRole('link').first().click();
    await page.getByRole('listbox', { name: 'Keys' }).getByRole('option').first().waitFor();
    await page.route('**/api/v1/state/**', (route) => route.fulfill({ status: 503, contentType: 'application/problem+json', body: '{"status":503,"code":"storage_unavailable","detail":"the disk is full"}' }));
    await page.getByRole('link', { name: 'Logs', exact: true }).click();
    await page.getByRole('main', { name: 'Logs' }).waitFor();
    // Older than what counts as up to date.
    await page.waitForFunction((from) => performance.now() - from > 2_500, await page.evaluate(() => performance.now()));
    await page.goBack();
    await page.getByRole('note').filter({ hasText: 'Not up to date: the disk is full' }).first().waitFor();
    await page.getByRole('navigation', { name: 'Groups' }).getByRole('link').first().waitFor();
    await page.unroute('**/api/v1/state/**');
    await page.getByRole('note').getByRole('button', { name: 'Try again' }).first().click();
    await page.getByRole('note').filter({ hasText: 'Not up to date' }).first().waitFor({ state: 'detached' });
  });

  it('asks who has no session to come by a link', async () => {
    await choose('signed-out');
    await page.goto(`${base}/traces`);
    await page.getByText('npx treadle console', { exact: true }).waitFor();
  });
});
