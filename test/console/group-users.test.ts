import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { accessibilityFaults } from './browser.js';
import { checkedAndClosed, TicketsPage } from './tickets-page.js';

describe("Steps that use a group of state, in the console's page", function () {
  this.timeout(240_000);
  let shown: TicketsPage;
  let page: Page;

  before(async function () {
    ({ page } = shown = await TicketsPage.open(this));
    await shown.signIn();
    await shown.sendTicket();
  });
  checkedAndClosed(() => shown);

  it('are named, those that wrote it and those that read it', async () => {
    await shown.goto('/state/tickets');
    const users = page.getByTitle('By the spans that are kept');
    await users.waitFor();
    expect(await users.textContent()).to.match(/written by.*CreateTicket.*read by.*TriageTicket/);
    expect(await users.textContent()).not.to.match(/read by.*CreateTicket/);
    expect(await accessibilityFaults(page)).to.deep.equal([]);
  });
});
