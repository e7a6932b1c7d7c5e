import { expect } from 'chai';
import type { Locator, Page, Route } from 'playwright-core';
import { checkedAndClosed, TicketsPage } from './tickets-page.js';

const TOTAL = 1_234;
const OMITTED = 6_000;

describe("what the console's page counts beyond what it lists", function () {
  this.timeout(240_000);
  let shown: TicketsPage;
  let page: Page;
  let [traceId, handler] = ['', ''];

  before(async function () {
    ({ page } = shown = await TicketsPage.open(this));
    await shown.signIn();
    ({ traceId, handler } = await shown.sendTicket());
  });
  checkedAndClosed(() => shown);

  const main = (): Locator => page.getByRole('main');
  /** Answers as the engine does, with other members. */
  const instead = async (url: string | RegExp, members: object): Promise<void> => void await page.route(url, async (route: Route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...await response.json() as object, ...members } });
  });

  it('is every line of a request, and at least what is known of its Steps and keys', async () => {
    await instead(/\/api\/v1\/logs\?.*limit=500/, { total: TOTAL });
    await instead(/\/api\/v1\/traces\/[0-9a-f]{32}\?/, { omitted: OMITTED });
    await shown.goto('/endpoints/CreateTicket/0');
    await main().getByRole('button', { name: /^Send/ }).click();
    await main().getByRole('link', { name: '1\u202f234 logs' }).waitFor();
    await main().getByRole('link', { name: /^\d\+ Steps$/ }).waitFor();
    await main().getByRole('link', { name: /^\d\+ keys written$/ }).waitFor();
    await main().getByText(/The first \d of 1\u202f234 lines/).waitFor();
    await page.unrouteAll();
  });

  it('is in a span and in the story as far as lines of the trace were looked at', async () => {
    await instead(/\/api\/v1\/logs\?.*limit=1000/, { total: TOTAL });
    await shown.goto(`/traces/${traceId}?span=${handler}`);
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByRole('tab', { name: /^Logs ?\d\+$/ }).click();
    await inspector.getByText(/Only the first \d of 1\u202f234 lines of the trace are looked at/).waitFor();
    await shown.goto(`/traces/${traceId}?mode=story`);
    await main().getByText(/Only the first \d of 1\u202f234 lines of the trace are looked at/).waitFor();
    await page.unrouteAll();
    await shown.goto(`/traces/${traceId}?span=${handler}&tab=logs`);
    await inspector.getByRole('tab', { name: /^Logs ?\d$/ }).waitFor();
    expect(await main().getByText(/Only the first/).count()).to.equal(0);
  });

  it('is every span of a trace, drawn or not', async () => {
    await instead(/\/api\/v1\/traces\/[0-9a-f]{32}\?/, { omitted: OMITTED });
    await shown.goto(`/traces/${traceId}`);
    await main().getByText(/^6\u202f0\d\d spans, /).waitFor();
    await page.unrouteAll();
  });

  it('leads from the latest changes to earlier ones', async () => {
    await instead(/\/api\/v1\/audit\?/, { items: [7, 6].map((id) => ({ id, time: new Date().toISOString(), who: 'local', role: 'admin', remote: '127.0.0.1', method: 'POST', path: '/run', status: 200 })), cursor: '6' });
    await shown.goto('/modules?tab=audit');
    await main().getByRole('button', { name: 'earlier ones' }).click();
    await page.waitForURL(/entry=5/);
    await page.unrouteAll();
  });
});
