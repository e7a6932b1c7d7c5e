// npm run console:pictures -- [name ...]: takes the pictures of docs/console over the tickets sample, in both themes, 1440 and 390 px wide. Without names all of these.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { ROOT } from '../architecture/workspace.js';
import { progress } from '../support/campaign.js';
import { stopAllEngines } from '../support/engine-process.js';
import { tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';
import { launchBrowser } from './browser.js';
import { tickets, TicketsPage } from './tickets-page.js';

const TICKETS = 40;
const WIDTHS = [[1440, 900], [390, 844]] as const;

interface Picture {
  readonly name: string;
  /** Address, with the trace of the latest ticket. */
  readonly path: (traceId: string) => string;
  /** What is done before it is taken. */
  readonly prepare?: (page: Page, traceId: string) => Promise<unknown>;
  /** The same on the wide page alone: on a narrow one it would cover what the picture is of. */
  readonly onWide?: (page: Page) => Promise<unknown>;
}

const openCapture = async (page: Page, traceId: string): Promise<void> => {
  const capture = await page.evaluate(async (id) => (await fetch(`/api/v1/traces/${id}/capture`)).text(), traceId);
  await page.getByLabel('Choose a file').setInputFiles({ name: `trace-${traceId.slice(0, 8)}.capture.json`, mimeType: 'application/json', buffer: Buffer.from(capture) });
};
const drag = async (page: Page, over: Locator, [fromX, fromY]: readonly [number, number], [toX, toY]: readonly [number, number]): Promise<void> => {
  const { x, y, width, height } = await over.boundingBox() ?? { x: 0, y: 0, width: 1, height: 1 };
  await page.mouse.move(x + width * fromX, y + height * fromY);
  await page.mouse.down();
  await page.mouse.move(x + width * toX, y + height * toY);
};

const spanOf = async (page: Page, name: RegExp): Promise<void> => page.getByRole('treeitem', { name }).first().click();
const dismiss = async (page: Page): Promise<void> => page.getByRole('link', { name: /^I know my way/ }).click({ timeout: 2_000 }).catch(() => undefined);

const PICTURES: readonly Picture[] = [
  // First: the next one ends it for good.
  { name: 'first', path: () => '/' },
  { name: 'home', path: () => '/', prepare: dismiss },
  { name: 'flows', path: () => '/flows', onWide: (page) => page.locator('.react-flow__node').filter({ hasText: 'CreateTicket' }).first().click() },
  { name: 'failure', path: () => '/flows?step=NotifyCustomer', prepare: (page) => page.getByRole('region', { name: 'Last failure' }).locator('[aria-current=location]').waitFor() },
  { name: 'endpoints', path: () => '/endpoints' },
  { name: 'request', path: () => '/endpoints/CreateTicket/0', prepare: sendRequest },
  { name: 'logs', path: () => '/logs' },
  { name: 'patterns', path: () => '/logs?as=patterns' },
  { name: 'state', path: () => '/state/tickets', onWide: (page) => page.keyboard.press('j') },
  { name: 'streams', path: () => '/streams/board/triaged' },
  { name: 'join', path: () => '/streams/board/triaged?tab=as', prepare: joined },
  { name: 'queues', path: () => '/queues/ticket.triaged?tab=dead', onWide: (page) => page.keyboard.press('j') },
  { name: 'cron', path: () => '/cron' },
  { name: 'metrics', path: () => '/metrics' },
  { name: 'modules', path: () => '/modules' },
  { name: 'flame', path: (id) => `/traces/${id}?mode=flame` },
  { name: 'steps', path: (id) => `/traces/${id}?mode=steps`, prepare: (page) => page.locator('.react-flow__node').first().waitFor() },
  { name: 'story', path: (id) => `/traces/${id}?mode=story` },
  { name: 'input', path: (id) => `/traces/${id}?tab=input`, prepare: (page) => spanOf(page, /handler CreateTicket/) },
  { name: 'compare', path: (id) => `/traces/${id}`, prepare: compareWithFormer },
  { name: 'columns', path: (id) => `/traces/${id}?cols=step.name&tab=attributes`, prepare: (page) => spanOf(page, /handler CreateTicket/) },
  { name: 'reference', path: (id) => `/traces/${id}`, prepare: menuOfStep },
  { name: 'trace', path: (id) => `/traces/${id}` },
  { name: 'capture', path: () => '/traces/capture', prepare: openCapture },
  { name: 'traces', path: () => '/traces?q=-trigger:stream.declaration', prepare: (page) => drag(page, page.getByRole('img', { name: /by their beginning and duration/ }), [0.5, 0.05], [0.8, 0.6]) },
  { name: 'groups', path: () => '/traces?by=step' },
  { name: 'search', path: () => '/state/tickets?as=search&q=status:triaged' },
  { name: 'tree', path: () => '/state/tickets?as=tree' },
  { name: 'calendar', path: () => '/cron?as=calendar' },
  { name: 'expression', path: () => '/cron?as=expression&expression=30+2+*+*+*&timezone=Europe%2FBerlin' },
  { name: 'metric', path: () => '/metrics?m=http.server.request.duration&by=http.route&show=p95' },
  // Last: what is watched is in all views from then on.
  { name: 'watch', path: () => '/queues/ticket.created', prepare: watchTopic },
];

const wanted = process.argv.slice(2);
const shown = await TicketsPage.in(await launchBrowser(), application);
try {
  await shown.signIn();
  const traceId = await sendTickets();
  for (const picture of PICTURES) if (wanted.length === 0 || wanted.includes(picture.name)) await take(picture, traceId);
} finally {
  await shown.close();
  await stopAllEngines();
}

async function sendRequest(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Send/ }).click();
  await page.getByText(/Settled in/).waitFor();
}

/** The trace beside one that ended otherwise. */
async function compareWithFormer(page: Page, traceId: string): Promise<void> {
  const { items } = await shown.admin.call<{ readonly items: readonly { readonly traceId: string }[] }>('GET', '/traces?q=route:/tickets retries:>0&limit=1');
  await shown.goto(`/traces/${traceId}?vs=${items[0]?.traceId ?? traceId}`);
  await page.getByText(/First difference/).waitFor();
}

async function menuOfStep(page: Page): Promise<void> {
  await spanOf(page, /handler CreateTicket/);
  await page.getByRole('complementary', { name: 'Inspector' }).getByRole('link', { name: 'CreateTicket', exact: true }).click({ button: 'right' });
  await page.getByRole('group', { name: /^About/ }).getByText('POST /tickets').waitFor();
}

/** It stays from then on, in this browser: the first time adds it. */
async function watchTopic(page: Page): Promise<void> {
  const watched = page.getByRole('list', { name: 'Watched' });
  if (await watched.count() === 0) await page.getByRole('button', { name: 'Notify when empty' }).click();
  await watched.getByText('ticket.created').waitFor();
}

async function joined(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Join/ }).click();
  await page.getByText(/Let in: it sees \d+ items?/).waitFor();
}

/** The sample in a folder of its name, with a second cron, so that the calendar has something to show. */
function application(): string {
  const folder = join(tempFolder(), 'tickets');
  renameSync(tickets(), folder);
  writeFileSync(join(folder, 'steps/refresh-rates.step.js'), "export const config = { name: 'RefreshRates', triggers: [{ type: 'cron', expression: '0 */2 * * *' }] };\nexport const handler = async () => undefined;\n");
  return folder;
}

async function take({ name, path, prepare, onWide }: Picture, traceId: string): Promise<void> {
  const { page } = shown;
  for (const colorScheme of ['dark', 'light'] as const) {
    for (const [width, height] of WIDTHS) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await shown.goto(path(traceId));
      await prepare?.(page, traceId);
      if (width === WIDTHS[0][0]) await onWide?.(page);
      await shown.settled();
      await page.screenshot({ path: join(ROOT, 'docs/console', `${name}-${colorScheme}-${width}.png`) });
      await page.mouse.up();
      progress('pictures', `${name}-${colorScheme}-${width}.png`);
    }
  }
}

/** Some tickets, one of them of a customer without an address, over long enough that metrics have lines. @returns the trace of the last one */
async function sendTickets(): Promise<string> {
  const http = await shown.engine.address('http');
  let traceId = '';
  for (let at = 0; at < TICKETS; at += 1) {
    const ticket = { title: `Lamp ${at} is dark`, priority: at % 5 === 0 ? 'urgent' : 'normal', customer: { id: `c-${at}`, ...at % 8 !== 3 && { email: `c${at}@example.com` } } };
    const answer = await fetch(`${http}/tickets`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(ticket) });
    traceId = answer.headers.get('x-trace-id') ?? traceId;
    await fetch(`${http}/tickets`);
    await shown.page.waitForTimeout(at * 30);
  }
  await waitUntil('the last trace', async () => (await shown.admin.call<{ readonly rows: readonly { readonly name: string }[] }>('GET', `/traces/${traceId}`)).rows.some(({ name }) => name === 'handler NotifyCustomer'));
  return traceId;
}
