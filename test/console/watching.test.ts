import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { waitUntil } from '../support/wait-until.js';
import { accessibilityFaults } from './browser.js';
import { checkedAndClosed, TicketsPage } from './tickets-page.js';

/** Kept by the page in place of what the browser would show. */
interface Told {
  readonly told: readonly string[];
}

/** Stands for the browser's own, which no test can see; it has been allowed. */
const NOTIFICATION = `
  globalThis.told = [];
  globalThis.Notification = class { static permission = 'granted'; static async requestPermission() { return 'granted'; } constructor(text) { globalThis.told.push(text); } };
  document.hasFocus = () => globalThis.looksAway !== true;
`;

describe("what the console's page keeps in sight", function () {
  this.timeout(240_000);
  let shown: TicketsPage;
  let page: Page;
  let traceId = '';

  before(async function () {
    shown = await TicketsPage.open(this);
    ({ page } = shown);
    await page.addInitScript(NOTIFICATION);
    await shown.signIn();
    ({ traceId } = await shown.sendTicket());
    for (const [key, value] of [['eu:1', { city: 'Bern', open: true }], ['eu:2', { city: 'Basel', open: false }], ['us:1', { city: 'Boise' }], ['plain', 41]] as const) await put(key, value);
  });
  checkedAndClosed(() => shown);

  const put = (key: string, value: unknown): Promise<unknown> => shown.admin.call('PUT', `/state/groups/places/keys/${encodeURIComponent(key)}`, { value });
  const main = (): Locator => page.getByRole('main');
  const watched = (): Locator => page.getByRole('list', { name: 'Watched' });
  const titled = (text: RegExp): Promise<unknown> => waitUntil(`a title like ${String(text)}`, async () => text.test(await page.title()));
  const fits320 = async (): Promise<void> => {
    await page.setViewportSize({ width: 320, height: 700 });
    expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).to.be.at.most(0);
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await page.setViewportSize({ width: 1440, height: 900 });
  };

  it('groups traces by Step, by error and by any attribute, and leads from a group to its traces', async () => {
    await shown.goto('/traces?q=-trigger:stream.declaration');
    await page.keyboard.press('b');
    await page.waitForURL(/by=step/);
    const table = main().getByRole('region', { name: 'Traces by Step, the most frequent first' });
    await table.getByRole('cell', { name: 'CreateTicket' }).waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await table.getByRole('row').filter({ hasText: 'TriageTicket' }).getByRole('button', { name: 'Show' }).click();
    await page.waitForURL((url) => url.searchParams.get('q') === '-trigger:stream.declaration step:TriageTicket' && !url.searchParams.has('by'));
    await main().getByRole('list', { name: 'Traces' }).getByText('POST /tickets').first().waitFor();
    await shown.goto('/traces?by=step');
    await main().getByLabel('Group traces by').selectOption({ label: 'By an attribute…' });
    await main().getByLabel('Attribute').fill('state.group');
    await page.keyboard.press('Enter');
    await page.waitForURL(/by=state.group/);
    await main().getByRole('cell', { name: 'tickets', exact: true }).waitFor();
    await main().getByRole('note').filter({ hasText: 'no such value' }).waitFor();
    await fits320();
  });

  it('shows the critical path until the reply, and back', async () => {
    await shown.goto(`/traces/${traceId}`);
    await main().getByText(/Critical path to the last effect/).waitFor();
    await page.keyboard.press('u');
    await page.waitForURL(/until=reply/);
    await main().getByText(/Critical path to the reply/).waitFor();
    await main().getByRole('button', { name: /^Until the reply/ }).click();
    await main().getByText(/Critical path to the last effect/).waitFor();
  });

  it('folds the idle time of a trace, unfolds it, and zooms by the wheel and over the axis', async () => {
    const found = '**/api/v1/traces/*?*';
    await page.route(found, async (route) => {
      const response = await route.fetch();
      const view = await response.json() as { readonly rows: readonly { readonly startTime: number; readonly depth: number }[] };
      // As if the second half had come three hours later.
      const late = Math.floor(view.rows.length / 2);
      await route.fulfill({ response, json: { ...view, rows: view.rows.map((row, at) => (at < late ? row : { ...row, startTime: row.startTime + 10_800_000, wait: undefined })) } });
    });
    await shown.goto(`/traces/${traceId}`);
    const fold = main().getByRole('button', { name: /^Unfold (?:2 h 59|3 h 0) min idle/ });
    await fold.waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await fold.click();
    await page.waitForURL(/idle=\d+/);
    await fold.waitFor({ state: 'detached' });
    await page.keyboard.press('i');
    await fold.waitFor();
    await page.keyboard.press('i');
    await page.waitForURL(/idle=shown/);
    await page.keyboard.press('i');
    const box = await main().getByRole('tree', { name: 'Spans' }).boundingBox();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * 0.6, (box?.y ?? 0) + 40);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
    await page.waitForURL(/zoom=[\d.]+-[\d.]+/);
    // A browser lets a page change its address only so often.
    expect(await page.evaluate(`(() => {
      const [write, tree] = [history.replaceState, document.querySelector('[role=tree]')];
      let written = 0;
      history.replaceState = (...given) => {
        written += 1;
        write.apply(history, given);
      };
      for (let at = 0; at < 100; at += 1) tree.dispatchEvent(new WheelEvent('wheel', { deltaY: -2, ctrlKey: true, bubbles: true, cancelable: true, clientX: 900 }));
      history.replaceState = write;
      return written;
    })()`)).to.be.at.most(1);
    await main().getByRole('button', { name: 'Whole trace' }).click();
    await fits320();
    await page.unroute(found);
  });

  it('folds log lines that repeat each other, with their number, and shows each again', async () => {
    const lines = '**/api/v1/logs?*';
    await page.route(lines, async (route) => {
      const response = await route.fetch();
      const answer = await response.json() as { readonly items: readonly { readonly id: number; readonly timestamp: string }[] };
      const [first] = answer.items;
      const again = Array.from({ length: 7 }, (_, at) => ({ ...first, id: 900_000 - at, message: 'no answer from the mail server', level: 'error', fields: { host: 'mx1' } }));
      await route.fulfill({ response, json: { ...answer, items: first ? [...again, ...answer.items] : [] } });
    });
    await shown.goto('/logs?to=2100-01-01T00:00:00.000Z');
    const list = main().getByRole('listbox', { name: /^Log lines/ });
    const same = list.getByRole('option').filter({ hasText: 'no answer from the mail server' });
    await same.filter({ hasText: /7/ }).first().click();
    expect(await same.count()).to.equal(1);
    await page.getByRole('complementary', { name: 'Inspector' }).getByText(/7 lines in a row/).waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await page.keyboard.press('ArrowRight');
    await same.nth(6).waitFor();
    await page.keyboard.press('ArrowLeft');
    await same.nth(1).waitFor({ state: 'detached' });
    await page.keyboard.press('r');
    await page.waitForURL(/repeats=apart/);
    await same.nth(6).waitFor();
    await page.unroute(lines);
  });

  it('searches values, and says at how many keys it looked', async () => {
    await shown.goto('/state/places');
    await page.getByRole('tab', { name: 'Search values' }).click();
    await main().getByText('Search names and values').waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await page.keyboard.press('/');
    await page.keyboard.type('city:B* open:true');
    await page.keyboard.press('Enter');
    await main().getByText('Looked at all 4 keys: 1 fits.').waitFor();
    await main().getByRole('listbox', { name: 'Keys that fit' }).getByText('eu:1').click();
    await page.waitForURL(/\/state\/places\/eu%3A1\?.*as=search/);
    await page.getByRole('complementary', { name: 'Inspector' }).getByText('Bern').first().waitFor();
    await page.getByRole('button', { name: 'Close the inspector' }).click();
    await page.waitForURL((url) => url.pathname.endsWith('/state/places') && url.searchParams.get('q') === 'city:B* open:true');
    await shown.goto('/state/places?as=search&q=revision:many');
    await page.getByRole('alert').filter({ hasText: '"revision" is a number' }).first().waitFor();
    await shown.goto('/state/places?as=search&q=nobody');
    await page.getByRole('status').filter({ hasText: 'No keys match this query' }).waitFor();
    const search = '**/api/v1/state/groups/places/search?*';
    await page.route(search, (route) => (route.request().url().includes('cursor=') ? route.fulfill({ status: 503, contentType: 'application/problem+json', body: '{"status":503,"code":"state_unavailable","title":"x","detail":"the store is away"}' })
      : route.fulfill({ contentType: 'application/json', body: '{"items":[],"examined":20000,"cursor":"more"}' })));
    await shown.goto('/state/places?as=search&q=somebody');
    await page.getByRole('button', { name: 'Look on' }).click();
    await main().getByText('The last look failed: the store is away').waitFor();
    await page.unroute(search);
    await fits320();
  });

  it('shows keys as a tree of what they begin with', async () => {
    await shown.goto('/state/places');
    await page.keyboard.press('b');
    const tree = main().getByRole('listbox', { name: 'What keys begin with' });
    await tree.getByRole('option', { name: /eu: ?2 keys/ }).waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await tree.getByRole('option', { name: /eu: ?2 keys/ }).click();
    await page.waitForURL(/prefix=eu:/);
    await tree.getByRole('option').filter({ hasText: '2' }).click();
    await page.waitForURL(/\/state\/places\/eu%3A2\?/);
    await page.getByRole('complementary', { name: 'Inspector' }).getByText('Basel').first().waitFor();
    await page.goBack();
    await page.keyboard.press('ArrowLeft');
    await tree.getByRole('option', { name: /us:/ }).waitFor();
    await fits320();
  });

  it('keeps a key in sight in all views, and marks it when it was written', async () => {
    await shown.goto('/state/places/plain');
    await page.getByRole('complementary', { name: 'Inspector' }).getByRole('button', { name: 'Watch', exact: true }).click();
    await watched().getByText('41').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await page.getByRole('main', { name: 'Logs' }).waitFor();
    await page.getByTitle('Whether changes arrive as they happen').filter({ hasText: 'Live' }).waitFor();
    await shown.settled();
    expect(await watched().getByTitle('It changed since you looked').count()).to.equal(0);
    await put('plain', 42);
    await watched().getByText('42').waitFor();
    await watched().getByTitle('It changed since you looked').waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    // Nothing moves away from the pointer that comes.
    const leave = watched().getByRole('button', { name: 'Watch places/plain no longer' });
    const place = await leave.boundingBox();
    await leave.hover();
    await watched().getByTitle('It changed since you looked').waitFor({ state: 'detached' });
    expect(await leave.boundingBox()).to.deep.equal(place);
    const value = '**/api/v1/state/groups/places/keys/plain';
    await page.route(value, (route) => route.fulfill({ status: 503, contentType: 'application/problem+json', body: '{"status":503,"code":"state_unavailable","title":"x","detail":"the store is away"}' }));
    await page.mouse.move(0, 0);
    await put('plain', 43);
    await watched().getByText('not known').waitFor();
    expect(await watched().getByTitle('It changed since you looked').count(), 'what is not known has not changed').to.equal(0);
    await page.unroute(value);
    await fits320();
    await leave.click();
    await watched().waitFor({ state: 'detached' });
  });

  it('tells when a line fits a query and when a queue is empty, in the title too while nobody looks', async () => {
    await shown.goto('/logs?q=step:CreateTicket');
    await page.getByTitle('Whether changes arrive as they happen').filter({ hasText: 'Live' }).waitFor();
    await page.getByRole('button', { name: 'Notify on a match' }).click();
    await shown.admin.call('POST', '/queues/pause', { step: 'TriageTicket' });
    await shown.goto('/queues/ticket.created');
    await page.getByRole('button', { name: 'Notify when empty' }).click();
    await page.getByTitle('Whether changes arrive as they happen').filter({ hasText: 'Live' }).waitFor();
    await page.evaluate('globalThis.looksAway = true');
    const http = await shown.engine.address('http');
    await fetch(`${http}/tickets`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ title: 'Lamp', priority: 'normal', customer: { id: 'c-1', email: 'c@example.com' } }) });
    await watched().getByText(/[1-9]\d* left/).waitFor();
    await watched().getByText(/[1-9]\d* since/).waitFor();
    await titled(/^\(1\) /);
    await shown.admin.call('POST', '/queues/resume', { step: 'TriageTicket' });
    await titled(/^\(2\) /);
    const { told } = await page.evaluate('({ told: globalThis.told })') as Told;
    expect(told[0]).to.match(/^A line fits step:CreateTicket: /);
    expect(told[1]).to.match(/^ticket\.created is empty/);
    await page.evaluate('globalThis.looksAway = false; window.dispatchEvent(new Event("focus"))');
    await titled(/^[^(]/);
    await page.reload();
    await watched().getByText('empty').waitFor();
    expect(await page.getByRole('status').filter({ hasText: 'ticket.created is empty' }).count(), 'it was empty before').to.equal(0);
    for (const name of ['step:CreateTicket', 'ticket.created']) await watched().getByRole('button', { name: `Watch ${name} no longer` }).click();
    await watched().waitFor({ state: 'detached' });
  });

  it('asks a person for permission when a watch begins, not when it ends, and needs none', async () => {
    await shown.goto('/queues/ticket.created');
    await page.evaluate("globalThis.asked = 0; Notification.permission = 'default'; Notification.requestPermission = async () => { globalThis.asked += 1; return 'denied'; }");
    const button = page.getByRole('button', { name: 'Notify when empty' });
    for (const state of ['visible', 'detached'] as const) {
      await button.click();
      await watched().waitFor({ state });
      expect(await page.evaluate('globalThis.asked'), state).to.equal(1);
    }
    await shown.goto('/logs?q=step:CreateTicket');
    await page.getByTitle('Whether changes arrive as they happen').filter({ hasText: 'Live' }).waitFor();
    await page.evaluate("globalThis.Notification = class { static permission = 'granted'; constructor() { throw new TypeError('Illegal constructor'); } }; globalThis.looksAway = true");
    await page.getByRole('button', { name: 'Notify on a match' }).click();
    await waitUntil('a title that counts', async () => {
      await shown.sendTicket();
      return /^\(1\) /.test(await page.title());
    });
    await page.evaluate('globalThis.looksAway = false; window.dispatchEvent(new Event("focus"))');
    await watched().getByRole('button', { name: 'Watch step:CreateTicket no longer' }).click();
    await watched().waitFor({ state: 'detached' });
  });

  it('says what it could not follow: a query that is none, and what was lost with an engine', async () => {
    const watches = [{ kind: 'logs', q: '(' }, { kind: 'logs', q: 'nobody-says-this' }, { kind: 'trace', id: traceId, name: 'POST /tickets' }];
    await page.evaluate(`localStorage.setItem('treadle.watches', ${JSON.stringify(JSON.stringify(watches))})`);
    await shown.goto('/state');
    const [none, line, trace] = watches.map((_, at) => watched().getByRole('listitem').nth(at)) as [Locator, Locator, Locator];
    await none.getByText(/not followed: /).waitFor();
    await line.getByText('none yet').waitFor();
    await trace.getByText('settled').waitFor();
    await shown.engine.stop('SIGKILL');
    await page.getByRole('alert').filter({ hasText: 'The engine is gone' }).waitFor();
    await shown.start();
    await line.getByText('none seen').waitFor();
    await trace.getByText('not kept').waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
  });
});
