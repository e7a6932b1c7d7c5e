import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { stopAllEngines } from '../support/engine-process.js';
import { waitUntil } from '../support/wait-until.js';
import { accessibilityFaults } from './browser.js';
import { tickets, TicketsPage } from './tickets-page.js';

const BROKEN = "import { http, step } from 'treadle';\n\nexport const { config, handler } = step({ name: 'Broken', triggers: [http('GET', '/broken')] }, async () => {\n";

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
  afterEach(function () {
    return shown.check(this.currentTest);
  });
  after(async () => {
    await shown?.close();
    await stopAllEngines();
  });

  const panel = (title: RegExp): Locator => page.locator('section').filter({ has: page.getByRole('heading', { name: title }) });
  const effects = (): Locator => page.getByText(/Settled in/).locator('xpath=../..');

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
    await panel(/^Checks/).getByText(/Engine .* is .*: http 127\.0\.0\.1:\d+/).waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
  });

  it('6 s: Enter sends it; the reply comes, the waterfall fills, and it ends with what it came to', async () => {
    await page.keyboard.press('Enter');
    await panel(/^1 · Send/).getByText('answered').waitFor();
    await panel(/^1 · Send/).getByText('201').first().waitFor();
    await page.getByText(/Settled in/).waitFor();
    await panel(/^2 · Watch it run/).getByRole('link', { name: /POST \/tickets/ }).waitFor();
    expect(await panel(/^2 · Watch it run/).getByText('It appears here by itself').count()).to.equal(0);
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
    }, 30_000);
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

  // The last one: Chromium asks whether it may open another program, and takes no key meanwhile.
  it('20 s: e opens the editor at the handler', async () => {
    await page.getByRole('heading', { name: 'Your app is running.' }).click();
    await page.keyboard.press('e');
    await waitUntil('the editor', async () => edited.length > 0);
    expect(edited[0]).to.match(/^vscode:\/\/file\/.*\/steps\/create-ticket\.step\.ts:\d+$/);
  });
});

function withBrokenStep(): string {
  const folder = tickets();
  writeFileSync(join(folder, 'steps/broken.step.ts'), BROKEN);
  return folder;
}
