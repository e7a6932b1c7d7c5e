import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { stopAllEngines } from '../support/engine-process.js';
import { waitUntil } from '../support/wait-until.js';
import { accessibilityFaults } from './browser.js';
import { TicketsPage } from './tickets-page.js';

const VIEWS = ['/', '/flows', '/flows?as=outline', '/endpoints', '/endpoints/CreateTicket/0', '/traces', '/logs', '/state', '/state/tickets', '/streams', '/queues', '/queues/ticket.triaged?tab=waiting', '/cron', '/cron?as=calendar', '/cron?as=expression', '/traces/capture', '/metrics', '/metrics?m=http.server.request.duration', '/modules', '/modules?tab=workers'] as const;
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
  afterEach(function () {
    return shown.check(this.currentTest);
  });
  after(async () => {
    await shown?.close();
    await stopAllEngines();
  });

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

  it('has every view, and reload shows the same address and view again', async () => {
    for (const path of VIEWS) {
      await page.goto(base + path);
      await page.getByRole('main').getByRole('heading').first().waitFor();
      expect(await page.getByText(/could not load|There is no such view| broke$/i).allTextContents(), path).to.deep.equal([]);
      expect(page.url(), path).to.equal(base + path);
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

  it('shows the same again for every form of address', async () => {
    const { items } = await shown.admin.call<{ readonly items: readonly { readonly traceId: string; readonly name: string }[] }>('GET', '/traces?q=route:/tickets');
    const { traceId } = items[0] as { readonly traceId: string };
    const { rows } = await shown.admin.call<{ readonly rows: readonly { readonly spanId: string; readonly name: string }[] }>('GET', `/traces/${traceId}`);
    const spanId = rows.find(({ name }) => name === 'handler CreateTicket')?.spanId ?? '';
    const { items: [key] } = await shown.admin.call<{ readonly items: readonly { readonly key: string }[] }>('GET', '/state/groups/tickets/keys');
    const ticket = key?.key ?? '';
    const { items: [line] } = await shown.admin.call<{ readonly items: readonly { readonly id: number }[] }>('GET', '/logs?q=message:"ticket created"');
    const { items: [run] } = await shown.admin.call<{ readonly items: readonly { readonly id: string }[] }>('GET', '/history?limit=1');
    const { items: [module] } = await shown.admin.call<{ readonly items: readonly { readonly id: string }[] }>('GET', '/modules');
    const range = `from=2026-01-01T00:00:00.000Z&to=${new Date(Date.now() + 60_000).toISOString()}`;
    const forms: readonly (readonly [path: string, text: RegExp | string])[] = [
      ['/flows?flow=tickets&as=outline', 'CreateTicket'], [`/endpoints/CreateTicket/0?req=${run?.id ?? ''}`, 'Settled in'], [`/traces?${range}`, 'POST /tickets'], ['/traces?from=2020-01-01T00:00:00.000Z&to=2020-01-02T00:00:00.000Z', 'No traces match this query'],
      [`/traces/${traceId}?mode=table&cols=step.name`, 'step.name ✕'], [`/traces/${traceId}?mode=steps`, 'TriageTicket'], [`/traces/${traceId}?zoom=0-5`, 'Whole trace'], [`/traces/${traceId}?span=${spanId}&pin=${spanId}`, 'Pinned'], [`/traces/${traceId}?span=${spanId}&full=yes`, 'handler CreateTicket'],
      [`/logs?${range}`, 'All times'], ['/logs?first=oldest', 'The oldest line is the first'], ['/logs?q=step:CreateTicket&wrap=on&cols=ticketId', 'ticketId ✕'], [`/logs?line=${line?.id ?? 0}&around=step`, 'Same Step'], [`/state/tickets/${ticket}?tab=raw`, '"customer"'],
      ['/queues/ticket.created?tab=waiting', 'Nothing waits'], ['/queues/ticket.created?tab=retrying', 'Nothing waits for another attempt'], ['/queues/ticket.created?tab=dead', 'No dead letters'], [`/modules/${module?.id ?? ''}`, 'Configured at'],
      ['/flows?as=outline&step=CreateTicket', 'Last runs'], [`/flows?trace=${traceId}`, `Following ${traceId.slice(0, 8)}`], ['/flows?as=findings', 'Declared and observed'],
      ['/endpoints?q=delete', 'DeleteTicket'], ['/endpoints/CreateTicket/0?as=curl&tab=body', 'For a shell'],
      ['/traces?q=step:CreateTicket', 'POST /tickets'], ['/traces?q=step:Nobody', 'No traces match this query'], ['/traces?q=duration:>soon', 'soon'], [`/traces/${traceId}?mode=story`, 'enqueues ticket.created'],
      [`/traces/${traceId}?span=${spanId}&tab=attributes`, 'code.file.path'], [`/traces/${traceId}?critical=only`, 'Critical path to the last effect'], [`/traces/${traceId}?vs=${traceId}`, 'No difference but in time'],
      ['/logs?q=level:>=info', 'ticket created'], ['/logs?as=patterns', 'Pattern'], [`/traces/${traceId}?mode=flame`, 'added up'], [`/streams/board/triaged?tab=as`, 'as for any other'], [`/logs?line=${line?.id ?? 0}`, 'Lines around it'], ['/state/tickets?prefix=no-such', 'No keys match this query'], [`/state/tickets/${ticket}`, 'Revision'],
      [`/state/tickets/${ticket}?tab=history`, 'Writes are noted since'], ['/streams/board/triaged', 'rev 1'], [`/streams/board/triaged/${ticket}`, 'Edit'], ['/streams/board/triaged?tab=events', 'Nothing has happened since this was opened'],
      ['/queues/ticket.created?tab=active', 'Nothing is being processed'], ['/queues/ticket.created?tab=publish', 'as a Step would enqueue it'], ['/queues/no.such.topic', 'Nobody consumes this topic'], ['/cron/DailyDigest', 'Europe/Berlin'],
      ['/metrics?m=process.memory.usage&as=table', 'Now'], ['/modules?tab=audit', '/api/v1/session/link'], ['/modules?tab=config', 'Where it comes from'], ['/no/such/view', 'There is no such view'],
    ];
    for (const [path, text] of forms) {
      for (const visit of ['first', 'second']) {
        await (visit === 'first' ? page.goto(base + path) : page.reload());
        await page.getByRole('main').getByText(text).first().waitFor().catch(() => expect.fail(`${path} does not show "${String(text)}" on the ${visit} visit`));
        expect(decodeURI(page.url().slice(base.length)), path).to.equal(path);
      }
    }
    const { rows: [, ...below] } = await shown.admin.call<{ readonly rows: readonly { readonly attributes: Readonly<Record<string, unknown>> }[] }>('GET', `/traces/${traceId}`);
    const message = String(below.map(({ attributes }) => attributes['messaging.message.id']).find(Boolean));
    const known: readonly (readonly [id: string, path: string])[] = [
      [traceId, `/traces/${traceId}`], [spanId, `/traces/${traceId}?span=${spanId}`], [message, `/traces/${traceId}`], ['CreateTicket', '/flows?step=CreateTicket'], ['steps/create-ticket.step.ts:8', '/flows?step=CreateTicket&line=8'], ['POST /tickets', '/endpoints/CreateTicket/0'],
      ['ticket.created', '/queues/ticket.created'], ['board', '/streams/board'], [`tickets/${ticket}`, `/state/tickets/${ticket}`],
    ];
    for (const [id, expected] of known) {
      await page.goto(`${base}/go/${encodeURIComponent(id)}`);
      await page.waitForURL(base + expected);
    }
  });

  it('can be toured by keyboard alone: find, open, move, fold, compare, follow to the log and back', async () => {
    await page.goto(`${base}/traces`);
    await page.getByRole('link', { name: /POST \/tickets/ }).first().waitFor();
    const keys = async (...pressed: readonly string[]): Promise<void> => {
      for (const key of pressed) await page.keyboard.press(key);
    };
    await keys('/');
    await page.keyboard.type('route:/tickets');
    await keys('Enter', 'Escape');
    await page.waitForURL(/q=route:\/tickets/);
    await page.getByRole('link', { name: /handler|stream:/ }).first().waitFor({ state: 'detached' });
    await keys('j', 'Enter');
    await page.waitForURL(/\/traces\/[0-9a-f]{32}$/);
    await page.getByRole('treeitem').first().waitFor();
    await keys('j', 'j', 'j');
    await page.waitForURL(/span=/);
    await page.getByRole('complementary', { name: 'Inspector' }).waitFor();
    const spans = await page.getByRole('treeitem').count();
    await keys('1');
    await page.getByRole('treeitem').nth(spans - 1).waitFor({ state: 'detached' });
    await keys('9', 'c');
    await page.waitForURL(/critical=only/);
    await keys('Escape');
    await page.getByRole('complementary', { name: 'Inspector' }).waitFor({ state: 'detached' });
    await keys('g', 'l');
    await page.getByRole('listbox', { name: /^Log lines/ }).getByRole('option').first().waitFor();
    await keys('/');
    await page.keyboard.type('message:"ticket created"');
    await keys('Enter', 'Escape');
    await page.waitForURL(/q=message/);
    await page.getByText(/^1 line$/).waitFor();
    await keys('j');
    await page.waitForURL(/line=/);
    await keys('t');
    await page.waitForURL(/\/traces\/[0-9a-f]{32}/);
    await keys('g', 'f');
    await page.getByRole('tab', { name: 'Outline' }).waitFor();
    await keys('o');
    await page.waitForURL(/as=outline/);
    await keys('j');
    await page.waitForURL(/step=/);
    await keys('Control+k');
    await page.getByRole('combobox', { name: 'Name, id or command' }).waitFor();
    await page.keyboard.type('> dark and light');
    await keys('Enter');
    await page.locator('html[data-theme=light]').waitFor();
    await page.evaluate("localStorage.removeItem('treadle.theme')");
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
    await waitUntil('the broken handler', async () => await send() === 500, 30_000);
    await shown.goto('/endpoints/CreateTicket/0');
    await page.getByRole('button', { name: /^Send/ }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('500').first().waitFor();
    await result.getByText('broken on purpose').first().waitFor();
    await page.goto(`${base}/flows?as=outline`);
    await page.getByRole('row', { name: /CreateTicket/ }).getByText('■').waitFor();
    await page.goto(base);
    await page.getByRole('link', { name: 'I know my way' }).click();
    await page.getByText(/runs of CreateTicket failed/).click();
    await page.getByRole('link', { name: /POST \/tickets/ }).first().click();
    await page.getByRole('treeitem', { name: /handler CreateTicket/ }).waitFor();
    for (const key of ['n', 'n']) await page.keyboard.press(key);
    await page.getByRole('complementary', { name: 'Inspector' }).getByText(/create-ticket\.step\.ts:\d+/).first().waitFor();
    writeFileSync(file, right);
    await waitUntil('the mended handler', async () => await send() === 201, 30_000);
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
    await shown.goto(path);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
      for (const width of [320, 768, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await accessibilityFaults(page), `${colorScheme} at ${width} px`).to.deep.equal([]);
      }
    }
  };

  for (const [name, path] of Object.entries(DETAILS)) it(`has no serious fault for assistive techniques with ${name}, in both themes at 320, 768 and 1440 px`, async () => faultless(await path()));

  for (const path of VIEWS) {
    it(`has no serious fault for assistive techniques at ${path}, in both themes at 320, 768 and 1440 px`, () => faultless(path));
  }
});
