import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { checkedAndClosed, TicketsPage } from './tickets-page.js';

describe("a second look at the console's page", function () {
  this.timeout(240_000);
  let shown: TicketsPage;
  let page: Page;
  let traceId = '';

  before(async function () {
    shown = await TicketsPage.open(this);
    ({ page } = shown);
    await shown.signIn();
    ({ traceId } = await shown.sendTicket());
  });
  checkedAndClosed(() => shown);

  const main = (): Locator => page.getByRole('main');

  it('loads older log lines while those that are there fold into few rows, and leaves unfolded what is', async () => {
    const lines = '**/api/v1/logs?*';
    let letOlder: () => void = () => undefined;
    const isShown = new Promise<void>((resolve) => void (letOlder = resolve));
    let first: object | undefined;
    const pages: Readonly<Record<string, readonly [words: string, next?: number]>> = { '': ['newer words', 900_000], 900000: ['newer words', 800_000], 800000: ['older words'] };
    await page.route(lines, async (route) => {
      const cursor = new URL(route.request().url()).searchParams.get('cursor') ?? '';
      const [message, next] = pages[cursor] ?? [''];
      if (next === undefined) await isShown;
      const response = await route.fetch();
      const { items: [line], ...answer } = await response.json() as { readonly items: readonly object[] };
      first ??= line;
      await route.fulfill({ response, json: { ...answer, items: [3, 2, 1].map((at) => ({ ...first, id: Number(cursor || 1_000_000) - 10 + at, message })), cursor: next } });
    });
    await shown.goto('/logs?to=2100-01-01T00:00:00.000Z');
    const option = (words: string): Locator => main().getByRole('listbox', { name: /^Log lines/ }).getByRole('option').filter({ hasText: words });
    await option('newer words').getByTitle(/^6 times the same/).waitFor();
    letOlder();
    await option('older words').getByTitle(/^3 times the same/).click();
    await option('older words').nth(2).waitFor();
    await option('newer words').getByTitle(/^6 times the same/).click();
    await option('newer words').nth(5).waitFor();
    expect(await option('older words').count()).to.equal(3);
    await page.unroute(lines);
  });

  it('begins no stretch of time with another button than the first', async () => {
    await shown.goto(`/traces/${traceId}`);
    const map = main().getByRole('img', { name: /^The whole trace/ });
    await map.waitFor();
    const box = await map.boundingBox();
    const drag = async (button: 'left' | 'right'): Promise<number> => {
      await page.mouse.move((box?.x ?? 0) + 40, (box?.y ?? 0) + 10);
      await page.mouse.down({ button });
      await page.mouse.move((box?.x ?? 0) + 240, (box?.y ?? 0) + 10);
      const drawn = await map.locator('rect').count();
      await page.mouse.up({ button });
      return drawn;
    };
    const still = await map.locator('rect').count();
    expect(await drag('right')).to.equal(still);
    expect(await drag('left')).to.equal(still + 1);
    await page.waitForURL(/zoom=/);
  });

  it('leaves the focus at the attribute that traces are grouped by', async () => {
    await shown.goto('/traces?by=attribute');
    const name = main().getByRole('textbox', { name: 'Attribute' });
    await name.fill('http.request.method');
    await page.keyboard.press('Enter');
    await page.waitForURL(/by=http\.request\.method/);
    await main().getByRole('row', { name: /POST/ }).waitFor();
    expect(await name.evaluate((input) => input === input.ownerDocument.activeElement)).to.equal(true);
    await page.goBack();
    await main().getByText('Name an attribute').waitFor();
    expect(await name.inputValue()).to.equal('');
  });

  it('leaves the button of a watch where it is when its mark goes', async () => {
    await page.evaluate(`localStorage.setItem('treadle.watches', '[{"kind":"logs","q":"step:CreateTicket"}]')`);
    await shown.goto('/queues');
    const watched = page.getByRole('list', { name: 'Watched' });
    await page.getByTitle('Whether changes arrive as they happen').filter({ hasText: 'Live' }).waitFor();
    await page.mouse.move(0, 0);
    await watched.getByText('none yet').waitFor();
    await shown.sendTicket();
    await watched.getByTitle('It changed since you looked').waitFor();
    const button = watched.getByRole('button', { name: 'Watch step:CreateTicket no longer' });
    const before = await button.boundingBox();
    await watched.getByRole('link', { name: 'step:CreateTicket' }).hover();
    await watched.getByTitle('It changed since you looked').waitFor({ state: 'detached' });
    expect(await button.boundingBox()).to.deep.equal(before);
    await button.click();
  });

  it('says of a trace that is watched that it is not known, where the engine did not say that it is not kept', async () => {
    await page.evaluate(`localStorage.setItem('treadle.watches', '[{"kind":"trace","id":"${'f'.repeat(32)}","name":"POST /tickets"}]')`);
    const trace = '**/api/v1/traces/ffff*';
    await page.route(trace, (route) => route.fulfill({ status: 503, contentType: 'application/problem+json', body: '{"status":503,"code":"busy","title":"x","detail":"later"}' }));
    await shown.goto('/queues');
    const watched = page.getByRole('list', { name: 'Watched' });
    await watched.getByText('not known').waitFor();
    await page.unroute(trace);
    await shown.goto('/queues');
    await watched.getByText('not kept').waitFor();
    await watched.getByRole('button', { name: 'Watch POST /tickets no longer' }).click();
  });

  it('shows a key no longer that was deleted here, in the tree and in a search', async () => {
    for (const key of ['a:1', 'a:2', 'a:3']) await shown.admin.call('PUT', `/state/groups/looked/keys/${key}`, { value: 'here' });
    for (const [at, key] of [['as=tree&prefix=a:', 'a:1'], ['as=search&q=here', 'a:2']] as const) {
      await shown.goto(`/state/looked/${key}?${at}`);
      const option = main().getByRole('option', { selected: true });
      await option.waitFor();
      await page.getByRole('complementary', { name: 'Inspector' }).getByRole('button', { name: 'Delete' }).click();
      await option.waitFor({ state: 'detached' });
    }
  });

  it('undoes the deletion of a key, unless it was written meanwhile', async () => {
    const undo = async (key: string): Promise<void> => {
      await shown.goto(`/state/looked/${key}`);
      await page.getByRole('complementary', { name: 'Inspector' }).getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('status').filter({ hasText: `Deleted ${key}` }).getByRole('button', { name: 'Undo' }).waitFor();
    };
    const value = async (): Promise<unknown> => (await shown.admin.call<{ readonly value: unknown }>('GET', '/state/groups/looked/keys/b')).value;
    await shown.admin.call('PUT', '/state/groups/looked/keys/b', { value: { was: 'here' } });
    await undo('b');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('status').filter({ hasText: 'Restored b' }).waitFor();
    expect(await value()).to.deep.equal({ was: 'here' });
    await undo('b');
    await shown.admin.call('PUT', '/state/groups/looked/keys/b', { value: 'another' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('status').filter({ hasText: /has revision \d+, not revision 0|does not exist/ }).waitFor();
    expect(await value()).to.equal('another');
  });
});
