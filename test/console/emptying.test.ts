import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { waitUntil } from '../support/wait-until.js';
import { accessibilityFaults } from './browser.js';
import { checkedAndClosed, TicketsPage } from './tickets-page.js';

interface Queues {
  readonly items: readonly { readonly step: string; readonly waiting: number; readonly dead: number }[];
  readonly unrouted: readonly { readonly topic: string; readonly count: number }[];
}

describe("what lies in queues and the console's page", function () {
  this.timeout(240_000);
  let shown: TicketsPage;
  let page: Page;

  before(async function () {
    ({ page } = shown = await TicketsPage.open(this));
    await shown.signIn();
  });
  checkedAndClosed(() => shown);

  const queues = (): Promise<Queues> => shown.admin.call<Queues>('GET', '/queues');
  const subscription = async (step: string): Promise<Queues['items'][number] | undefined> => (await queues()).items.find((one) => one.step === step);
  const enqueue = (topic: string, ...ids: readonly string[]): Promise<unknown> => shown.admin.call('POST', '/queues/messages', { messages: ids.map((ticketId) => ({ topic, data: { ticketId, priority: 'normal' } })) });

  it('is removed of a topic that nobody consumes, once the number is typed', async () => {
    await enqueue('nobody.consumes', '1', '2', '3');
    await shown.goto('/queues');
    await page.getByRole('link', { name: 'nobody.consumes' }).click();
    await page.getByText(/^3 messages wait for a consumer/).waitFor();
    await page.getByRole('button', { name: 'Empty…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Empty nobody.consumes' });
    const remove = dialog.getByRole('button', { name: 'Remove 3' });
    expect(await remove.isDisabled()).to.equal(true);
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await dialog.getByLabel('Type 3 to confirm').fill('3');
    await remove.click();
    await page.getByRole('status').filter({ hasText: 'Removed 3 messages of nobody.consumes' }).waitFor();
    expect((await queues()).unrouted).to.deep.equal([]);
    await page.getByRole('button', { name: 'Empty…' }).waitFor({ state: 'detached' });
  });

  it('is removed of one consumer, and of no other', async () => {
    await shown.admin.call('POST', '/queues/pause', { step: 'NotifyCustomer' });
    await enqueue('ticket.triaged', 'x-1', 'x-2');
    await waitUntil('the messages', async () => (await subscription('NotifyCustomer'))?.waiting === 2);
    await shown.goto('/queues/ticket.triaged');
    await page.getByRole('button', { name: 'Empty…' }).click();
    await page.getByRole('dialog', { name: 'Empty NotifyCustomer' }).getByLabel('Type 2 to confirm').fill('2');
    await page.getByRole('button', { name: 'Remove 2' }).click();
    await waitUntil('that they are gone', async () => (await subscription('NotifyCustomer'))?.waiting === 0);
    await shown.admin.call('POST', '/queues/resume', { step: 'NotifyCustomer' });
  });

  it('goes, when it is dead, to another consumer of the topic, or back, all that fits a query together', async () => {
    for (const id of ['c-8', 'c-9']) await fetch(`${await shown.engine.address('http')}/tickets`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ title: 'Lamp', customer: { id } }) });
    await waitUntil('the letters', async () => (await shown.admin.letters('NotifyCustomer')).length === 2);
    await shown.goto('/queues/ticket.triaged?tab=dead&q=error:*c-9*');
    await page.getByRole('button', { name: 'Redrive all that fit…' }).click();
    await page.getByRole('dialog', { name: 'Redrive 1' }).getByText(/^1 item is frozen/).waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await page.keyboard.press('Escape');
    const [letter] = await shown.admin.letters('NotifyCustomer') as readonly { readonly id: string }[];
    await shown.goto(`/queues/ticket.triaged?tab=dead&msg=${letter?.id ?? ''}`);
    await page.getByLabel('Redrive to').selectOption('EscalateTicket');
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Redrive', exact: true }).click();
    await page.getByRole('status').filter({ hasText: 'delivered to EscalateTicket' }).waitFor();
    expect(await shown.admin.letters('NotifyCustomer')).to.have.length(1);
  });
});
