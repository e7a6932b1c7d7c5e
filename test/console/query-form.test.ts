import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { accessibilityFaults } from './browser.js';
import { checkedAndClosed, TicketsPage } from './tickets-page.js';

describe("the query of a request in the console's page", function () {
  this.timeout(240_000);
  let shown: TicketsPage;
  let page: Page;

  before(async function () {
    ({ page } = shown = await TicketsPage.open(this));
    await shown.signIn();
    await shown.goto('/endpoints/ListTickets/0');
  });
  checkedAndClosed(() => shown);

  const request = (): Locator => page.getByRole('region', { name: 'Request' });
  const sent = (): Locator => request().getByLabel('Query, as it is sent');

  it('is a form of its schema, which writes what is sent', async () => {
    await request().getByLabel('status (optional)').selectOption({ label: 'open' });
    await request().getByLabel('limit (optional)').fill('5');
    expect(await sent().inputValue()).to.equal('status=open&limit=5');
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await request().getByRole('button', { name: /^Send/ }).click();
    await page.getByRole('region', { name: 'Result' }).getByText('200').first().waitFor();
    await request().getByLabel('status (optional)').selectOption({ label: 'left out' });
    expect(await sent().inputValue()).to.equal('limit=5');
  });

  it('is filled by the text, and says what of it breaks the schema', async () => {
    await sent().fill('page=3&limit=many&more=1');
    expect(await request().getByLabel('page (optional)').inputValue()).to.equal('3');
    await request().getByRole('list', { name: 'What the query breaks' }).getByText(/^limit: /).waitFor();
    await request().getByLabel('limit (optional)').fill('2');
    expect(await sent().inputValue()).to.equal('page=3&more=1&limit=2');
    await request().getByRole('list', { name: 'What the query breaks' }).waitFor({ state: 'detached' });
  });
});
