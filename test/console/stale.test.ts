import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { waitUntil } from '../support/wait-until.js';
import { checkedAndClosed, type SentTicket, TicketsPage } from './tickets-page.js';

const FULL_DISK = { status: 503, contentType: 'application/problem+json', body: '{"status":503,"code":"storage_unavailable","detail":"the disk is full"}' };
const MANY = 250;
/** Longest time until a fault is told. */
const TOLD_MS = 60_000;

/** One answer of several that a view asks for, and where its fault is told. */
const ENDPOINTS: readonly (readonly [endpoint: RegExp, view: string, not?: string])[] = [
  [/\/findings$/, '/flows?as=findings', 'What was seen is what was declared'], [/\/findings$/, '/'], [/\/traces\?/, '/flows?scrub=shown', 'No run is recorded'], [/\/traces\/[0-9a-f]{32}/, '/flows?scrub=shown', 'No run is recorded'],
  [/\/traces\/TRACE/, '/flows?trace=TRACE'], [/\/queues\/rates/, '/queues'], [/\/dead-letters\/groups/, '/queues/ticket.created?tab=dead'], [/\/cron\/calendar/, '/cron'], [/\/cron\/runs/, '/cron'], [/\/metrics\/lines/, '/metrics'],
  [/\/logs\/facets/, '/logs'], [/\/logs\/histogram/, '/logs'], [/\/traces\/TRACE\/path/, '/traces/TRACE?until=reply'], [/\/streams\/board\/groups/, '/streams'], [/\/workers/, '/modules?tab=workers'], [/\/meta$/, '/modules'],
  [/\/traces\/TRACE\?/, '/traces/TRACE?vs=OTHER&step=TriageTicket', 'has not run in both yet'],
];

describe('what the console shows when a part cannot be had, or is old', function () {
  this.timeout(240_000);
  let shown: TicketsPage;
  let page: Page;
  let [sent, other]: readonly SentTicket[] = [];

  before(async function () {
    ({ page } = shown = await TicketsPage.open(this));
    await shown.signIn();
    [sent, other] = [await shown.sendTicket(), await shown.sendTicket('Lamp is loud')];
  });
  checkedAndClosed(() => shown);

  const main = (): Locator => page.getByRole('main');
  const named = (text: string): string => text.replace('TRACE', sent?.traceId ?? '').replace('OTHER', other?.traceId ?? '');
  const note = (text: string | RegExp): Locator => main().getByRole('note').filter({ hasText: text });

  it('is the reason, for each answer that a view asks for beside others', async () => {
    const alone = await shown.context.newPage();
    // Without the live channel, which would bring some of the answers.
    await alone.routeWebSocket(/\/api\/v1\/live/, (socket) => void socket.close());
    const silent: string[] = [];
    for (const [endpoint, view, not] of ENDPOINTS) {
      const failing = new RegExp(named(endpoint.source));
      await alone.route('**/api/v1/**', (route) => (failing.test(route.request().url()) ? route.fulfill(FULL_DISK) : route.continue()));
      await alone.goto(shown.base + named(view));
      const told = await alone.getByRole('main').getByText('the disk is full').first().waitFor({ timeout: TOLD_MS }).then(() => true, () => false);
      if (!told || not !== undefined && await alone.getByText(not).count() > 0) silent.push(`${endpoint.source} in ${view}`);
      await alone.unroute('**/api/v1/**');
    }
    await alone.close();
    expect(silent).to.deep.equal([]);
  });

  it('is why a trace is not followed or compared: it is not kept', async () => {
    const gone = 'f'.repeat(32);
    await shown.goto(`/flows?trace=${gone}`);
    await note('is not followed').waitFor();
    await shown.visit(`/traces/${gone}?vs=${sent?.traceId ?? ''}&step=TriageTicket`);
    await main().getByRole('alert').filter({ hasText: 'Could not load the first trace' }).waitFor();
    await shown.visit(`/traces/${sent?.traceId ?? ''}?vs=${gone}&step=TriageTicket`);
    await note('The second trace').waitFor();
  });

  it('is that what happens is not shown, where the engine refuses to tell', async () => {
    // As a page sees it whose stream went a moment ago.
    const streams = /\/api\/v1\/streams(?:\?|$)/;
    await page.route(streams, async (route) => {
      const { items: [one], ...rest } = await (await route.fetch()).json() as { readonly items: readonly object[] };
      await route.fulfill({ json: { ...rest, items: [one, { ...one, name: 'nothing' }] } });
    });
    await shown.goto('/streams/nothing/here?tab=events');
    await main().getByRole('alert').filter({ hasText: 'Could not load what happens' }).waitFor();
    expect(await page.getByText('Nothing has happened').count()).to.equal(0);
    await page.unroute(streams);
  });

  it('loses the green mark while the engine cannot read it, or refuses to tell of it', async () => {
    const live = page.getByTitle('Whether changes arrive as they happen');
    let tell = (_frames: unknown): void => undefined;
    const ids = new Map<string, string>();
    let held = '';
    await page.routeWebSocket(/\/api\/v1\/live/, (socket) => {
      const server = socket.connectToServer();
      tell = (frames) => socket.send(JSON.stringify(frames));
      server.onMessage((text) => tell((JSON.parse(String(text)) as readonly { readonly id?: string }[]).filter(({ id }) => id === undefined || id !== held)));
      socket.onMessage((text) => {
        const { type, id, topic } = JSON.parse(String(text)) as { readonly type: string; readonly id: string; readonly topic: string };
        if (type === 'subscribe') ids.set(topic, id);
        server.send(text);
      });
    });
    for (const [view, topic] of [['/queues', 'queues'], ['/flows?as=outline', 'flows'], ['/modules', 'modules']] as const) {
      await page.goto(shown.base + view);
      await live.filter({ hasText: /^●Live$/ }).waitFor();
      await waitUntil('the subscription', async () => ids.has(topic));
      const data = await shown.admin.call('GET', `/${topic}`);
      held = ids.get(topic) ?? '';
      tell([{ type: 'stale', id: ids.get(topic), seq: 9, code: 'storage_unavailable', detail: 'the disk is full' }]);
      await note(/^▲?Not up to date: .*the disk is full/).waitFor();
      await live.filter({ hasText: 'Partly live' }).waitFor();
      tell([{ type: 'snapshot', id: ids.get(topic), seq: 10, data }]);
      await live.filter({ hasText: /^●Live$/ }).waitFor();
      expect(await note('Not up to date').count(), view).to.equal(0);
      tell([{ type: 'end', id: ids.get(topic), code: 'too_many', detail: 'a client has at most 64 subscriptions' }]);
      await note('Changes do not arrive').getByRole('button', { name: 'Follow again' }).click();
      await live.filter({ hasText: /^●Live$/ }).waitFor();
      ids.clear();
    }
  });

  it('is marked as of the former query until the answer to the new one is there', async () => {
    const rows = main().locator('[data-row]').filter({ hasText: 'POST /tickets' });
    for (const [view, parts] of [['/traces', rows], ['/logs', main().getByRole('option')]] as const) {
      await shown.goto(view);
      await parts.first().waitFor();
      let answer = (): void => undefined;
      const held = new Promise<void>((resolve) => void (answer = resolve));
      await page.route(/\/api\/v1\/(?:traces|logs)\?q=step/, async (route) => {
        await held;
        await route.continue();
      });
      const bar = main().getByRole('search').getByRole('textbox').or(main().getByRole('combobox')).first();
      await bar.fill('step:CreateTicket');
      await bar.press('Enter');
      const mark = main().getByRole('status').filter({ hasText: 'Of the former query' });
      await mark.first().waitFor();
      answer();
      await mark.first().waitFor({ state: 'detached' });
      await parts.first().waitFor();
      await page.unroute(/\/api\/v1\/(?:traces|logs)\?q=step/);
    }
  });

  it('is said of a trace in which nothing fits, and what does not fit is one click away', async () => {
    await shown.goto(`/traces/${sent?.traceId ?? ''}`);
    const spans = main().getByRole('tree', { name: 'Spans' }).getByRole('treeitem');
    await spans.first().waitFor();
    await page.getByRole('searchbox', { name: 'Find in the trace' }).fill('no such span');
    await page.getByRole('button', { name: 'Hide others' }).click();
    const empty = main().getByRole('status').filter({ hasText: 'No span' });
    await empty.getByText('no such span').waitFor();
    await empty.getByRole('button', { name: 'Show the others' }).click();
    await spans.first().waitFor();
  });

  it('drops each condition of a query by one click', async () => {
    await shown.goto('/traces?q=step:CreateTicket%20step:Nobody%20-%22a%20b%22&from=2020-01-01T00:00:00.000Z');
    const empty = main().getByRole('status').filter({ hasText: 'No traces match this query' });
    for (const name of ['Without step:CreateTicket', 'Without step:Nobody', 'Without -"a b"', 'At all times']) await empty.getByRole('button', { name, exact: true }).waitFor();
    await empty.getByRole('button', { name: 'Without step:Nobody' }).click();
    await main().getByText('POST /tickets').first().waitFor();
    expect(new URL(page.url()).searchParams.get('q')).to.equal('step:CreateTicket -"a b"');
  });

  it('follows what is asked beside the live part of a view', async () => {
    await shown.goto('/logs');
    const bars = main().getByRole('img', { name: /Lines over time/ });
    const before = await bars.getAttribute('aria-label');
    await shown.visit('/state');
    await main().getByRole('navigation', { name: 'Groups' }).getByRole('link').first().waitFor();
    await shown.admin.call('PUT', '/state/groups/fresh-group/keys/k', { value: 1 });
    await main().getByRole('link', { name: 'fresh-group' }).waitFor();
    await shown.visit('/modules?tab=audit');
    await main().getByText('fresh-group').first().waitFor();
    await shown.admin.call('PUT', '/state/groups/another-group/keys/k', { value: 1 });
    await main().getByText('another-group').first().waitFor();
    await shown.visit('/logs');
    await shown.sendTicket('Lamp is slow');
    await waitUntil('the bars', async () => await bars.getAttribute('aria-label') !== before);
  });

  it('is all of many traces, page by page, and how many of them', async () => {
    const address = await shown.engine.address('http');
    const send = (at: number): Promise<unknown> => fetch(`${address}/tickets/none-${at}`);
    for (let at = 0; at < MANY; at += 25) await Promise.all(Array.from({ length: 25 }, (_, one) => send(at + one)));
    const total = async (): Promise<number> => (await shown.admin.call<{ readonly total: number }>('GET', '/traces?limit=1')).total;
    await waitUntil('the traces', async () => await total() >= MANY);
    await shown.goto('/traces');
    const words = main().getByText(/^The latest 200 of \d+ traces are drawn and listed/);
    await words.waitFor();
    const list = main().getByRole('list', { name: 'Traces', exact: true });
    const all = main().getByText(/^All \d+ traces are drawn and listed/);
    await waitUntil('the end of the list', async () => {
      await list.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
      return await all.count() === 1;
    });
    expect(Number(/\d+/.exec(await all.textContent() ?? '')?.[0])).to.equal(await total());
    await list.locator('[data-row]').filter({ hasText: 'tickets' }).last().waitFor();
  });

  it('is of the new engine, or says that it is not up to date, after the engine was killed', async () => {
    const { traceId = '' } = sent ?? {};
    const [request, value] = [await shown.context.newPage(), await shown.context.newPage()];
    const isLive = (one: Page): Promise<void> => one.getByTitle('Whether changes arrive as they happen').filter({ hasText: 'Live' }).waitFor();
    await shown.admin.call('PUT', '/state/groups/fresh-group/keys/k', { value: 'of the old engine' });
    await request.goto(`${shown.base}/endpoints/CreateTicket/0`);
    await request.getByRole('button', { name: /^Send/ }).click();
    await request.getByText(/Settled in/).waitFor();
    await value.goto(`${shown.base}/state/fresh-group/k`);
    await value.getByText('of the old engine').first().waitFor();
    await shown.goto(`/traces/${traceId}`);
    await Promise.all([page, request, value].map(isLive));
    await shown.engine.stop('SIGKILL');
    await Promise.all([page, request, value].map((one) => one.getByRole('alert').filter({ hasText: 'The engine is gone' }).waitFor()));
    await shown.start();
    await Promise.all([page, request, value].map(isLive));
    await note('Not up to date').first().waitFor();
    await shown.admin.call('PUT', '/state/groups/fresh-group/keys/k', { value: 'of the new engine' });
    await value.getByRole('complementary', { name: 'Inspector' }).getByText('of the new engine').first().waitFor();
    await waitUntil('the effects of the new engine, or a mark', async () => await request.getByText(/Settled in/).count() === 0 || await request.getByText('Not up to date').count() > 0);
    await shown.visit('/traces');
    await main().getByText(/traces? (?:is|are) drawn and listed|Nothing recorded yet/).waitFor();
    expect(await main().locator(`a[href*="${traceId}"]`).count(), 'traces of the old engine').to.equal(0);
    await Promise.all([request.close(), value.close()]);
  });
});
