import { once } from 'node:events';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { WebSocket } from 'ws';
import { waitUntil } from '../support/wait-until.js';
import { checkedAndClosed, type SentTicket, TicketsPage } from './tickets-page.js';

/** What has the focus, as assistive techniques name it: `button Redrive`, `main Traces`; `nothing` when it is lost. */
const FOCUSED = `(() => {
  const { activeElement: one } = document;
  if (!one || one === document.body) return 'nothing';
  return [one.getAttribute('role') ?? one.localName, one.getAttribute('aria-label') ?? one.textContent.trim()].join(' ');
})()`;

describe("the focus in the console's page", function () {
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

  const focused = (): Promise<string> => page.evaluate(FOCUSED) as Promise<string>;
  const focusIs = (wanted: string): Promise<unknown> => waitUntil(`the focus on ${wanted}`, async () => await focused() === wanted).catch(async () => expect.fail(`the focus is on ${await focused()}, not on ${wanted}`));
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const dialog = (): Locator => page.getByRole('dialog');
  const card = (): Locator => page.getByRole('group', { name: /^About / });
  /** Puts something under the pointer, which rests, as a page does whose content changes. */
  const coverDialog = (): Promise<unknown> => page.evaluate("Object.assign(document.querySelector('dialog').appendChild(document.createElement('i')), { id: 'cover' }).style.cssText = 'position: fixed; inset: 0'");
  const uncoverDialog = (): Promise<unknown> => page.evaluate("document.getElementById('cover').remove()");
  const keep = async (group: string, ...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await shown.admin.call('PUT', `/state/groups/${group}/keys/${key}`, { value: `value of ${key}` });
  };

  it('goes back to where it was when a dialog closes, by Escape, by its button and by what is chosen in it', async () => {
    await shown.goto('/traces');
    const opener = page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Traces' });
    for (const key of ['?', 'v', 'y', 'Control+k']) {
      for (const close of ['Escape', 'its button'] as const) {
        await opener.focus();
        await press(key);
        await dialog().waitFor();
        if (close === 'Escape') await press(close);
        else await dialog().getByRole('button', { name: 'Close' }).press('Enter');
        await dialog().waitFor({ state: 'detached' });
        await focusIs('a Traces');
      }
    }
    await opener.focus();
    await press('v');
    await page.keyboard.type('All traces');
    await press('Enter');
    await dialog().waitFor({ state: 'detached' });
    await focusIs('a Traces');
  });

  it('goes to the dialog that takes the place of another, and then to the list when what opened it is gone', async () => {
    await keep('short', 'one');
    await shown.goto('/state/short');
    await page.getByRole('button', { name: 'Delete…' }).press('Enter');
    await dialog().getByLabel('Type 1 to confirm').fill('1');
    await dialog().getByRole('button', { name: 'Delete 1' }).press('Enter');
    await dialog().getByText('1 of 1 done').waitFor();
    await focusIs('button Close');
    await press('Escape');
    await page.getByText('This group has no keys').waitFor();
    await page.getByRole('button', { name: 'Delete…' }).waitFor({ state: 'detached' });
    await focusIs('main State');
  });

  it('goes to what is around a button that takes itself away: Disconnect, Pin, a closed inspector, an opened row', async () => {
    const client = new WebSocket(await shown.engine.address('stream'));
    await once(client, 'open');
    client.send(JSON.stringify({ type: 'join', data: { subscriptionId: 's', streamName: 'board', groupId: 'focus' } }));
    await once(client, 'message');
    await shown.goto('/streams');
    await page.getByRole('row').filter({ hasText: 'board/focus' }).getByRole('button', { name: 'Disconnect' }).press('Enter');
    await page.getByText('No client is connected').waitFor();
    await focusIs('main Streams');

    await shown.goto('/metrics');
    const charts = page.getByRole('region', { name: 'Charts' });
    const memory = charts.locator('section').filter({ hasText: 'process.memory.usage' });
    for (const place of ['pinned', 'where it was']) {
      await memory.getByRole('button', { name: 'Pin' }).press('Enter');
      await waitUntil(place, async () => (await charts.locator('section').first().textContent() ?? '').includes('process.memory.usage') === (place === 'pinned'));
      await focusIs('region Charts');
    }

    await shown.goto(`/traces/${sent.traceId}?span=${sent.handler}`);
    await page.getByRole('button', { name: 'Close the inspector' }).press('Enter');
    await focusIs('tree Spans');
    await shown.goto('/traces');
    await page.getByRole('link', { name: /POST \/tickets/ }).first().press('Enter');
    await page.waitForURL(/\/traces\/[0-9a-f]{32}/);
    await focusIs('main Traces');
  });

  it('stays on a button that has to wait', async () => {
    await shown.goto('/endpoints/CreateTicket/0');
    const held: (() => void)[] = [];
    await page.route('**/api/v1/run', (route) => new Promise<void>((resolve) => held.push(resolve)).then(() => route.continue()));
    await page.getByRole('button', { name: /^Send/ }).press('Enter');
    await page.getByRole('button', { name: 'Sending…' }).waitFor();
    await focusIs('button Sending…');
    // Nobody sends it twice.
    await press('Enter', 'Enter');
    await waitUntil('the request', async () => held.length > 0);
    held.splice(0).forEach((go) => go());
    await page.getByRole('region', { name: 'Result' }).getByText(/Settled in/).waitFor();
    await focusIs(`button ${(await page.getByRole('button', { name: /^Send/ }).textContent()) ?? ''}`);
    expect(held).to.deep.equal([]);
    await page.unroute('**/api/v1/run');
  });

  it('reaches the card and the menu of a reference in a dialog, which Escape closes one after the other', async () => {
    await keep('chips', 'lamp', 'chair');
    await shown.goto('/state/chips');
    await page.getByRole('button', { name: 'Delete…' }).press('Enter');
    const chip = dialog().getByRole('link', { name: 'chips/lamp' });
    await chip.hover();
    await card().getByText('value of lamp').waitFor();
    await card().click({ trial: true });
    await press('Escape');
    await card().waitFor({ state: 'detached' });
    await dialog().waitFor();
    await chip.focus();
    await press('Shift+Tab', 'Tab');
    await coverDialog();
    await card().getByText('value of lamp').waitFor();
    await uncoverDialog();
    await press('y');
    await focusIs('button Open');
    await press('ArrowDown', 'ArrowDown', 'Enter');
    await waitUntil('the id', async () => await page.evaluate('navigator.clipboard.readText()') === 'chips/lamp');
    await focusIs('a chips/lamp');
    // What became of it is told where it can be heard.
    expect(await dialog().getByRole('status').textContent()).to.contain('Copied');
    await chip.click({ button: 'right' });
    await card().getByRole('button', { name: 'Copy link' }).click();
    await card().waitFor({ state: 'detached' });
    await press('y');
    await card().waitFor();
    await press('Escape');
    await card().waitFor({ state: 'detached' });
    await press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Delete…' }).press('Enter');
    await dialog().getByRole('link', { name: 'chips/chair' }).press('Enter');
    await page.waitForURL(/\/state\/chips\/chair/);
  });

  it('is the only one that keys mean: nothing behind a dialog is sent, saved or moved by them', async () => {
    await shown.goto('/endpoints/CreateTicket/0');
    const asked: string[] = [];
    page.on('request', (request) => void (request.method() !== 'GET' && asked.push(request.url())));
    await page.getByRole('button', { name: /^Send/ }).waitFor();
    await press('?');
    await dialog().waitFor();
    await press('Control+Enter', 'g', 'q', 'v');
    expect(await dialog().getAttribute('aria-label')).to.equal('Keys that work here');
    await press('Control+k');
    await page.getByRole('dialog', { name: 'Find anything' }).waitFor();
    await press('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect([asked, new URL(page.url()).pathname]).to.deep.equal([[], '/endpoints/CreateTicket/0']);
  });

  it('is told in a dialog why what was asked there did not work', async () => {
    await shown.goto('/cron');
    await page.getByRole('button', { name: 'Pause until…' }).first().press('Enter');
    await dialog().getByLabel(/^Until/).fill('2000-01-08T09:00');
    await dialog().getByRole('button', { name: 'Pause' }).press('Enter');
    const told = dialog().getByRole('status').filter({ hasText: 'failed' });
    await told.waitFor();
    await told.click({ trial: true });
    await press('Escape');
  });
});
