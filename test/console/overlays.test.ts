import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { requirePython } from '../support/require-python.js';
import { waitUntil } from '../support/wait-until.js';
import { accessibilityFaults, atAllWidths, faultsInAllLooks, faultsInBothThemes } from './browser.js';
import { checkedAndClosed, type SentTicket, TicketsPage } from './tickets-page.js';

describe("what opens over the console's page", function () {
  this.timeout(240_000);
  let shown: TicketsPage;
  let page: Page;
  let sent: SentTicket;

  before(async function () {
    await requirePython(this);
    ({ page } = shown = await TicketsPage.open(this));
    await shown.signIn();
    // No line can be broken in it.
    sent = await shown.sendTicket('Dark'.repeat(25));
    await fetch(`${await shown.engine.address('http')}/tickets`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"title":"Lamp","customer":{"id":"c-9"}}' });
    await waitUntil('a dead letter', async () => (await shown.admin.letters('NotifyCustomer')).length > 0);
  });
  beforeEach(() => page.setViewportSize({ width: 1440, height: 900 }));
  checkedAndClosed(() => shown);

  const main = (): Locator => page.getByRole('main');
  const dialog = (): Locator => page.getByRole('dialog');
  const button = (name: RegExp | string): Promise<void> => main().getByRole('button', { name }).first().click();
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const edit = async (): Promise<void> => {
    await page.locator('.cm-content').first().focus();
    await press('Control+a', 'Delete');
    await page.keyboard.insertText('{"mine":1}');
  };

  /** Each dialog: where it is, and what opens it. */
  const DIALOGS: Readonly<Record<string, readonly [path: () => string, open: () => Promise<void>]>> = {
    'Find anything': [() => '/traces', () => press('Control+k')],
    Copy: [() => `/traces/${sent.traceId}?span=${sent.handler}`, () => press('y')],
    'Keys that work here': [() => `/traces/${sent.traceId}`, () => press('?')],
    'Saved views': [() => '/logs?q=level:>=info', () => press('v')],
    'Redrive 1': [() => '/queues/ticket.triaged?tab=dead', () => button('Redrive 1…')],
    'Discard 1': [() => '/queues/ticket.triaged?tab=dead', () => button('Discard 1…')],
    'Delete 2': [() => '/state/tickets', () => button('Delete…')],
    'Pause DailyDigest': [() => '/cron', () => button('Pause until…')],
    'Skip a run of DailyDigest': [() => '/cron', () => button(/^Skip next/)],
    'Somebody wrote it meanwhile': [() => '/state/edited/one', async () => {
      await button('Edit');
      await edit();
      await shown.admin.call('PUT', '/state/groups/edited/keys/one', { value: { theirs: Date.now() } });
      await main().getByText('It was written meanwhile').waitFor();
      await button(/^Save over/);
    }],
  };

  for (const [name, [path, open]] of Object.entries(DIALOGS)) {
    it(`has no serious fault with the dialog ${name}, in both themes at 320, 768 and 1440 px, where it fits`, async () => {
      await shown.admin.call('PUT', '/state/groups/edited/keys/one', { value: { first: true } });
      await shown.goto(path());
      await open();
      await page.getByRole('dialog', { name, exact: true }).waitFor();
      await page.locator('dialog [role=status][aria-label^=Loading]').first().waitFor({ state: 'detached' });
      expect(await faultsInAllLooks(page, 'dialog')).to.deep.equal([]);
      await page.setViewportSize({ width: 320, height: 700 });
      const box = await dialog().boundingBox();
      expect([box && box.x >= 0 && box.x + box.width <= 320 && box.y >= 0 && box.y + box.height <= 700, await dialog().evaluate((one) => one.scrollWidth <= one.clientWidth)]).to.deep.equal([true, true]);
      await press('Escape');
      await dialog().waitFor({ state: 'detached' });
    });
  }

  /** Each kind of reference: where one is. */
  const REFERENCES: Readonly<Record<string, readonly [path: () => string, id: () => string]>> = {
    trace: [() => `/logs?q=trace:${sent.traceId}`, () => sent.traceId], step: [() => '/queues', () => 'NotifyCustomer'], topic: [() => '/queues', () => 'ticket.created'],
    key: [() => `/traces/${sent.traceId}?span=${sent.handler}`, () => ''], file: [() => `/traces/${sent.traceId}?span=${sent.handler}`, () => ''],
  };

  for (const [kind, [path, id]] of Object.entries(REFERENCES)) {
    it(`has no serious fault with the card and the menu of a ${kind}, in both themes at 320, 768 and 1440 px`, async () => {
      await shown.goto(path());
      if (kind === 'trace') await main().getByRole('option').first().click();
      const chip = main().locator(`[data-ref=${kind}]${id() === '' ? '' : `[data-id="${id()}"]`}:not([data-row])`).first();
      const about = page.getByRole('group', { name: new RegExp(`^About ${kind} `) });
      // A card is for a chip where it lies: it is opened at each width.
      expect(await atAllWidths(page, async () => {
        await page.mouse.move(0, 0);
        await chip.hover();
        await waitUntil('the card', () => about.isVisible());
        await page.locator('[data-popup] [role=status][aria-label^=Loading]').waitFor({ state: 'detached' });
        const card = await faultsInBothThemes(page, '[data-popup]');
        await chip.click({ button: 'right' });
        await about.getByRole('button', { name: 'Copy id' }).waitFor();
        const menu = await faultsInBothThemes(page, '[data-popup]');
        await press('Escape');
        await about.waitFor({ state: 'detached' });
        return [...card.map((fault) => `the card, ${fault}`), ...menu.map((fault) => `the menu, ${fault}`)];
      })).to.deep.equal([]);
    });
  }

  it('has no serious fault with the menus of Export open, nor with what became of an action, in both themes at 320, 768 and 1440 px', async () => {
    for (const path of [`/traces/${sent.traceId}`, '/logs']) {
      await shown.goto(path);
      await main().locator('summary').filter({ hasText: 'Export' }).click();
      expect(await faultsInAllLooks(page, 'details[open]'), path).to.deep.equal([]);
      await page.setViewportSize({ width: 1440, height: 900 });
    }
    await page.clock.install();
    await shown.goto('/cron');
    await button('Pause');
    await page.getByRole('status').filter({ hasText: 'is paused' }).waitFor();
    await button('Resume');
    await page.getByRole('status').filter({ hasText: 'runs again' }).waitFor();
    expect(await faultsInAllLooks(page, '[aria-live=polite]'), 'messages').to.deep.equal([]);
  });

  it('has no serious fault with the navigation of a narrow page open, which leaves the focus in the view that is chosen', async () => {
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 390, height: 844 });
      await shown.goto('/traces');
      const views = page.getByRole('navigation', { name: 'Views' });
      await page.getByRole('button', { name: 'Views' }).press('Enter');
      expect(await accessibilityFaults(page, 'nav'), colorScheme).to.deep.equal([]);
      // The second time it is the view that is there.
      for (let time = 0; time < 2; time += 1) {
        await views.getByRole('link', { name: 'Logs' }).press('Enter');
        await page.getByRole('main', { name: 'Logs' }).waitFor();
        await views.waitFor({ state: 'hidden' });
        await waitUntil('the focus in the view', async () => await page.evaluate("document.activeElement?.closest('main') !== null"));
        await page.getByRole('button', { name: 'Views' }).press('Enter');
      }
    }
  });
});
