import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Locator, Page, Route } from 'playwright-core';
import { stopAllEngines } from '../support/engine-process.js';
import { waitUntil } from '../support/wait-until.js';
import { accessibilityFaults } from './browser.js';
import { checkedAndClosed, tickets, TicketsPage } from './tickets-page.js';

interface View {
  readonly path: string;
  readonly title: string;
  /** Key after `g`. */
  readonly key: string;
  /** Of the sample, when it is there. */
  readonly ready: RegExp | string;
  /** Of an application without Steps; absent: an engine always has something to show there. */
  readonly empty?: string;
}

const VIEWS: readonly View[] = [
  { path: '/', title: 'Home', key: 'h', ready: /Your app is running|What is wrong now|Nothing is wrong/ },
  { path: '/flows?as=outline', title: 'Flows', key: 'f', ready: /CreateTicket|Following|all flows/, empty: 'No Steps were found' },
  { path: '/endpoints', title: 'Endpoints', key: 'e', ready: 'CreateTicket', empty: 'No HTTP Steps' },
  { path: '/traces', title: 'Traces', key: 't', ready: 'POST /tickets', empty: 'Nothing recorded yet' },
  { path: '/logs', title: 'Logs', key: 'l', ready: 'ticket created' },
  { path: '/state', title: 'State', key: 's', ready: 'tickets', empty: 'No state written yet' },
  { path: '/streams', title: 'Streams', key: 'r', ready: /board ·/, empty: 'No stream is declared' },
  { path: '/queues', title: 'Queues', key: 'q', ready: 'ticket.created', empty: 'No Step consumes a topic' },
  { path: '/cron', title: 'Cron', key: 'c', ready: 'DailyDigest', empty: 'No Step has a cron trigger' },
  { path: '/metrics', title: 'Metrics', key: 'm', ready: 'http.server.request.duration' },
  { path: '/modules', title: 'Modules', key: 'o', ready: 'HttpModule' },
];

/** Lists with a query that nothing fits, and what there is without it. */
const FILTERED = [
  ['/traces?q=step:Nobody', 'traces', 'POST /tickets'], ['/logs?q=step:Nobody', 'lines', 'ticket created'], ['/logs?q=step:Nobody&as=patterns', 'lines', 'ticket created'],
  ['/state/tickets?prefix=no-such', 'keys', 'rev '], ['/endpoints?q=no-such', 'endpoints', 'CreateTicket'],
] as const;

const API = '**/api/v1/**';
const FULL_DISK = { status: 503, contentType: 'application/problem+json', body: '{"status":503,"code":"storage_unavailable","detail":"the disk is full"}' };

describe('views of the console over the tickets sample', function () {
  this.timeout(240_000);
  let shown: TicketsPage;
  let page: Page;

  before(async function () {
    ({ page } = shown = await TicketsPage.open(this));
    await shown.signIn();
    await shown.sendTicket();
  });
  checkedAndClosed(() => shown);

  const main = (): Locator => page.getByRole('main');
  const ready = async ({ path, ready: text }: View): Promise<void> => main().getByText(text).filter({ visible: true }).first().waitFor().catch(() => expect.fail(`${path} does not show ${String(text)}`));
  /** All that a view asks for; who asks and which plugins there are is the page's own. */
  const answer = (how: (route: Route) => unknown): Promise<unknown> => page.route(API, (route) => (/\/(?:meta|plugins\/views|views)$/.test(new URL(route.request().url()).pathname) ? route.continue() : how(route)));

  it('say that nothing fits, with the query, and drop it by one click', async () => {
    for (const [path, what, text] of FILTERED) {
      await page.goto(shown.base + path);
      const note = page.getByRole('status').filter({ hasText: `No ${what} match this query` });
      await note.getByText(/Nobody|no-such/).waitFor();
      await note.getByRole('button', { name: `Show all ${what}` }).click();
      await main().getByText(text).first().waitFor();
      expect(page.url(), path).not.to.match(/Nobody|no-such/);
    }
    await page.goto(`${shown.base}/traces?q=duration:%3Esoon`);
    await page.getByRole('alert').filter({ hasText: 'soon' }).first().waitFor();
    expect(await page.getByText('No traces match').count(), 'a bad query is no empty list').to.equal(0);
  });

  it('say what is not kept, beside what is', async () => {
    const logs = '**/api/v1/logs?*';
    await page.route(logs, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...await response.json() as object, note: 'logs_sampling_ratio 0.5: about 1 of 2 is kept' } });
    });
    await page.goto(`${shown.base}/logs`);
    await main().getByText('about 1 of 2 is kept').waitFor();
    await main().getByText('ticket created').first().waitFor();
    await page.unroute(logs);
  });

  it('say in each view that the engine is gone and that what they show is old, and lose the mark when it is back', async () => {
    await shown.goto('/');
    const go = async (key: string, title: string): Promise<void> => {
      for (const one of ['g', key]) await page.keyboard.press(one);
      await page.getByRole('main', { name: title }).waitFor();
    };
    const live = page.getByTitle('Whether changes arrive as they happen');
    await live.filter({ hasText: 'Live' }).waitFor();
    for (const view of VIEWS) {
      await go(view.key, view.title);
      await shown.settled();
      await ready(view);
    }
    await shown.engine.stop('SIGKILL');
    const gone = page.getByRole('alert').filter({ hasText: /The engine is gone since .*What you see is as it was then/ });
    await gone.waitFor();
    for (const view of VIEWS) {
      await go(view.key, view.title);
      await ready(view);
      expect([view.path, await gone.count(), await live.textContent()]).to.deep.equal([view.path, 1, '■Gone']);
    }
    await shown.start();
    await page.getByRole('status').filter({ hasText: /The engine is back\. Between .* nothing was seen/ }).waitFor();
    for (const view of VIEWS) {
      await go(view.key, view.title);
      await shown.settled();
      // What was asked while it was gone is asked anew.
      await waitUntil(`${view.path} without a mark`, async () => await page.getByText(/Not up to date|Could not load/).count() === 0);
      expect(await gone.count(), view.path).to.equal(0);
    }
    await live.filter({ hasText: 'Live' }).waitFor();
  });

  it('say that they load while the engine has not answered, and show what there is when it has', async () => {
    await shown.sendTicket();
    // Without the live channel each view has what it asks for and nothing else.
    await page.routeWebSocket(/\/api\/v1\/live/, (socket) => void socket.close());
    for (const view of VIEWS) {
      const held: Route[] = [];
      let holds = true;
      await answer((route) => (holds ? held.push(route) : route.continue()));
      await page.goto(shown.base + view.path);
      await main().getByRole('status', { name: /^Loading/ }).first().waitFor();
      expect(await page.getByText(/Could not load|Nothing recorded|No state|No Step/).count(), view.path).to.equal(0);
      expect(await main().getByText(view.ready).filter({ visible: true }).count(), view.path).to.equal(0);
      holds = false;
      await Promise.all(held.map((route) => route.continue()));
      await ready(view);
      await page.unroute(API);
    }
  });

  it('say that they could not load and why, and show what there is when one tries again', async () => {
    for (const view of VIEWS) {
      await answer((route) => route.fulfill(FULL_DISK));
      await page.goto(shown.base + view.path);
      const failed = main().getByRole('alert').filter({ hasText: 'Could not load' });
      await failed.first().getByText('the disk is full').first().waitFor();
      await failed.first().getByText('storage_unavailable · HTTP 503').waitFor();
      expect(await accessibilityFaults(page), view.path).to.deep.equal([]);
      await page.unroute(API);
      const again = failed.getByRole('button', { name: 'Try again' });
      await again.first().click();
      // What is there then may have parts that were asked for before.
      await waitUntil(`${view.path} without a fault`, async () => {
        await again.evaluateAll((buttons) => buttons.forEach((one) => one.click()));
        return await failed.count() === 0;
      });
      await ready(view);
    }
  });
});

describe('views of the console over an application without Steps', function () {
  this.timeout(120_000);
  let shown: TicketsPage;

  before(async function () {
    shown = await TicketsPage.open(this, withoutSteps);
    await shown.signIn();
  });
  after(async () => {
    await shown?.close();
    await stopAllEngines();
  });

  it('say that nothing is there yet, and what would make it come', async () => {
    for (const { path, empty } of VIEWS) {
      await shown.visit(path);
      if (empty !== undefined) await shown.page.getByRole('status').filter({ hasText: empty }).waitFor();
      expect(await shown.page.getByText('Could not load').count(), path).to.equal(0);
      expect(await accessibilityFaults(shown.page), path).to.deep.equal([]);
    }
    await shown.goto('/');
    await shown.page.getByText('steps/hello.step.ts').waitFor();
    expect(shown.faults).to.deep.equal([]);
  });
});

function withoutSteps(): string {
  const folder = tickets();
  for (const name of ['steps', 'streams']) rmSync(join(folder, name), { recursive: true, force: true });
  return folder;
}
