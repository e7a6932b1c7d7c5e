import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { waitUntil } from '../support/wait-until.js';
import { accessibilityFaults, faultsInAllLooks } from './browser.js';
import { goTo } from './scale/page-moves.js';
import { tabTo } from './tab-to.js';
import { checkedAndClosed, TicketsPage } from './tickets-page.js';

const VIEWS = ['/', '/flows', '/flows?as=outline', '/endpoints', '/endpoints/CreateTicket/0', '/traces', '/logs', '/state', '/state/tickets', '/streams', '/queues', '/queues/ticket.triaged?tab=waiting', '/cron', '/cron?as=calendar', '/cron?as=expression', '/traces/capture', '/metrics', '/metrics?m=http.server.request.duration', '/modules', '/modules?tab=workers'] as const;
/** The views in the order of the navigation, and something that each alone has. */
const OWN: Readonly<Record<string, { readonly path: string; readonly own: string }>> = {
  Home: { path: '/', own: 'h2:text-is("1 · Send the first request")' }, Flows: { path: '/flows', own: '.react-flow__node' }, Endpoints: { path: '/endpoints', own: 'a[href$="/endpoints/CreateTicket/0"]' }, Traces: { path: '/traces', own: '[role=list][aria-label=Traces]' },
  Logs: { path: '/logs', own: '[role=listbox][aria-label^="Log lines"]' }, State: { path: '/state', own: '[role=navigation][aria-label=Groups]' }, Streams: { path: '/streams', own: '[role=navigation][aria-label=Streams]' }, Queues: { path: '/queues', own: '[role=region][aria-label=Subscriptions]' },
  Cron: { path: '/cron', own: 'button:text-is("Run now")' }, Metrics: { path: '/metrics', own: '[role=navigation][aria-label=Metrics]' }, Modules: { path: '/modules', own: 'h2:text-is("Engine")' },
};
const KEYS = [['f', 'Flows'], ['e', 'Endpoints'], ['t', 'Traces'], ['l', 'Logs'], ['s', 'State'], ['r', 'Streams'], ['q', 'Queues'], ['c', 'Cron'], ['m', 'Metrics'], ['o', 'Modules'], ['h', 'Home']] as const;

describe("the console's page", function () {
  this.timeout(120_000);
  // Each goes on from what the former ones did.
  this.bail(true);
  let shown: TicketsPage;
  let page: Page;
  let base = '';

  before(async function () {
    shown = await TicketsPage.open(this);
    ({ page, base } = shown);
  });
  checkedAndClosed(() => shown);

  it('tells who has no session how to get in', async () => {
    await page.goto(`${base}/traces`);
    await page.getByText('npx treadle console').first().waitFor();
  });

  it('lets a browser in by its link, sends the first request and shows its effects until they have settled', async () => {
    await page.goto(await shown.link());
    await page.getByRole('heading', { name: 'Your app is running.' }).waitFor();
    expect(new URL(page.url()).search).to.equal('');
    await page.getByRole('button', { name: /^Send/ }).press('Enter');
    await page.getByText(/Settled in/).waitFor();
    await page.getByRole('link', { name: 'TriageTicket' }).first().waitFor();
    await page.getByRole('link', { name: 'Waterfall', exact: true }).click();
    await page.getByRole('treeitem', { name: /TriageTicket/ }).first().waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Your app is running.' }).waitFor();
  });

  it('shows runs of others on Home as they come, and asks for none', async () => {
    await page.goto(`${base}/`);
    await page.getByText('The latest run.').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    const { traceId } = await shown.admin.call<{ readonly traceId: string }>('POST', '/run', { kind: 'http', method: 'GET', path: '/nowhere' });
    await page.locator(`a[href$="/traces/${traceId}"]`).first().waitFor();
    expect(asked.filter((url) => url.includes('/api/v1/traces?'))).to.deep.equal([]);
  });

  it('has every view, in the navigation and at its address, and each is itself', async () => {
    const navigation = page.getByRole('navigation', { name: 'Views' });
    await page.goto(`${base}/`);
    // The customer of the first request has no email. How much is wrong is said beside a name.
    await navigation.getByRole('link', { name: /^Home \d wrong$/ }).waitFor();
    expect(await navigation.getByRole('link').evaluateAll((links) => links.map((link) => [[...link.childNodes].filter(({ nodeName }) => nodeName === '#text').map(({ textContent }) => textContent).join(), link.getAttribute('href')]))).to.deep.equal(Object.entries(OWN).map(([title, { path }]) => [title, path]));
    expect(VIEWS.map((path) => `/${path.split(/[/?]/)[1] ?? ''}`)).to.include.members(Object.values(OWN).map(({ path }) => path));
    for (const path of VIEWS) {
      const title = Object.keys(OWN).find((one) => OWN[one]?.path === `/${path.split(/[/?]/)[1] ?? ''}`) ?? expect.fail(path);
      for (const visit of ['first', 'second']) {
        await (visit === 'first' ? goTo(page, path) : page.reload());
        await shown.settled();
        await page.getByRole('main', { name: title, exact: true }).getByRole('heading', { level: 1 }).waitFor();
        expect(await navigation.locator('[aria-current=page]').textContent(), path).to.contain(title);
        expect(await page.title(), path).to.match(new RegExp(`^${title} · `));
        expect(await page.getByText(/could not load|There is no such view| broke$/i).allTextContents(), path).to.deep.equal([]);
        expect(page.url(), path).to.equal(base + path);
      }
    }
    for (const [title, { path, own }] of Object.entries(OWN)) {
      await shown.visit(path);
      await page.getByRole('main', { name: title, exact: true }).locator(own).first().waitFor().catch(() => expect.fail(`${path} has no ${own}`));
    }
  });

  it('goes everywhere by keys, and says which there are', async () => {
    await page.goto(`${base}/modules`);
    await page.getByRole('main', { name: 'Modules' }).waitFor();
    for (const [key, title] of KEYS) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await page.getByRole('main', { name: title }).waitFor();
    }
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys that work here' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Name, id or command' }).fill('NotifyCus');
    await page.getByRole('option', { name: /^NotifyCustomer/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/step=NotifyCustomer/);
  });

  const keys = async (...pressed: readonly string[]): Promise<void> => {
    for (const key of pressed) await page.keyboard.press(key);
  };
  const leads = async (to: RegExp, ...pressed: readonly string[]): Promise<void> => {
    await keys(...pressed);
    await page.waitForURL(to);
  };

  it('can be toured by keyboard alone: find, open, move, fold, compare, follow to the log and back', async () => {
    await page.goto(`${base}/traces`);
    await page.getByRole('link', { name: /POST \/tickets/ }).first().waitFor();
    await keys('/');
    await page.keyboard.type('route:/tickets');
    await leads(/q=route:\/tickets/, 'Enter', 'Escape');
    await page.getByRole('link', { name: /handler|stream:/ }).first().waitFor({ state: 'detached' });
    await leads(/\/traces\/[0-9a-f]{32}$/, 'j', 'Enter');
    await page.getByRole('treeitem').first().waitFor();
    await leads(/span=/, 'j', 'j', 'j');
    await page.getByRole('complementary', { name: 'Inspector' }).waitFor();
    const spans = await page.getByRole('treeitem').count();
    await keys('1');
    await page.getByRole('treeitem').nth(spans - 1).waitFor({ state: 'detached' });
    await leads(/critical=only/, '9', 'c');
    await keys('Escape');
    await page.getByRole('complementary', { name: 'Inspector' }).waitFor({ state: 'detached' });
    await keys('g', 'l');
    await page.getByRole('listbox', { name: /^Log lines/ }).getByRole('option').first().waitFor();
    await keys('/');
    await page.keyboard.type('message:"ticket created"');
    await leads(/q=message/, 'Enter', 'Escape');
    await page.getByText(/^1 line$/).waitFor();
    await leads(/line=/, 'j');
    await leads(/\/traces\/[0-9a-f]{32}/, 't');
    await keys('g', 'f');
    await page.getByRole('tab', { name: 'Outline' }).waitFor();
    await leads(/as=outline/, 'o');
    await leads(/step=/, 'j');
    await keys('Control+k');
    await page.getByRole('combobox', { name: 'Name, id or command' }).waitFor();
    await page.keyboard.type('> dark and light');
    await keys('Enter');
    await page.locator('html[data-theme=light]').waitFor();
    await page.evaluate("localStorage.removeItem('treadle.theme')");
  });

  it('can be toured on by keyboard alone: state, streams, queues, cron, metrics, modules, and a request that is sent', async () => {
    /** Goes there by its keys, then by Tab to each of these, with Enter at each. */
    const follow = async (key: string, title: string, ...names: readonly (string | RegExp)[]): Promise<void> => {
      await keys('g', key);
      await page.getByRole('main', { name: title }).waitFor();
      for (const name of names) {
        await shown.settled();
        await tabTo(page, name);
        await keys('Enter');
      }
    };
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await shown.goto('/');
    await follow('s', 'State', 'tickets');
    await page.getByRole('listbox', { name: 'Keys' }).getByRole('option').first().waitFor();
    await keys('j');
    await inspector.getByText('Revision').waitFor();
    await tabTo(page, 'Value');
    await leads(/tab=history$/, 'ArrowRight');
    await keys('Escape');
    await follow('r', 'Streams', 'triaged');
    await page.getByRole('listbox', { name: 'Items' }).getByRole('option').first().waitFor();
    await keys('j');
    await inspector.getByRole('button', { name: 'Delete' }).waitFor();
    await keys('Escape');
    await follow('q', 'Queues', 'ticket.created');
    await page.waitForURL(/\/queues\/ticket\.created$/);
    await tabTo(page, /^Waiting/);
    await leads(/tab=done$/, 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight');
    await page.getByRole('region', { name: 'Done' }).getByRole('row').nth(1).waitFor();
    await leads(/msg=/, 'j');
    await follow('c', 'Cron', 'Run now');
    await page.waitForURL(/\/traces\/[0-9a-f]{32}$/);
    await follow('c', 'Cron');
    await page.getByRole('region', { name: 'Runs' }).getByText('by hand').waitFor();
    await tabTo(page, 'Triggers');
    await leads(/as=calendar$/, 'ArrowRight');
    await tabTo(page, /^\w{3} 2\d{3}-.* h: 1 run/);
    await leads(/hour=/, 'Enter');
    await follow('m', 'Metrics', 'process.memory.usage', 'As table');
    await page.waitForURL(/m=process\.memory\.usage&as=table$/);
    await follow('o', 'Modules', 'Modules');
    await leads(/tab=audit$/, 'ArrowRight', 'ArrowRight', 'ArrowRight');
    await follow('e', 'Endpoints', '/tickets');
    await page.waitForURL(/\/endpoints\/\w+\/0$/);
    await tabTo(page, /^Send/);
    await keys('Enter');
    await page.getByRole('region', { name: 'Result' }).getByText('200').first().waitFor();
  });

  it('moves through recorded time over the flow, by keys and by playing it', async () => {
    await shown.goto('/flows?scrub=shown');
    const recorded = page.getByRole('group', { name: 'Recorded time' });
    await recorded.getByText(/ran: .*waited in: /).waitFor();
    const seen: string[] = [];
    for (let move = 0; move < 12; move += 1) {
      await page.keyboard.press(']');
      seen.push(await recorded.getByRole('status').textContent() ?? '');
    }
    expect(seen.join()).to.contain('CreateTicket').and.to.contain('TriageTicket').and.to.contain('waited in: ticket.');
    await page.waitForURL(/at=\d+/);
    await page.reload();
    await recorded.getByText(seen.at(-1) ?? '').waitFor();
    const before = await recorded.getByRole('slider', { name: 'Moment' }).inputValue();
    await recorded.getByLabel('Speed').selectOption('10');
    await recorded.getByRole('button', { name: 'Play' }).click();
    await waitUntil('a later moment', async () => Number(await recorded.getByRole('slider', { name: 'Moment' }).inputValue()) > Number(before));
    expect(await accessibilityFaults(page)).to.deep.equal([]);
  });

  it('shows what a saved mistake breaks and where, and what mending it changed', async () => {
    const file = join(shown.folder, 'steps/create-ticket.step.ts');
    const right = readFileSync(file, 'utf8');
    const send = async (): Promise<number> => (await fetch(`${await shown.engine.address('http')}/tickets`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"title":"Lamp","priority":"low","customer":{"id":"c"}}' })).status;
    writeFileSync(file, right.replace('    logger.info(', "    if (isBroken(body)) throw new Error('broken on purpose');\n    logger.info(").replace('export const', 'const isBroken = (body: { priority: string }): boolean => body.priority !== "";\nexport const'));
    await waitUntil('the broken handler', async () => await send() === 500);
    await shown.goto('/endpoints/CreateTicket/0');
    await page.getByRole('button', { name: /^Send/ }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('500').first().waitFor();
    await result.getByText('broken on purpose').first().waitFor();
    await page.goto(`${base}/flows?as=outline`);
    await page.getByRole('row', { name: /CreateTicket/ }).getByText('■').waitFor();
    await page.goto(base);
    await page.getByRole('link', { name: 'I know my way' }).click();
    await page.getByRole('link', { name: /^CreateTicket fails: Error: broken on purpose/ }).click();
    await page.getByRole('treeitem', { name: /handler CreateTicket/, selected: true }).waitFor();
    await page.getByRole('complementary', { name: 'Inspector' }).getByText(/create-ticket\.step\.ts:\d+/).first().waitFor();
    writeFileSync(file, right);
    await waitUntil('the mended handler', async () => await send() === 201);
    await shown.goto('/endpoints/CreateTicket/0');
    await page.getByRole('button', { name: /^Send/ }).click();
    await result.getByText('201').first().waitFor();
    await result.getByRole('link', { name: 'Compare with the former' }).click();
    await page.getByText(/First difference: .*(broken on purpose|happened in the second trace alone)/).waitFor();
  });

  it('keeps a query, a selection and a tab in the address, and Back undoes the last of them', async () => {
    await page.goto(`${base}/traces`);
    await page.getByRole('searchbox', { name: 'Query traces' }).or(page.getByLabel('Query traces')).first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('status:error');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=status:error/);
    await page.getByRole('link', { name: /POST \/tickets/ }).first().click();
    await page.waitForURL(/\/traces\/[0-9a-f]{32}$/);
    await page.getByRole('treeitem', { name: /handler CreateTicket/ }).click();
    await page.waitForURL(/span=[0-9a-f]{16}/);
    await page.reload();
    await page.getByRole('complementary', { name: 'Inspector' }).getByText('handler CreateTicket').waitFor();
    await page.goBack();
    await page.goBack();
    await page.waitForURL(/\/traces\?q=status:error$/);
  });

  /** What a view shows beside its list, by what the API has. */
  const DETAILS: Readonly<Record<string, () => Promise<string>>> = {
    'a span and its trace': async () => `/traces/${await first('/traces?q=route:/tickets', 'traceId')}?cols=step.name&span=${(await shown.admin.call<{ readonly rows: readonly { readonly spanId: string }[] }>('GET', `/traces/${await first('/traces?q=route:/tickets', 'traceId')}`)).rows[0]?.spanId ?? ''}`,
    'two traces': async () => `/traces/${await first('/traces?q=route:/tickets', 'traceId')}?vs=${await first('/traces?q=route:/tickets', 'traceId')}`,
    'a line of the log': async () => `/logs?around=all&line=${await first('/logs?q=step:CreateTicket', 'id')}`,
    'a value of state': async () => `/state/tickets/${await first('/state/groups/tickets/keys', 'key')}`,
    'the history of a value': async () => `/state/tickets/${await first('/state/groups/tickets/keys', 'key')}?tab=history`,
    'an item of a stream': async () => `/streams/board/triaged/${await first('/streams/board/groups/triaged', 'id')}`,
    'a request and its effects': async () => `/endpoints/CreateTicket/0?req=${await first('/history', 'id')}`,
    'a Step': async () => '/flows?as=outline&step=CreateTicket',
  };
  const first = async (path: string, name: string): Promise<string> => String((await shown.admin.call<{ readonly items: readonly Readonly<Record<string, unknown>>[] }>('GET', path)).items[0]?.[name]);
  const faultless = async (path: string): Promise<void> => {
    await shown.visit(path);
    expect(await faultsInAllLooks(page)).to.deep.equal([]);
  };

  for (const [name, path] of Object.entries(DETAILS)) it(`has no serious fault for assistive techniques with ${name}, in both themes at 320, 768 and 1440 px`, async () => faultless(await path()));

  for (const path of VIEWS) {
    it(`has no serious fault for assistive techniques at ${path}, in both themes at 320, 768 and 1440 px`, () => faultless(path));
  }
});
