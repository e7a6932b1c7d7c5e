import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { accessibilityFaults } from './browser.js';
import { checkedAndClosed, TicketsPage } from './tickets-page.js';

describe("a group of state in the console's page", function () {
  this.timeout(240_000);
  let shown: TicketsPage;
  let page: Page;

  before(async function () {
    ({ page } = shown = await TicketsPage.open(this));
    await shown.signIn();
    await shown.sendTicket();
  });
  checkedAndClosed(() => shown);

  it('names the Steps that wrote it and those that read it', async () => {
    await shown.goto('/state/tickets');
    const users = page.getByTitle('By the spans that are kept');
    await users.waitFor();
    expect(await users.textContent()).to.match(/written by.*CreateTicket.*read by.*TriageTicket/);
    expect(await users.textContent()).not.to.match(/read by.*CreateTicket/);
    expect(await accessibilityFaults(page)).to.deep.equal([]);
  });

  it('takes a new key, unless there is one', async () => {
    await shown.goto('/state/made');
    const write = async (value: string): Promise<void> => {
      await page.getByRole('button', { name: 'New key…' }).click();
      const dialog = page.getByRole('dialog', { name: 'New key of made' });
      await dialog.getByLabel('Key').fill('k:1');
      const text = dialog.getByRole('textbox', { name: 'Value' });
      await text.click();
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText(value);
      expect(await accessibilityFaults(page)).to.deep.equal([]);
      await dialog.getByRole('button', { name: 'Write' }).click();
    };
    await write('{"open":true}');
    await page.waitForURL(/\/state\/made\/k%3A1|\/state\/made\/k:1/);
    expect(await shown.admin.call('GET', '/state/groups/made/keys/k%3A1')).to.deep.include({ value: { open: true }, revision: 1 });
    await write('"another"');
    await page.getByRole('status').filter({ hasText: 'has revision 1, not revision 0' }).waitFor();
    expect(await shown.admin.call('GET', '/state/groups/made/keys/k%3A1')).to.deep.include({ value: { open: true } });
  });
});
