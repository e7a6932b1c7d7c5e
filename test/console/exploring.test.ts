import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Download, Locator, Page } from 'playwright-core';
import { waitUntil } from '../support/wait-until.js';
import { accessibilityFaults } from './browser.js';
import { checkedAndClosed, TicketsPage } from './tickets-page.js';

describe("exploring with the console's page", function () {
  this.timeout(240_000);
  let shown: TicketsPage;
  let page: Page;
  let traceId = '';
  let handler = '';

  before(async function () {
    shown = await TicketsPage.open(this);
    ({ page } = shown);
    await shown.signIn();
    ({ traceId, handler } = await shown.sendTicket());
  });
  checkedAndClosed(() => shown);

  const inspector = (): Locator => page.getByRole('complementary', { name: 'Inspector' });
  const main = (): Locator => page.getByRole('main');
  const saved = async (choice: RegExp | string): Promise<Download> => {
    await main().locator('summary').filter({ hasText: 'Export' }).click();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    const [download] = await Promise.all([page.waitForEvent('download'), main().getByText(choice, { exact: true }).click()]);
    return download;
  };
  const drag = async (over: Locator, [fromX, fromY]: readonly [number, number], [toX, toY]: readonly [number, number]): Promise<void> => {
    const box = await over.boundingBox();
    if (!box) throw new Error('it is not drawn');
    await page.mouse.move(box.x + box.width * fromX, box.y + box.height * fromY);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * ((fromX + toX) / 2), box.y + box.height * ((fromY + toY) / 2));
    await page.mouse.move(box.x + box.width * toX, box.y + box.height * toY);
    await page.mouse.up();
  };

  it('saves a trace as one file, and opens it read-only where no engine knows it', async () => {
    await shown.goto(`/traces/${traceId}`);
    const download = await saved('Capture');
    expect(download.suggestedFilename()).to.equal(`trace-${traceId.slice(0, 8)}.capture.json`);
    const file = await download.path();
    expect(readFileSync(file, 'utf8')).not.to.contain('s3cret');
    await shown.goto('/traces');
    await page.getByRole('link', { name: 'Open a capture' }).click();
    await page.getByLabel('Choose a file').setInputFiles({ name: 'other.json', mimeType: 'application/json', buffer: Buffer.from('{"format":"har"}') });
    await page.getByRole('alert').filter({ hasText: 'This is no capture of a trace' }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    await page.getByLabel('Choose a file').setInputFiles(file);
    await page.getByText('read only').waitFor();
    await page.getByRole('treeitem', { name: /handler CreateTicket/ }).click();
    await inspector().getByRole('tab', { name: 'Input' }).click();
    await inspector().getByText('Lamp is dark').first().waitFor();
    expect(await inspector().getByRole('button', { name: /Run/ }).count()).to.equal(0);
    await inspector().getByRole('tab', { name: /^Logs/ }).click();
    await inspector().getByText('ticket created').first().waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    for (const [mode, text] of [['Story', 'ticket created'], ['Steps', 'TriageTicket'], ['Flame', 'handler CreateTicket']] as const) {
      await main().getByRole('tab', { name: mode }).click();
      await main().getByText(text).first().waitFor();
    }
    await page.getByRole('button', { name: 'Steps as they were' }).click();
    await page.getByRole('region', { name: 'Steps as they were' }).getByText('CreateTicket').first().waitFor();
    expect(asked.filter((url) => /\/api\/v1\/(?:traces|logs|steps\/inputs)/.test(url))).to.deep.equal([]);
  });

  it('saves a trace for other tools, and as a summary', async () => {
    await shown.goto(`/traces/${traceId}`);
    const otlp = JSON.parse(readFileSync(await (await saved('OpenTelemetry JSON')).path(), 'utf8')) as { readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly { readonly spanId: string }[] }[] }[] };
    expect(otlp.resourceSpans[0]?.scopeSpans[0]?.spans.map(({ spanId }) => spanId)).to.include(handler);
    expect(readFileSync(await (await saved('Markdown')).path(), 'utf8')).to.match(/^## POST \/tickets: settled/).and.to.contain('handler CreateTicket');
  });

  it('saves the lines of a query as CSV and text', async () => {
    await shown.goto('/logs?q=step:CreateTicket');
    const csv = await saved('CSV');
    expect([csv.suggestedFilename(), readFileSync(await csv.path(), 'utf8').split('\r\n')[0]]).to.deep.equal(['logs.csv', 'timestamp,level,step,message,trace,span,fields']);
    expect(readFileSync(await (await saved('Text')).path(), 'utf8')).to.match(/^\S+Z INFO {2}\[CreateTicket\] ticket created .*\n$/s);
  });

  it('zooms into a trace by its map and by keys', async () => {
    await shown.goto(`/traces/${traceId}`);
    const map = page.getByRole('img', { name: /^The whole trace: \d+ spans/ });
    await drag(map, [0.2, 0.5], [0.6, 0.5]);
    await page.waitForURL(/zoom=[\d.]+-[\d.]+/);
    const first = page.url();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await page.keyboard.press('d');
    await page.waitForURL((url) => String(url) !== first);
    await page.getByRole('button', { name: 'Whole trace' }).click();
    await page.waitForURL((url) => !url.search.includes('zoom'));
    await page.keyboard.press('w');
    await page.waitForURL(/zoom=/);
  });

  it('narrows the list to the traces that are chosen in the scatter', async () => {
    await shown.goto('/traces?q=-trigger:stream.declaration');
    const scatter = page.getByRole('img', { name: /traces? by their beginning and duration/ });
    await drag(scatter, [0, 0.1], [1, 0.95]);
    await page.waitForURL(/duration:/);
    expect(new URL(page.url()).searchParams.get('q')).to.match(/^-trigger:stream.declaration duration:>?=?/);
    expect(new URL(page.url()).searchParams.get('from')).to.match(/Z$/);
    await page.getByRole('list', { name: 'Traces' }).or(page.getByRole('heading', { name: 'No traces match this query' })).first().waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
  });

  it('shows what cron will do by day and hour, and what an expression would', async () => {
    await shown.goto('/cron?as=calendar');
    const week = page.getByRole('region', { name: /^Runs by day and hour/ });
    await week.getByRole('button', { name: /: 1 run/ }).first().click();
    await page.waitForURL(/hour=\d{4}-\d{2}-\d{2}T\d{2}/);
    await page.getByRole('heading', { name: /\d{4}-\d{2}-\d{2}, \d{2} h/ }).waitFor();
    await page.getByText('No two triggers run in the same minute.').waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await page.getByRole('tab', { name: 'Try an expression' }).click();
    await page.getByRole('textbox', { name: /^Expression/ }).fill('*/10 * 9 * * 1');
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    const runs = page.getByRole('region', { name: 'Next runs' });
    await runs.getByText(/T?09:00:10/).first().waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await page.getByRole('textbox', { name: /^Expression/ }).fill('61 * * * *');
    await page.getByRole('alert').filter({ hasText: 'no expression' }).waitFor();
  });

  it('explores a metric by its labels, and leads from a point to the traces of that minute', async () => {
    const { items } = await shown.admin.call<{ readonly items: readonly { readonly name: string; readonly kind: string }[] }>('GET', '/metrics/now');
    const { name } = items.find((one) => one.kind === 'histogram' && one.name === 'http.server.request.duration') ?? { name: '' };
    await page.route('**/api/v1/metrics/lines?**', (route) => {
      const by = new URL(route.request().url()).searchParams.get('by') ?? '';
      const now = Date.now();
      const points = [0, 1, 2, 3].map((at) => ({ time: now - (3 - at) * 10_000, value: at * 4, sum: at, counts: [0, 0, at * 4] }));
      return route.fulfill({ contentType: 'application/json', body: JSON.stringify({ name, by: by.split(','), boundaries: [0.1, 0.2], omitted: 0, items: [{ labels: by.includes('http.route') ? { 'http.route': '/tickets' } : {}, points }] }) });
    });
    await shown.goto(`/metrics?m=${name}`);
    await page.getByRole('group', { name: 'One line for each' }).getByRole('button', { name: 'http.route' }).click();
    await page.waitForURL(/by=http.route/);
    await page.getByRole('group', { name: 'What is drawn' }).getByRole('button', { name: 'p99' }).click();
    await page.getByText(/p99 of each interval, from buckets/).waitFor();
    const chart = page.getByRole('img', { name: /1 lines, 3 points/ });
    await chart.locator('.u-over').click();
    await page.waitForURL(/\/traces\?q=route:?.*from=/);
    await page.goBack();
    await page.getByRole('button', { name: 'As table' }).click();
    await page.getByRole('region', { name: `${name} over time` }).getByRole('link').first().waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await page.unroute('**/api/v1/metrics/lines?**');
  });

  it('marks on a chart when the engine started, and not beside it when the chart shows a later stretch of time', async () => {
    const started = Date.parse((await shown.admin.call<{ readonly startedAt: string }>('GET', '/meta')).startedAt);
    const points = [-30, 0, 30, 60, 90].map((seconds) => ({ time: started + seconds * 1000, value: seconds + 31 }));
    await page.route('**/api/v1/metrics/lines?**', (route) => route.fulfill({ contentType: 'application/json', body: JSON.stringify({ name: 'process.memory.usage', by: [], omitted: 0, items: [{ labels: {}, points }] }) }));
    await shown.goto('/metrics?m=process.memory.usage');
    const plot = page.getByRole('img', { name: /5 points;.* The engine started/ }).locator('.u-over');
    const marks = plot.getByTitle(/^The engine started/);
    await marks.waitFor();
    await drag(plot, [0.5, 0.5], [0.9, 0.5]);
    await waitUntil('no mark', async () => await marks.count() === 0);
    expect(new URL(page.url()).pathname, 'to choose a stretch is no click on a point').to.equal('/metrics');
    await page.unroute('**/api/v1/metrics/lines?**');
  });

  it('fits 320 pixels: nothing of the new views sticks out of the page', async () => {
    await page.setViewportSize({ width: 320, height: 700 });
    for (const path of ['/cron?as=calendar', '/cron?as=expression', '/traces/capture', `/traces/${traceId}`, '/traces', '/metrics?m=http.server.request.duration', '/logs']) {
      await shown.goto(path);
      expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'), path).to.be.at.most(0);
      expect(await accessibilityFaults(page), path).to.deep.equal([]);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  });
});
