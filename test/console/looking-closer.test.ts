import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { accessibilityFaults } from './browser.js';
import { checkedAndClosed, TicketsPage } from './tickets-page.js';

describe("looking closer in the console's page", function () {
  this.timeout(240_000);
  let shown: TicketsPage;
  let page: Page;
  let traceId = '';
  let handler = '';

  before(async function () {
    shown = await TicketsPage.open(this);
    ({ page } = shown);
    await shown.signIn();
    ({ traceId, handler } = await shown.sendTicket());
  });
  checkedAndClosed(() => shown);

  const inspector = (): Locator => page.getByRole('complementary', { name: 'Inspector' });

  it('runs a Step again from its span with another input, and shows the two runs side by side', async () => {
    await shown.goto(`/traces/${traceId}?span=${handler}`);
    await inspector().getByRole('button', { name: 'Run again…' }).click();
    await inspector().getByText('[secret headers.cookie]').first().waitFor();
    expect(await inspector().textContent()).not.to.contain('s3cret');
    await inspector().getByRole('button', { name: 'Edit input' }).click();
    const { input } = await shown.admin.call<{ readonly input: { readonly body: object } }>('GET', `/steps/inputs/${handler}`);
    await page.getByRole('textbox', { name: 'Input' }).focus();
    for (const key of ['Control+a', 'Delete']) await page.keyboard.press(key);
    await page.keyboard.insertText(JSON.stringify({ ...input, body: { kind: 'json', value: { title: 'Lamp is bright', priority: 'low', customer: {} } } }));
    await inspector().getByRole('button', { name: /^Run with this input/ }).click();
    await page.waitForURL(/vs=[0-9a-f]{32}&step=CreateTicket&from=[0-9a-f]{16}/);
    await page.getByText(/First difference: /).waitFor();
    await page.reload();
    await page.getByText(/First difference: /).waitFor();
    const { items } = await shown.admin.call<{ readonly items: readonly { readonly traceId: string }[] }>('GET', '/traces?q="replay CreateTicket"');
    await shown.goto(`/traces/${items[0]?.traceId ?? ''}`);
    await page.getByRole('treeitem', { name: /replay CreateTicket/ }).click();
    await inspector().getByText('Linked to').getByRole('link', { name: traceId.slice(0, 8) }).click();
    await page.waitForURL(new RegExp(`/traces/${traceId}\\?span=${handler}`));
  });

  it('draws a trace as a flame graph, and as the part of the flow that it passed', async () => {
    await shown.goto(`/traces/${traceId}?mode=flame`);
    const flame = page.getByRole('region', { name: 'Flame graph' });
    await flame.getByRole('button', { name: /^handler CreateTicket .*1 span/ }).click();
    await page.waitForURL(/span=/);
    await page.keyboard.press('Enter');
    await flame.getByRole('button', { name: 'The whole trace' }).click();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await page.getByRole('tab', { name: 'Steps' }).click();
    await page.locator('.react-flow__node').filter({ hasText: 'TriageTicket' }).click();
    await inspector().getByText('handler TriageTicket').waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
  });

  it('groups log lines by their pattern, and shows those of one', async () => {
    await shown.goto('/logs?as=patterns');
    const patterns = page.getByRole('region', { name: 'Patterns, the most frequent first' });
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await patterns.getByRole('row', { name: /ticket created/ }).getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/q=level:info\+message:ticket\*created$/);
    await page.getByRole('option', { name: /ticket created/ }).first().waitFor();
  });

  it('joins a stream as a client: what it sees as it comes, and which rule refuses another', async () => {
    await shown.goto('/streams/board/triaged?tab=as');
    await page.getByRole('button', { name: /^Join/ }).click();
    await page.getByText(/Let in: it sees \d+ items?/).waitFor();
    await shown.admin.call('PUT', '/streams/board/groups/triaged/items/6f1f7bc6-7d2a-4f0e-9f9b-2f6a1c0e4f11', { value: { id: '6f1f7bc6-7d2a-4f0e-9f9b-2f6a1c0e4f11', title: 'Seen at once', priority: 'low' } });
    await page.getByRole('list', { name: 'What it sees' }).getByText('Seen at once').waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await page.getByLabel('Headers, one a line').fill('Origin: https://evil.test');
    await page.getByRole('button', { name: /^Join again/ }).click();
    await page.getByText(/Refused at the door by the rule for web pages \(403\): origin "https:\/\/evil\.test"/).waitFor();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByText('What was said').waitFor({ state: 'detached' });
  });

  it('saves a view under a name and opens it again, by its key and from the palette', async () => {
    await shown.goto('/traces?q=step:CreateTicket');
    await page.keyboard.press('v');
    await page.getByRole('dialog', { name: 'Saved views' }).getByLabel('Name of what is shown now').fill('New tickets');
    await page.keyboard.press('Enter');
    await shown.goto('/queues');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Name, id or command' }).fill('New tickets');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/traces\?q=step:CreateTicket$/);
    await page.keyboard.press('v');
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Forget New tickets' }).click();
    await page.getByRole('link', { name: 'New tickets' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
  });

  it('moves a key: the other one takes its place, in hints too, until all are as they were', async () => {
    await shown.goto('/logs');
    await page.keyboard.press('?');
    await page.getByRole('button', { name: 'Key of Lines or their patterns: p' }).click();
    await page.keyboard.press('y');
    await page.getByRole('button', { name: 'Key of Lines or their patterns: y' }).waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Patterns y' }).waitFor();
    await page.keyboard.press('y');
    await page.waitForURL(/as=patterns/);
    await page.keyboard.press('p');
    await page.getByRole('dialog', { name: 'Copy' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    expect(page.url()).to.contain('as=patterns');
    await page.getByRole('button', { name: 'All keys as they were' }).click();
    await page.getByRole('button', { name: 'Key of Lines or their patterns: p' }).waitFor();
  });
});
