import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { faultsInAllLooks } from './browser.js';
import { checkedAndClosed, tickets, TicketsPage } from './tickets-page.js';

const WHY = 'no trace is recorded (sampling_ratio: 0)';

describe('the console of an engine that records no trace', function () {
  this.timeout(120_000);
  let shown: TicketsPage;
  let page: Page;
  let traceId = '';

  before(async function () {
    shown = await TicketsPage.open(this, unrecorded);
    ({ page } = shown);
    await shown.signIn();
  });
  checkedAndClosed(() => shown);

  const main = (): Locator => page.getByRole('main');

  it('shows what a request answered and logged, and why its trace is not there', async () => {
    await shown.goto('/endpoints/CreateTicket/0?as=json');
    const body = page.getByRole('textbox', { name: 'Body' });
    await body.focus();
    for (const key of ['Control+a', 'Delete']) await page.keyboard.press(key);
    await page.keyboard.insertText(JSON.stringify({ title: 'Lamp is dark', priority: 'normal', customer: { id: 'c-1', email: 'c@example.com' } }));
    await page.getByRole('button', { name: /^Send/ }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('201').first().waitFor();
    await result.getByRole('note').filter({ hasText: WHY }).waitFor();
    await result.getByText('ticket created').waitFor();
    expect(await result.getByText('Could not load').count()).to.equal(0);
    traceId = /[0-9a-f]{32}/.exec(await result.getByRole('note').textContent() ?? '')?.[0] ?? '';
    expect(await faultsInAllLooks(page)).to.deep.equal([]);
  });

  it('says so where traces are listed, of a trace that is asked for, and among the findings', async () => {
    await shown.goto('/traces');
    await main().getByText(WHY).first().waitFor();
    await shown.goto(`/traces/${traceId}`);
    await main().getByText(WHY).first().waitFor();
    await shown.goto('/');
    await main().getByText(WHY).first().waitFor();
  });

  it('goes from a log line to the trace that is not there, which says why', async () => {
    await shown.goto(`/logs?q=trace:${traceId}`);
    await main().getByRole('option').filter({ hasText: 'ticket created' }).first().click();
    await page.getByRole('complementary', { name: 'Inspector' }).getByRole('link', { name: traceId.slice(0, 8) }).first().click();
    await main().getByText(WHY).first().waitFor();
  });
});

/** The sample, without traces. */
function unrecorded(): string {
  const folder = tickets();
  const config = join(folder, 'config.yaml');
  writeFileSync(config, readFileSync(config, 'utf8').replace(/^modules:$/m, '$&\n  - class: modules::observability::OtelModule\n    config: { sampling_ratio: 0 }'));
  return folder;
}
