import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { accessibilityFaults } from './browser.js';
import { checkedAndClosed, TicketsPage } from './tickets-page.js';

const ID = '6f1f7bc6-7d2a-4f0e-9f9b-2f6a1c0e4f11';

describe("events of a stream in the console's page", function () {
  this.timeout(240_000);
  let shown: TicketsPage;
  let page: Page;

  before(async function () {
    ({ page } = shown = await TicketsPage.open(this));
    await shown.signIn();
  });
  checkedAndClosed(() => shown);

  const put = (title: string): Promise<unknown> => shown.admin.call('PUT', `/streams/board/groups/open/items/${ID}`, { value: { id: ID, title, priority: 'normal', customer: { id: 'c-1' }, status: 'open', createdAt: '2026-01-01T00:00:00.000Z' } });
  const event = (text: RegExp): Locator => page.getByRole('main').getByRole('option').filter({ hasText: text });
  const inspector = (): Locator => page.getByRole('complementary', { name: 'Inspector' });

  it('say what they changed, also of an item that was there before', async () => {
    await put('Lamp');
    await shown.goto('/streams/board/open?tab=events');
    await page.getByTitle('Whether changes arrive as they happen').filter({ hasText: 'Live' }).waitFor();
    await put('Lamp is dark');
    await event(/update.*Lamp is dark/).click();
    await inspector().getByText(/title:.*Lamp.*Lamp is dark/).waitFor();
    await inspector().getByText(/None is kept: a person or a module wrote it/).waitFor();
    await put('Lamp is bright');
    await event(/Lamp is bright/).click();
    await inspector().getByText(/title:.*Lamp is dark.*Lamp is bright/).waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
  });

  it('lead to the traces that wrote the item', async () => {
    const { traceId } = await shown.sendTicket();
    await event(/create/).first().click();
    await inspector().getByRole('link', { name: new RegExp(`^${traceId.slice(0, 8)}`) }).waitFor();
    await inspector().getByText('CreateTicket').first().waitFor();
  });

  it('say after a pause that some are missing, and that what was before is not known', async () => {
    await page.getByRole('button', { name: /^Pause/ }).click();
    await put('unseen');
    await page.getByRole('button', { name: /^Go on/ }).click();
    await page.getByText('what happened during the pause is missing here').waitFor();
    await page.getByText(/since this was opened/).first().waitFor();
    await put('seen');
    await event(/"?seen/).first().click();
    await inspector().getByText(/What was before is not known/).waitFor();
  });
});
