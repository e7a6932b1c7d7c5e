import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';
import { accessibilityFaults, faultsInAllLooks } from './browser.js';
import { checkedAndClosed, tickets, TicketsPage } from './tickets-page.js';

const MISTAKE = 'broken on purpose';
const BROKEN = "import { http, step } from 'treadle';\n\nexport const { config, handler } = step({ name: 'Broken', triggers: [http('GET', '/broken')] }, async () => {\n";
/** Keeps what it can in memory. */
const IN_MEMORY = `engine: { mode: development }
modules:
  - { class: modules::http::HttpModule, config: { port: 0 } }
  - class: modules::console::ConsoleModule
    config:
      port: \${CONSOLE_PORT}
  - { class: modules::steps::StepsModule, config: { port: false, runtimes: [{ class: modules::runtime::adapters::Node, config: { workers: 1 } }] } }
  - { class: modules::queue::QueueModule, config: { adapter: { class: modules::queue::adapters::Sqlite, config: { store_method: in_memory } } } }
  - { class: modules::cron::CronModule }
`;
const INDEX_ORDER = "export const config = { name: 'IndexOrder', triggers: [{ type: 'queue', topic: 'order.placed' }], enqueues: ['order.indexed'] };\nexport const handler = async () => undefined;\n";
const NIGHTLY = "export const config = { name: 'Nightly', triggers: [{ type: 'cron', expression: '0 3 * * *' }] };\nexport const handler = async () => undefined;\n";

describe("the first minute with the console's page", function () {
  this.timeout(120_000);
  // Each goes on from what the former ones did.
  this.bail(true);
  let shown: TicketsPage;
  let page: Page;
  const edited: string[] = [];

  before(async function () {
    shown = await TicketsPage.open(this, withBrokenStep);
    ({ page } = shown);
    page.on('request', (request) => void (request.url().startsWith('vscode:') && edited.push(request.url())));
  });
  checkedAndClosed(() => shown);

  const panel = (title: RegExp): Locator => page.locator('section').filter({ has: page.getByRole('heading', { name: title }) });
  const effects = (): Locator => page.getByText(/Settled in/).locator('xpath=../..');

  const change = (file: string, ...[from, to]: readonly [from: string, to: string]): void => {
    const path = join(shown.folder, 'steps', file);
    const [before, after] = [readFileSync(path, 'utf8'), readFileSync(path, 'utf8').replace(from, to)];
    expect(after).not.to.equal(before);
    writeFileSync(path, after);
  };

  it('1 s: has the Steps that were found, and at once the one that does not load, red, with its file and line', async () => {
    await page.goto(await shown.link());
    await page.getByRole('heading', { name: 'Your app is running.' }).waitFor();
    await page.getByText(/^\d+ Steps in \d+ flows?\. Nothing has run yet\.$/).waitFor();
    const steps = panel(/^Steps/);
    await steps.getByRole('link', { name: 'CreateTicket' }).waitFor();
    await steps.getByRole('link', { name: /^steps\/broken\.step\.ts:\d+$/ }).first().waitFor();
  });

  it('3 s: offers three things to do, the first with all filled in and the focus on Send; says what was checked', async () => {
    for (const title of [/^1 · Send the first request/, /^2 · Watch it run/, /^3 · Change the code/]) await panel(title).waitFor();
    expect(JSON.parse(await page.getByRole('textbox', { name: 'Body' }).inputValue())).to.have.keys(['title', 'customer']);
    expect(await page.evaluate('document.activeElement.textContent')).to.match(/^Send/);
    await panel(/^2 · Watch it run/).getByText('It appears here by itself').waitFor();
    for (const check of [/Engine .* is .*: http 127\.0\.0\.1:\d+/, /^node worker is connected \(.*, pid \d+\)$/, /^Telemetry is kept in memory until the engine ends: the latest [\d\u202f]+ spans and [\d\u202f]+ log lines/]) await panel(/^Checks/).getByText(check).first().waitFor();
    expect(await faultsInAllLooks(page)).to.deep.equal([]);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('6 s: Enter sends it; the reply comes, the waterfall fills, and it ends with what it came to', async () => {
    await page.keyboard.press('Enter');
    await panel(/^1 · Send/).getByText('answered').waitFor();
    await panel(/^1 · Send/).getByText('201').first().waitFor();
    await page.getByText(/Settled in/).waitFor();
    await panel(/^2 · Watch it run/).locator('a[data-row]').filter({ hasText: 'POST /tickets' }).waitFor();
    expect(await panel(/^2 · Watch it run/).getByText('It appears here by itself').count()).to.equal(0);
    const lines = panel(/^2 · Watch it run/).getByRole('list', { name: 'Waterfall of the latest run' }).getByRole('link');
    for (const name of [/^POST \/tickets/, /^handler CreateTicket/, /^enqueue ticket\.created/, /^TriageTicket/]) await lines.filter({ hasText: name }).first().waitFor();
    for (const step of ['CreateTicket', 'TriageTicket']) await panel(/^Steps/).locator('li[class*=ran]').filter({ hasText: step }).waitFor();
  });

  it('12 s: each number of it leads to what it counts, and Back returns', async () => {
    for (const [name, address, text] of [[/^\d+ Steps$/, /\/traces\/[0-9a-f]{32}\?mode=steps$/, 'TriageTicket'], [/^\d+ keys? written$/, /\/traces\/[0-9a-f]{32}\?mode=story$/, /state\.set tickets\//], [/^\d+ logs?$/, /\/logs\?q=trace/, 'ticket created']] as const) {
      await effects().getByRole('link', { name }).click();
      await page.waitForURL(address);
      await page.getByRole('main').getByText(text).first().waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'Your app is running.' }).waitFor();
      await page.getByText(/Settled in/).waitFor();
    }
  });

  it('30 s: a saved change runs at the next Send, by one key', async () => {
    const file = join(shown.folder, 'steps/create-ticket.step.ts');
    writeFileSync(file, readFileSync(file, 'utf8').replace("'ticket created'", "'ticket taken in'"));
    await waitUntil('the new handler', async () => {
      await shown.sendTicket();
      return (await shown.admin.call<{ readonly total: number }>('GET', '/logs?q=message:"ticket taken in"')).total > 0;
    });
    await page.getByText('A Step was loaded anew since. Send it again?').waitFor();
    await page.keyboard.press('Control+Enter');
    await effects().getByText('ticket taken in').waitFor();
    await page.getByText('A Step was loaded anew since. Send it again?').waitFor({ state: 'detached' });
    for (const [path, name] of [['/logs', /^Lines over time: .*Steps changed: 1 \w+/], ['/traces', /by their beginning and duration.*Steps changed: 1 \w+/]] as const) {
      await shown.goto(path);
      await page.getByRole('img', { name }).waitFor();
    }
    await shown.goto('/');
  });

  it('33 s: a Step that was broken shows its error with the place, its input, when it is tried again, and to run it again first of all', async () => {
    change('triage-ticket.step.ts', 'triggers: [queue(ticketCreated)]', "triggers: [queue(ticketCreated, { config: { backoff: { type: 'fixed', delayMs: 300_000, jitter: 0 } } })]");
    change('triage-ticket.step.ts', '    const change = await', `    if (ticketId !== '') throw new Error('${MISTAKE}');\n    const change = await`);
    await waitUntil('the broken handler', async () => {
      await shown.sendTicket();
      return (await shown.admin.call<{ readonly total: number }>('GET', `/logs?q=step:TriageTicket "${MISTAKE}"`)).total > 0;
    });
    await page.keyboard.press('Control+Enter');
    const effects = panel(/^1 · Send/);
    await effects.getByText('Waiting').first().waitFor();
    await effects.getByText(MISTAKE).first().waitFor();
    await effects.getByText(/a message waits for the next attempt/).getByText(/^in 4 min \d+ s$/).waitFor();
    await effects.getByRole('listitem').filter({ hasText: MISTAKE }).first().getByRole('link', { name: /^[\d.]+ m?s$/ }).click();
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByText(MISTAKE).first().waitFor();
    await inspector.locator('pre [aria-current=location]').filter({ hasText: MISTAKE }).waitFor();
    await inspector.getByRole('list', { name: 'Stack' }).getByText(/triage-ticket\.step\.ts:\d+/).first().waitFor();
    await inspector.getByRole('tab', { name: 'Input' }).waitFor();
    expect(await inspector.locator('[class*=primary]').allTextContents()).to.deep.equal(['Run again…']);
    const countdown = page.getByText(/failing: a message waits for the next attempt/).locator('+ *').getByText(/^in \d/);
    const before = await countdown.textContent();
    await waitUntil('a second less', async () => await countdown.textContent() !== before);
  });

  it('45 s: mended and run again by a key, both traces stand side by side with their first difference', async () => {
    change('triage-ticket.step.ts', `    if (ticketId !== '') throw new Error('${MISTAKE}');\n`, '');
    await waitUntil('the mended handler', async () => {
      const { traceId } = await shown.sendTicket();
      return (await shown.admin.call<{ readonly rows: readonly { readonly name: string; readonly error?: object }[] }>('GET', `/traces/${traceId}`)).rows.some(({ name, error }) => name === 'handler TriageTicket' && !error);
    });
    await page.getByRole('button', { name: 'Run again…' }).click();
    await page.getByRole('button', { name: /^Run again from here/ }).waitFor();
    await page.keyboard.press('r');
    await page.waitForURL(/vs=[0-9a-f]{32}.*step=TriageTicket/);
    await page.getByText(/First difference: .*failed in the first: broken on purpose/).waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await shown.goto('/');
  });

  // The last one: Chromium asks whether it may open another program, and takes no key meanwhile.
  it('20 s: e opens the editor at the handler', async () => {
    await page.getByRole('heading', { name: 'Your app is running.' }).click();
    await page.keyboard.press('e');
    await waitUntil('the editor', async () => edited.length > 0);
    expect(edited[0]).to.match(/^vscode:\/\/file\/.*\/steps\/create-ticket\.step\.ts:\d+$/);
  });
});

describe("the first minute of an application without an HTTP trigger, and what is seen of it later", function () {
  this.timeout(120_000);
  // Each goes on from what the former ones did.
  this.bail(true);
  let shown: TicketsPage;
  let page: Page;

  before(async function () {
    shown = await TicketsPage.open(this, () => tempApplication({ 'config.yaml': IN_MEMORY, 'steps/index-order.step.js': INDEX_ORDER, 'steps/nightly.step.js': NIGHTLY }));
    ({ page } = shown);
  });
  checkedAndClosed(() => shown);

  const panel = (title: RegExp): Locator => page.locator('section').filter({ has: page.getByRole('heading', { name: title }) });

  it('1 s: is painted with the Steps, and nothing is red', async () => {
    await page.goto(await shown.link());
    await page.getByText('2 Steps in 0 flows. Nothing has run yet.').waitFor();
    expect(await page.evaluate("performance.getEntriesByName('first-contentful-paint').length")).to.equal(1);
    await panel(/^Checks/).getByText('nobody consumes').waitFor();
    expect(await page.locator('[class*="_bad_"], [class*="_failed_"], [role=alert]').count()).to.equal(0);
  });

  it('3 s: says what is kept in memory and which topic nobody consumes', async () => {
    for (const check of ['nobody consumes the topic order.indexed', /keeps its data in memory: a restart loses it/]) await panel(/^Checks/).getByText(check).first().waitFor();
    await panel(/^3 · Change the code/).getByRole('link', { name: /^steps\/[\w-]+\.step\.js:\d+$/ }).waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
  });

  it('6 s: starts a Step by its topic or by its time, and shows what ran', async () => {
    await panel(/^1 · Run a Step/).getByRole('link', { name: 'Enqueue to order.placed' }).click();
    await page.waitForURL(/\/queues\/order\.placed\?tab=publish$/);
    await page.getByText('as a Step would enqueue it').waitFor();
    await page.goBack();
    await panel(/^1 · Run a Step/).getByRole('button', { name: 'Run Nightly now' }).click();
    await panel(/^2 · Watch it run/).getByRole('link', { name: /Nightly/ }).waitFor();
  });

  it('is not there again for who knows their way, in no tab and after no reload, until they ask for it', async () => {
    const first = page.getByRole('heading', { name: 'Your app is running.' });
    await page.getByRole('link', { name: 'I know my way' }).click();
    await page.getByRole('heading', { name: /^(?:What is wrong now|Nothing is wrong\.)$/ }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Latest runs' }).waitFor();
    const other = await shown.context.newPage();
    await other.goto(shown.base);
    await other.getByRole('heading', { name: 'Latest runs' }).waitFor();
    expect(await other.getByRole('heading', { name: 'Your app is running.' }).count() + await first.count()).to.equal(0);
    await other.close();
    await page.getByRole('button', { name: 'Show the first steps again' }).click();
    await first.waitFor();
    await page.reload();
    await first.waitFor();
  });
});

function withBrokenStep(): string {
  const folder = tickets();
  writeFileSync(join(folder, 'steps/broken.step.ts'), BROKEN);
  return folder;
}
