import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { waitUntil } from '../support/wait-until.js';
import { checkedAndClosed, TicketsPage } from './tickets-page.js';

const TOPIC = 'digest.run';
const MANY = 5_200;
const [FIRST, SECOND] = ['0a0a0a0a-0000-4000-8000-000000000001', '0a0a0a0a-0000-4000-8000-000000000002'];

describe('queries in Queues and Streams', function () {
  this.timeout(240_000);
  let shown: TicketsPage;
  let page: Page;

  before(async function () {
    shown = await TicketsPage.open(this);
    ({ page } = shown);
    await shown.signIn();
    await shown.sendTicket();
    await shown.admin.call('POST', '/queues/pause', { step: 'SendDigest', topic: TOPIC });
    await shown.admin.call('POST', '/queues/messages', { messages: ['c-1', 'c-2'].map((id, at) => ({ topic: TOPIC, data: { customer: { id }, total: 100 * (at + 1) }, messageGroupId: `g-${id}` })) });
    for (const [id, title] of [[FIRST, 'open'], [SECOND, 'done']] as const) await put(id, title);
  });
  checkedAndClosed(() => shown);

  const put = (id: string, title: string, priority = 'normal'): Promise<unknown> => shown.admin.call('PUT', `/streams/board/groups/searched/items/${id}`, { value: { id, title, priority, status: 'open' } });
  const main = (): Locator => page.getByRole('main');
  const bar = (of: string): Locator => main().getByRole('combobox', { name: `Query of ${of}` });
  const ask = async (of: string, q: string): Promise<void> => {
    await bar(of).fill(q);
    await bar(of).press('Enter');
  };
  const rows = (): Locator => main().getByRole('region', { name: 'Messages', exact: true }).locator('tbody tr');

  it('find messages by their payload, in the address, over a reload and Back', async () => {
    await shown.goto(`/queues/${TOPIC}?tab=waiting`);
    await waitUntil('both messages', async () => await rows().count() === 2);
    expect(await main().locator('datalist option').evaluateAll((all) => all.map((one) => (one as unknown as { readonly value: string }).value))).to.include('customer.id:c-1').and.include('has:error');
    await page.keyboard.press('/');
    await page.keyboard.type('customer.id:c-2 total:>100');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('q') === 'customer.id:c-2 total:>100');
    await main().getByText('Looked at all 2 messages: 1 fits.').waitFor();
    expect(await rows().allTextContents()).to.have.length(1);
    await page.reload();
    await main().getByText('Looked at all 2 messages: 1 fits.').waitFor();
    expect(await bar('messages').inputValue()).to.equal('customer.id:c-2 total:>100');
    await page.goBack();
    await waitUntil('both messages', async () => await rows().count() === 2);
  });

  it('mark what is wrong of a query, and say when nothing fits it', async () => {
    await shown.goto(`/queues/${TOPIC}?tab=waiting`);
    await ask('messages', 'group:g-* attempt:many');
    await main().getByRole('alert').filter({ hasText: '"attempt" is a number' }).locator('mark', { hasText: 'many' }).waitFor();
    await ask('messages', 'group:g-* attempt:7');
    await main().getByRole('heading', { name: 'No messages match this query' }).waitFor();
    await main().getByRole('button', { name: 'Without attempt:7' }).click();
    await page.waitForURL((url) => url.searchParams.get('q') === 'group:g-*');
    await main().getByText('Looked at all 2 messages: 2 fit.').waitFor();
  });

  it('say how far they have looked, and look on', async () => {
    for (let at = 0; at < MANY; at += 400) {
      await shown.admin.call('POST', '/queues/messages', { messages: Array.from({ length: 400 }, (_, index) => ({ topic: TOPIC, data: { number: at + index } })) });
    }
    await shown.goto(`/queues/${TOPIC}?tab=waiting&q=number:${MANY - 1}`);
    await main().getByText(/^Looked at the first 5.000 messages: 0 fit\.$/).waitFor();
    await main().getByRole('button', { name: 'Look on' }).click();
    await main().getByText(': 1 fits.').waitFor();
    expect(await rows().count()).to.equal(1);
  });

  it('find what is done by its Step, attempt and time, and dead letters by their error', async () => {
    await shown.goto('/queues/ticket.created?tab=done&q=step:TriageTicket');
    await main().getByRole('region', { name: 'Done' }).locator('tbody tr').first().waitFor();
    await ask('done messages', 'step:TriageTicket attempt:>5');
    await main().getByRole('heading', { name: 'No done messages match this query' }).waitFor();
    await shown.admin.call('POST', '/queues/messages', { topic: 'ticket.triaged', data: { odd: 1 } });
    await waitUntil('a dead letter', async () => (await shown.admin.call<{ readonly items: readonly unknown[] }>('GET', '/queues/dead-letters?topic=ticket.triaged')).items.length > 0);
    await shown.goto('/queues/ticket.triaged?tab=dead&q=odd:1');
    await main().getByText(/Looked at all \d+ letters?: 1 fits\./).waitFor();
    await ask('dead letters', 'odd:2');
    await main().getByRole('heading', { name: 'No dead letters match this query' }).waitFor();
  });

  it('find items of a stream, and keep the query when one is opened', async () => {
    await shown.goto('/streams/board/searched');
    await main().getByRole('option').nth(1).waitFor();
    await ask('items', 'title:open');
    await main().getByText('Looked at all 2 items: 1 fits.').waitFor();
    await main().getByRole('option', { name: /0001/ }).click();
    await page.waitForURL((url) => url.pathname.endsWith(`/searched/${FIRST}`) && url.searchParams.get('q') === 'title:open');
    await main().getByRole('complementary', { name: 'Inspector' }).getByText('"open"').first().waitFor();
    await ask('items', 'revision:x');
    await main().getByRole('alert').filter({ hasText: '"revision" is a number' }).locator('mark', { hasText: 'x' }).waitFor();
  });

  it('take events of a stream as they come', async () => {
    await shown.goto('/streams/board/searched?tab=events&q=title:wanted');
    await main().getByRole('heading', { name: 'No events since this was opened match this query' }).waitFor();
    // Whether the engine has heard of the subscription no answer tells.
    await waitUntil('the event', async () => {
      await put(SECOND, 'passed over');
      await put(FIRST, 'wanted');
      return await main().getByText('"wanted"').count() > 0;
    });
    expect(await main().getByText('passed over').count()).to.equal(0);
    await ask('events', 'type:create seq:few');
    await main().getByRole('alert').filter({ hasText: '"seq" is a number' }).locator('mark', { hasText: 'few' }).waitFor();
  });
});
