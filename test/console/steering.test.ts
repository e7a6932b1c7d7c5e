import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { WebSocket } from 'ws';
import { waitUntil } from '../support/wait-until.js';
import { accessibilityFaults } from './browser.js';
import { checkedAndClosed, TicketsPage } from './tickets-page.js';

interface Triggers {
  readonly items: readonly { readonly step: string; readonly paused: boolean; readonly pausedUntil?: string; readonly nextAt: string | null; readonly skipped: readonly { readonly at: string; readonly why: string }[] }[];
}

describe("steering the engine from the console's page", function () {
  this.timeout(240_000);
  let shown: TicketsPage;
  let page: Page;

  before(async function () {
    shown = await TicketsPage.open(this);
    ({ page } = shown);
    await shown.signIn();
  });
  checkedAndClosed(() => shown);

  const trigger = async (): Promise<Triggers['items'][number] | undefined> => (await shown.admin.call<Triggers>('GET', '/cron')).items[0];

  it('disconnects one client of streams, which is told so, and leaves an entry in the audit', async () => {
    const client = new WebSocket(await shown.engine.address('stream'));
    await once(client, 'open');
    client.send(JSON.stringify({ type: 'join', data: { subscriptionId: 's', streamName: 'board', groupId: 'steered' } }));
    const closed = once(client, 'close');
    await once(client, 'message');
    await shown.goto('/streams');
    const row = page.getByRole('row').filter({ hasText: 'board/steered' });
    await row.waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await row.getByRole('button', { name: 'Disconnect' }).click();
    const [code, reason] = await closed as [number, Buffer];
    expect([code, String(reason)]).to.deep.equal([4009, 'disconnected by an operator']);
    await row.waitFor({ state: 'detached' });
    const { items } = await shown.admin.call<{ readonly items: readonly { readonly method: string; readonly path: string; readonly requestId: string }[] }>('GET', '/audit');
    expect(items[0]).to.include({ method: 'DELETE' }).and.have.property('path').that.matches(/^\/api\/v1\/streams\/connections\/[\da-f]+-\d+$/);
    expect(items[0]?.requestId).to.match(/^[\da-f-]{36}$/);
  });

  it('keeps what is typed when the item of a stream is written meanwhile, and shows both instead of writing over it', async () => {
    const item = '/streams/board/groups/edited/items/00000000-0000-4000-8000-000000000001';
    const write = (title: string): Promise<unknown> => shown.admin.call('PUT', item, { value: { id: '00000000-0000-4000-8000-000000000001', title, priority: 'low' } });
    await write('before');
    await shown.goto('/streams/board/edited/00000000-0000-4000-8000-000000000001');
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByRole('button', { name: 'Edit' }).click();
    await inspector.getByRole('textbox', { name: 'Item' }).focus();
    for (const key of ['Control+a', 'Delete']) await page.keyboard.press(key);
    await page.keyboard.insertText('{"id":"00000000-0000-4000-8000-000000000001","title":"mine","priority":"low"}');
    await write('theirs');
    await inspector.getByText('It was written meanwhile: you edit revision 1, now it has 2').waitFor();
    await inspector.getByText('"mine"').waitFor();
    await inspector.getByRole('button', { name: 'Write to all clients over revision 1' }).click();
    const dialog = page.getByRole('dialog', { name: 'Somebody wrote it meanwhile' });
    await dialog.getByText('theirs').first().waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    expect((await shown.admin.call<{ readonly value: object }>('GET', item)).value).to.include({ title: 'theirs' });
    await shown.admin.call('DELETE', item);
    await dialog.getByRole('button', { name: 'Write to all clients over revision 2' }).click();
    const gone = page.getByRole('dialog', { name: 'Somebody deleted it meanwhile' });
    await gone.getByRole('button', { name: 'Write to all clients anew' }).click();
    await inspector.getByRole('button', { name: 'Edit' }).waitFor();
    expect((await shown.admin.call<{ readonly value: object }>('GET', item)).value).to.include({ title: 'mine' });
  });

  it('skips the next run of a trigger, pauses it until a time and resumes it', async () => {
    await shown.goto('/cron');
    const dialog = page.getByRole('dialog');
    const next = (await trigger())?.nextAt ?? '';
    await page.getByRole('button', { name: /^Skip next/ }).first().click();
    await dialog.getByText(/will not begin.*cannot be taken back/).waitFor();
    expect(await dialog.getByRole('time').getAttribute('datetime')).to.equal(next);
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await trigger())?.skipped).to.deep.equal([]);
    await page.getByRole('button', { name: /^Skip next/ }).first().click();
    await page.route('**/api/v1/cron/skip', (route) => route.fulfill({ status: 409, contentType: 'application/problem+json', body: '{"status":409,"code":"not_the_next_tick","detail":"another run is the next one"}' }), { times: 1 });
    await dialog.getByRole('button', { name: 'Skip this run' }).click();
    await dialog.getByRole('status').filter({ hasText: 'another run is the next one' }).waitFor();
    await dialog.getByRole('button', { name: 'Skip this run' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('status').filter({ hasText: /DailyDigest skips its next run, \d{4}-/ }).waitFor();
    await page.getByText(/^skipped by /).first().waitFor();
    expect((await trigger())?.skipped).to.deep.equal([{ at: next, why: 'skipped by local' }]);
    await page.getByRole('button', { name: 'Pause until…' }).first().click();
    expect(await dialog.getByRole('button', { name: 'Pause' }).isDisabled()).to.equal(true);
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await dialog.getByLabel(/^Until/).fill('2090-01-08T09:00');
    await dialog.getByRole('button', { name: 'Pause' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText(/paused until 2090-01-0[789]/).first().waitFor();
    expect(await trigger()).to.have.property('pausedUntil').that.matches(/^2090-01-0[789]T/);
    await page.getByRole('button', { name: 'Resume' }).first().click();
    await waitUntil('the resumed trigger', async () => (await trigger())?.paused === false);
  });

  it('saves a request with its answer as a test', async () => {
    const { items: [run] } = await waitUntil('a run', async () => {
      const body = JSON.stringify({ title: 'Lamp is dark', priority: 'normal', customer: { id: 'c-1', email: 'c@example.com' } });
      await shown.admin.call('POST', '/run', { kind: 'http', method: 'POST', path: '/tickets', headers: { 'Content-Type': 'application/json' }, body });
      return shown.admin.call<{ readonly items: readonly { readonly id: string }[] }>('GET', '/history?kind=http');
    });
    await shown.goto(`/endpoints/CreateTicket/0?req=${run?.id ?? ''}`);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save as test' }).click()]);
    expect(download.suggestedFilename()).to.equal('post-tickets-201.test.ts');
    expect(readFileSync(await download.path(), 'utf8')).to.contain("await app.http(\"POST\", \"/tickets\", { body: { \"title\": \"Lamp is dark\"").and.contain('"id": body["id"]');
  });

  it('pins a chart, which then comes first, also after a reload, and marks on it when the application started', async () => {
    const name = 'process.memory.usage';
    await shown.goto(`/metrics?m=${name}`);
    await page.getByRole('button', { name: 'Pin' }).click();
    await shown.goto('/metrics');
    const charts = page.getByRole('region', { name: 'Charts' }).locator('section');
    await charts.first().getByText(name).waitFor();
    await page.reload();
    await charts.first().getByText(name).waitFor();
    await shown.goto('/logs');
    await page.getByRole('img', { name: /^Lines over time.*; The engine started/ }).waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await shown.goto('/metrics');
    await charts.first().getByRole('button', { name: 'Pin' }).click();
    await charts.first().getByText('http.server.request').first().waitFor();
  });
});
