import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { stopAllEngines } from '../support/engine-process.js';
import { accessibilityFaults } from './browser.js';
import { TicketsPage } from './tickets-page.js';

const VIEWS = ['/', '/flows', '/flows?as=outline', '/endpoints', '/endpoints/CreateTicket/0', '/traces', '/logs', '/state', '/state/tickets', '/streams', '/queues', '/queues/ticket.triaged?tab=waiting', '/cron', '/metrics', '/modules', '/modules?tab=workers'] as const;
const KEYS = [['f', 'Flows'], ['e', 'Endpoints'], ['t', 'Traces'], ['l', 'Logs'], ['s', 'State'], ['r', 'Streams'], ['q', 'Queues'], ['c', 'Cron'], ['m', 'Metrics'], ['o', 'Modules'], ['h', 'Home']] as const;

describe("the console's page", function () {
  this.timeout(120_000);
  // Each goes on from what the former ones did.
  this.bail(true);
  let shown: TicketsPage;
  let page: Page;
  let base = '';
  let faults: string[] = [];

  before(async function () {
    shown = await TicketsPage.open(this);
    ({ page, base, faults } = shown);
  });
  after(async () => {
    await shown?.close();
    await stopAllEngines();
  });

  it('tells who has no session how to get in', async () => {
    await page.goto(`${base}/traces`);
    await page.getByText('npx treadle console').first().waitFor();
    faults.length = 0;
  });

  it('lets a browser in by its link, sends the first request and shows its effects until they have settled', async () => {
    await page.goto(await shown.link());
    await page.getByRole('heading', { name: 'Your app is running.' }).waitFor();
    expect(new URL(page.url()).search).to.equal('');
    await page.getByRole('button', { name: /^Send/ }).press('Enter');
    await page.getByText(/Settled in/).waitFor();
    await page.getByRole('link', { name: 'TriageTicket' }).first().waitFor();
    await page.getByRole('link', { name: 'Waterfall', exact: true }).click();
    await page.getByRole('treeitem', { name: /TriageTicket/ }).first().waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Your app is running.' }).waitFor();
  });

  it('has every view, and reload shows the same address and view again', async () => {
    for (const path of VIEWS) {
      await page.goto(base + path);
      await page.getByRole('main').getByRole('heading').first().waitFor();
      expect(await page.getByText(/could not load|There is no such view| broke$/i).allTextContents(), path).to.deep.equal([]);
      expect(page.url(), path).to.equal(base + path);
    }
    expect(faults).to.deep.equal([]);
  });

  it('goes everywhere by keys, and says which there are', async () => {
    await page.goto(`${base}/modules`);
    await page.getByRole('main', { name: 'Modules' }).waitFor();
    for (const [key, title] of KEYS) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await page.getByRole('main', { name: title }).waitFor();
    }
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys that work here' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Name, id or command' }).fill('NotifyCus');
    await page.getByRole('option', { name: /^NotifyCustomer/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/step=NotifyCustomer/);
  });

  it('keeps a query, a selection and a tab in the address, and Back undoes the last of them', async () => {
    await page.goto(`${base}/traces`);
    await page.getByRole('searchbox', { name: 'Query traces' }).or(page.getByLabel('Query traces')).first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('status:error');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=status:error/);
    await page.getByRole('link', { name: /POST \/tickets/ }).first().click();
    await page.waitForURL(/\/traces\/[0-9a-f]{32}$/);
    await page.getByRole('treeitem', { name: /handler CreateTicket/ }).click();
    await page.waitForURL(/span=[0-9a-f]{16}/);
    await page.reload();
    await page.getByRole('complementary', { name: 'Inspector' }).getByText('handler CreateTicket').waitFor();
    await page.goBack();
    await page.goBack();
    await page.waitForURL(/\/traces\?q=status:error$/);
  });

  for (const path of VIEWS) {
    it(`has no serious fault for assistive techniques at ${path}, in both themes at 320, 768 and 1440 px`, async () => {
      await shown.goto(path);
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
        for (const width of [320, 768, 1440]) {
          await page.setViewportSize({ width, height: 800 });
          expect(await accessibilityFaults(page), `${colorScheme} at ${width} px`).to.deep.equal([]);
        }
      }
    });
  }
});
