import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { accessibilityFaults } from './browser.js';
import { checkedAndClosed, TicketsPage } from './tickets-page.js';

describe("what the console's page tells of time and processes", function () {
  this.timeout(240_000);
  let shown: TicketsPage;
  let page: Page;

  before(async function () {
    ({ page } = shown = await TicketsPage.open(this));
    await shown.signIn();
    await shown.sendTicket();
  });
  checkedAndClosed(() => shown);

  for (const path of ['/traces', '/logs', '/metrics?m=process.memory.usage']) {
    it(`is of a stretch of time that is chosen in ${path}`, async () => {
      await shown.goto(path);
      const range = page.locator('summary').filter({ hasText: /Any time|Since|–/ });
      await range.click();
      expect(await accessibilityFaults(page)).to.deep.equal([]);
      await page.getByRole('button', { name: 'Last 5 minutes' }).click();
      await page.waitForURL(/from=/);
      const since = Date.parse(new URL(page.url()).searchParams.get('from') ?? '');
      expect(Math.abs(Date.now() - 300_000 - since)).to.be.lessThan(60_000);
      expect(new URL(page.url()).searchParams.has('to')).to.equal(false);
      await range.click();
      const [from, to] = [page.getByLabel(/^From/), page.getByLabel('To, which is not in it')];
      await from.fill('2026-01-02T10:00:00');
      await to.fill('2026-01-02T09:00:00');
      await page.getByText('It ends before it begins.').waitFor();
      expect(await page.getByRole('button', { name: 'Show this time' }).isDisabled()).to.equal(true);
      await to.fill('2026-01-02T11:00:00');
      await page.getByRole('button', { name: 'Show this time' }).click();
      await page.waitForURL(/to=/);
      const asked = await page.evaluate(() => [new Date('2026-01-02T10:00:00').toISOString(), new Date('2026-01-02T11:00:00').toISOString()]);
      expect(['from', 'to'].map((name) => new URL(page.url()).searchParams.get(name))).to.deep.equal(asked);
      await page.getByText(path === '/traces' ? /^No traces/ : path === '/logs' ? /^No lines/ : 'In this time are not two points for a line').first().waitFor();
      await page.getByRole('button', { name: 'All times', exact: true }).click();
      await page.waitForURL((url) => !url.search.includes('from='));
    });
  }

  const workers = (body: object): Promise<unknown> => page.route('**/api/v1/workers', (route) => route.fulfill({ contentType: 'application/json', body: JSON.stringify({ sessions: [], workers: [], crashes: [], ...body }) }));

  it('is which processes there are, and which one ends again and again', async () => {
    await shown.goto('/modules?tab=workers');
    await page.getByText('never restarted').first().waitFor();
    await workers({
      workers: [{ runtime: 'python', worker: 0, state: 'crash_looping', restarts: 6, settled: true }],
      crashes: [{ runtime: 'python', worker: 0, reason: 'exit code 1', output: 'ModuleNotFoundError: numpy', crashLooping: true, restartMs: 30_000 }],
    });
    await shown.goto('/modules?tab=workers');
    await page.getByText(/python process ends again and again \(6 restarts\)/).waitFor();
    await page.getByText('ModuleNotFoundError: numpy').waitFor();
    await page.getByText('No process is connected').waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
  });

  it('is never nothing: without a process it says why there may be none', async () => {
    await workers({});
    await shown.goto('/modules?tab=workers');
    await page.getByText('No Step process').waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
  });
});
