import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { stopAllEngines } from '../support/engine-process.js';
import { TicketsPage } from './tickets-page.js';

/** More than a browser has connections to one host for requests. */
const TABS = ['/', '/flows?as=outline', '/traces', '/logs', '/state/shared', '/streams/board/triaged', '/queues', '/cron'];

describe('several tabs of the console', function () {
  this.timeout(240_000);
  let shown: TicketsPage;
  const pages: Page[] = [];
  const faults: string[] = [];

  before(async function () {
    shown = await TicketsPage.open(this);
    await shown.admin.call('PUT', '/state/groups/shared/keys/one', { value: 'first' });
    await shown.signIn();
    for (const [at, path] of TABS.entries()) {
      const page = at === 0 ? shown.page : await shown.context.newPage();
      page.setDefaultTimeout(60_000);
      page.on('pageerror', (error) => faults.push(`${path}: ${String(error)}`));
      await page.goto(shown.base + path);
      pages.push(page);
    }
  });
  afterEach(async function () {
    await shown.check(this.currentTest);
    expect(faults.splice(0)).to.deep.equal([]);
  });
  after(async () => {
    await shown?.close();
    await stopAllEngines();
  });

  const each = (work: (page: Page, path: string) => Promise<unknown>): Promise<unknown> => Promise.all(pages.map((page, at) => work(page, TABS[at] ?? '').catch((error: unknown) => expect.fail(`${TABS[at] ?? ''}: ${String(error)}`))));
  const at = (path: string): Page => pages[TABS.indexOf(path)] ?? expect.fail(path);
  const live = (page: Page, word: string): Promise<void> => page.getByTitle('Whether changes arrive as they happen').filter({ hasText: word }).waitFor();

  it('show what is changed in one of them, and do not overwrite it in another', async () => {
    const one = at('/state/shared');
    const other = at('/cron');
    await other.goto(`${shown.base}/state/shared/one`);
    await one.getByRole('option', { name: /^one/ }).click();
    for (const page of [one, other]) {
      await page.getByRole('complementary', { name: 'Inspector' }).getByRole('button', { name: 'Edit', exact: true }).click();
      await page.getByRole('textbox', { name: 'Value of one' }).focus();
      for (const key of ['Control+a', 'Delete']) await page.keyboard.press(key);
      await page.keyboard.insertText(page === one ? '"by one"' : '"by the other"');
    }
    await one.getByRole('button', { name: /^Save over revision 1/ }).click();
    await one.getByRole('complementary', { name: 'Inspector' }).getByText('by one').first().waitFor();
    await other.getByText('It was written meanwhile').waitFor();
    await other.getByRole('button', { name: /^Save over revision 1/ }).click();
    await other.getByRole('dialog', { name: 'Somebody wrote it meanwhile' }).getByText('by one').first().waitFor();
    expect((await shown.admin.call<{ readonly value: unknown }>('GET', '/state/groups/shared/keys/one')).value).to.equal('by one');
    await other.keyboard.press('Escape');
    await other.goto(`${shown.base}/cron`);
  });

  it('share the theme and saved views', async () => {
    const [one, other] = [at('/logs'), at('/queues')];
    const before = await other.locator('html').getAttribute('data-theme');
    await one.getByRole('button', { name: /^Use the .* theme$/ }).click();
    await other.locator(`html[data-theme=${before === 'dark' ? 'light' : 'dark'}]`).waitFor();
    await one.keyboard.press('v');
    await one.keyboard.type('Shared');
    await one.keyboard.press('Enter');
    await other.bringToFront();
    await other.keyboard.press('v');
    await other.getByRole('dialog').getByRole('link', { name: 'Shared' }).waitFor();
    await other.keyboard.press('Escape');
  });

  it('all say that the engine is gone and all come back', async () => {
    await shown.engine.stop('SIGKILL');
    await each((page) => page.getByRole('alert').filter({ hasText: 'What you see is as it was then' }).waitFor());
    await shown.start();
    await each((page) => live(page, 'Live'));
    await each(async (page) => expect(await page.getByText(/The engine is gone|Could not load/).count()).to.equal(0));
  });
});
