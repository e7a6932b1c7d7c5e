import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { waitUntil } from '../support/wait-until.js';
import { accessibilityFaults } from './browser.js';
import { checkedAndClosed, type SentTicket, TicketsPage } from './tickets-page.js';

describe("references and keys of the console's page", function () {
  this.timeout(240_000);
  let shown: TicketsPage;
  let page: Page;
  let sent: SentTicket;

  before(async function () {
    ({ page } = shown = await TicketsPage.open(this));
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await shown.signIn();
    sent = await shown.sendTicket();
  });
  checkedAndClosed(() => shown);

  const inspector = (): Locator => page.getByRole('complementary', { name: 'Inspector' });
  const card = (): Locator => page.getByRole('group', { name: /^About / });
  const copied = (): Promise<string> => page.evaluate('navigator.clipboard.readText()') as Promise<string>;
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const pick = async (name: string): Promise<void> => {
    await page.keyboard.type(name);
    await press('Enter');
    await page.getByText('Copied').first().waitFor();
  };

  it('show a card to who looks at them, and to who comes by the keyboard, until Escape or another look', async () => {
    await shown.goto(`/traces/${sent.traceId}?span=${sent.handler}`);
    await inspector().getByRole('link', { name: 'CreateTicket', exact: true }).hover();
    await card().getByText('POST /tickets').waitFor();
    await card().hover();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await press('Escape');
    await card().waitFor({ state: 'detached' });
    await inspector().getByRole('link', { name: /^tickets\// }).first().focus();
    await press('Shift+Tab', 'Tab');
    await card().getByText('Lamp is dark').waitFor();
    await press('Escape');
    await inspector().waitFor();
    await shown.goto('/queues');
    for (const [name, text] of [['ticket.created', 'TriageTicket'], ['NotifyCustomer', 'ticket.triaged']] as const) {
      await page.getByRole('link', { name, exact: true }).first().hover();
      await card().getByText(text).first().waitFor();
      await page.getByRole('heading', { name: 'Queues' }).hover();
      await card().waitFor({ state: 'detached' });
    }
  });

  it('have a menu, by the right button and by y: go there, filter, copy as id, link, Markdown and JSON', async () => {
    await shown.goto(`/logs?q=step:CreateTicket`);
    await press('j');
    const link = inspector().getByRole('link', { name: sent.traceId.slice(0, 8) });
    await link.click({ button: 'right' });
    await card().getByText('POST /tickets').waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await card().getByRole('button', { name: 'Copy id' }).click();
    await waitUntil('the id', async () => await copied() === sent.traceId);
    await link.focus();
    await press('y');
    expect(await card().getByRole('button').allTextContents()).to.deep.equal(['Open', 'Open beside, in another tab', 'Filter for it', 'Filter it out', 'Copy id', 'Copy link', 'Copy as Markdown', 'Copy as JSON']);
    for (let at = 0; at < 6; at += 1) await press('ArrowDown');
    await press('Enter');
    await waitUntil('Markdown', async () => (await copied()).startsWith(`[trace ${sent.traceId}](${shown.base}/traces/${sent.traceId}`));
    await link.focus();
    await press('y', 'ArrowUp', 'Enter');
    await waitUntil('JSON', async () => (await copied()).startsWith('{') && (JSON.parse(await copied()) as SentTicket).traceId === sent.traceId);
    await link.focus();
    await press('y', 'ArrowDown', 'ArrowDown', 'Enter');
    await page.waitForURL((url) => url.searchParams.get('q') === `step:CreateTicket trace:${sent.traceId}`);
    await link.focus();
    await press('y', 'Escape');
    await card().waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.dataset.id')).to.equal(sent.traceId);
  });

  it('copies what is open: a span, a line, a value, a request', async () => {
    await shown.goto(`/traces/${sent.traceId}?span=${sent.handler}`);
    await press('y');
    await pick('id of the span');
    expect(await copied()).to.equal(sent.handler);
    await press('y');
    await pick('Markdown');
    expect(await copied()).to.match(/^## POST \/tickets: settled/);
    await press('y');
    await pick('a link to what');
    expect(await copied()).to.equal(page.url());
    await shown.goto('/endpoints/CreateTicket/0');
    await press('y');
    await pick('curl');
    expect(await copied()).to.match(/^curl -X POST 'http:\/\/.*\/tickets'/);
  });

  it('pins a span while one moves, shows its attributes as columns, and both by the address', async () => {
    await shown.goto(`/traces/${sent.traceId}?span=${sent.handler}`);
    await press('Space', 'j', 'j');
    await page.waitForURL((url) => url.searchParams.get('pin') === sent.handler && url.searchParams.get('span') !== sent.handler);
    await inspector().getByRole('heading', { name: 'handler CreateTicket' }).waitFor();
    await inspector().getByRole('tab', { name: /^Attributes/ }).click();
    await inspector().getByRole('button', { name: 'Column code.file.path' }).click();
    await page.waitForURL(/cols=code\.file\.path/);
    await page.reload();
    await page.getByRole('treeitem', { name: /handler TriageTicket/ }).getByTitle('code.file.path: steps/triage-ticket.step.ts').waitFor();
    await inspector().getByRole('heading', { name: 'handler CreateTicket' }).waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await page.getByRole('tab', { name: 'Spans' }).click();
    await page.getByRole('option', { name: /handler TriageTicket/ }).getByTitle('code.file.path: steps/triage-ticket.step.ts').waitFor();
    await page.getByRole('button', { name: 'Take the column code.file.path away' }).click();
    await page.waitForURL((url) => !url.searchParams.has('cols'));
    await page.getByRole('tab', { name: 'Waterfall' }).click();
    await page.getByRole('heading', { name: 'Trace', exact: true }).click();
    await press('Space');
    await page.waitForURL((url) => !url.searchParams.has('pin'));
    expect(await inspector().getByRole('heading').first().textContent()).not.to.contain('handler CreateTicket');
  });

  it('folds all below a span, and hides what does not fit', async () => {
    await shown.goto(`/traces/${sent.traceId}`);
    const spans = (): Promise<number> => page.getByRole('treeitem').count();
    await page.getByRole('treeitem').first().waitFor();
    const before = await spans();
    await press('j', 'Shift+ArrowLeft');
    await waitUntil('one row', async () => await spans() === 1);
    await press('ArrowRight');
    await waitUntil('its children, folded', async () => await spans() > 1 && await spans() < before);
    await press('k', 'Shift+ArrowRight');
    await waitUntil('all', async () => await spans() === before);
    await page.getByLabel('Find in the trace').fill('handler TriageTicket');
    await page.getByRole('button', { name: 'Hide others' }).click();
    await waitUntil('what fits', async () => await spans() === 1);
  });

  it('makes an inspector as large as the view, and beside a list again', async () => {
    await shown.goto(`/traces/${sent.traceId}?span=${sent.handler}`);
    const width = async (): Promise<number> => (await inspector().boundingBox())?.width ?? 0;
    const narrow = await width();
    await press('Shift+Enter');
    await page.waitForURL(/full=/);
    expect(await width()).to.be.greaterThan(narrow * 2);
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await press('Escape');
    await waitUntil('its former width', async () => await width() === narrow);
    await press('Escape');
    await inspector().waitFor({ state: 'detached' });
  });

  it('acts on the line of a log: wrap, oldest first, lines around, hide, filter for what has the focus, columns', async () => {
    await shown.goto('/logs?q=source:step');
    const first = page.getByRole('listbox').getByRole('option').first();
    await first.waitFor();
    const newest = await first.textContent();
    await press('a');
    await page.getByRole('note').filter({ hasText: 'The oldest line is the first' }).waitFor();
    await waitUntil('another line', async () => await first.textContent() !== newest);
    await press('a', 'w');
    await page.waitForURL((url) => url.searchParams.has('wrap') && !url.searchParams.has('first'));
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await page.getByRole('option', { name: /ticket created/ }).click();
    await press('c');
    await page.getByRole('tab', { name: 'Same trace' }).click();
    await page.waitForURL(/around=trace/);
    await press('c');
    await inspector().getByRole('button', { name: 'Column: priority' }).click();
    await page.getByRole('option', { name: /ticket created/ }).getByTitle('priority: normal').waitFor();
    await inspector().getByRole('button', { name: 'Filter out: priority' }).focus();
    await press('f');
    await page.waitForURL(/priority:normal/);
    await page.getByRole('option', { name: /ticket created/ }).waitFor();
    await press('h');
    await page.waitForURL(/-message:/);
    // Until the answer is there the lines of the former query stay.
    await page.getByRole('option', { name: /ticket created/ }).first().waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'No lines match this query' }).or(first).first().waitFor();
  });

  it('chooses rows one by one and in a range, and acts on them alone', async () => {
    for (const key of ['one', 'two', 'three', 'four', 'five']) await shown.admin.call('PUT', `/state/groups/chosen/keys/${key}`, { value: key });
    await shown.goto('/state/chosen');
    await press('j', 'x', 'j', 'j', 'X');
    await page.getByRole('button', { name: 'Delete the 3 chosen…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 3' });
    await dialog.getByLabel('Type 3 to confirm').fill('3');
    await dialog.getByRole('button', { name: 'Delete 3' }).click();
    await dialog.getByText('3 of 3 done').waitFor();
    const { items } = await shown.admin.call<{ readonly items: readonly { readonly key: string }[] }>('GET', '/state/groups/chosen/keys');
    expect(items.map(({ key }) => key)).to.have.members(['three', 'two']);
    await page.keyboard.press('Escape');
    await shown.goto('/traces');
    await press('j', 'j', 'x', 'k', 'X');
    await page.getByRole('link', { name: /^Compare the two/ }).waitFor();
    await press('c');
    await page.waitForURL(/vs=[0-9a-f]{32}/);
  });

  it('says that the engine is gone above an inspector, however narrow the page is', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    // What a page has never heard of cannot be gone.
    const greeted = page.waitForEvent('websocket').then((socket) => socket.waitForEvent('framereceived'));
    await shown.goto(`/traces/${sent.traceId}?span=${sent.handler}`);
    await Promise.all([inspector().waitFor(), greeted]);
    await shown.engine.stop('SIGKILL');
    const gone = page.getByRole('alert').filter({ hasText: 'What you see is as it was then' });
    await gone.waitFor();
    // Nothing lies over it.
    await gone.click({ trial: true });
    await inspector().getByRole('heading', { name: 'handler CreateTicket' }).waitFor();
  });
});
