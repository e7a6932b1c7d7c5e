import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ROOT } from '../architecture/workspace.js';
import { stopAllEngines } from '../support/engine-process.js';
import { waitUntil } from '../support/wait-until.js';
import { type SentTicket, TicketsPage } from './tickets-page.js';

/** A place of the guide's table of keys: its address, and what is pressed there before. */
const PLACES: Readonly<Record<string, { readonly path: (sent: SentTicket) => string; readonly press?: readonly string[] }>> = {
  Flows: { path: () => '/flows', press: ['j'] },
  'recorded time of Flows': { path: () => '/flows?scrub=shown' },
  Endpoints: { path: () => '/endpoints', press: ['j'] },
  'a request': { path: () => '/endpoints/CreateTicket/0' },
  Traces: { path: () => '/traces?q=-trigger:stream.declaration', press: ['j', 'x', 'j', 'x'] },
  'a trace': { path: ({ traceId }) => `/traces/${traceId}`, press: ['j'] },
  'a flame graph': { path: ({ traceId }) => `/traces/${traceId}?mode=flame` },
  'the input of a span': { path: ({ traceId, handler }) => `/traces/${traceId}?mode=story&span=${handler}&tab=input` },
  Logs: { path: () => '/logs', press: [] },
  'a line of Logs': { path: () => '/logs?q=step:CreateTicket', press: ['j'] },
  'State, a value': { path: () => '/state/tickets', press: ['j'] },
  Queues: { path: () => '/queues', press: ['j'] },
  'Queues, dead letters': { path: () => '/queues/ticket.triaged?tab=dead', press: ['j'] },
  'Queues, Enqueue': { path: () => '/queues/ticket.created?tab=publish' },
};

const ARROWS: Readonly<Record<string, string>> = { '←': 'Left', '↑': 'Up', '→': 'Right', '↓': 'Down' };

describe('keys of the console', function () {
  this.timeout(240_000);
  let shown: TicketsPage;
  let page: Page;
  let sent: SentTicket;

  before(async function () {
    ({ page } = shown = await TicketsPage.open(this));
    await shown.signIn();
    sent = await shown.sendTicket();
    await fetch(`${await shown.engine.address('http')}/tickets`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"title":"Lamp","customer":{"id":"c-9"}}' });
    await waitUntil('a dead letter', async () => (await shown.admin.letters('NotifyCustomer')).length > 0, 60_000);
  });
  afterEach(function () {
    return shown.check(this.currentTest);
  });
  after(async () => {
    await shown?.close();
    await stopAllEngines();
  });

  /** Keys that the help has at a place. */
  const bound = async (place: string): Promise<readonly string[]> => {
    const { path, press = [] } = PLACES[place] ?? { path: () => '/modules' };
    await shown.goto(path(sent));
    await page.getByTitle('Whether changes arrive as they happen').filter({ hasText: 'Live' }).waitFor();
    for (const key of press) await page.keyboard.press(key);
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keys that work here' });
    await help.waitFor();
    return (await help.locator('kbd').allTextContents()).sort();
  };

  it('are in the guide, those of each place and no others', async () => {
    const documented = keysOfGuide();
    const everywhere = await bound('every view');
    expect(everywhere, 'every view').to.deep.equal(documented.get('every view'));
    for (const place of Object.keys(PLACES)) expect((await bound(place)).filter((key) => !everywhere.includes(key)), place).to.deep.equal(documented.get(place));
    expect([...documented.keys()].filter((place) => place !== 'every view')).to.have.members(Object.keys(PLACES));
  });
});

/** Keys by the place that the guide says. */
function keysOfGuide(): ReadonlyMap<string, readonly string[]> {
  const [, section = ''] = /\n## Keys\n(.*?)\n## /s.exec(readFileSync(join(ROOT, 'docs/console.md'), 'utf8')) ?? [];
  const found = new Map<string, string[]>();
  for (const [, place = '', cell = ''] of section.matchAll(/^\| (?!in |---)([^|]+) \| ([^|]+) \|/gm)) {
    found.set(place, [...found.get(place) ?? [], ...[...cell.matchAll(/`([^`]+)`/g)].flatMap(([, keys = '']) => (/^g \w$/.test(keys) ? [keys] : keys.split(' ')).map((key) => key.replace(/[←↑→↓]/, (arrow) => `Arrow${ARROWS[arrow] ?? ''}`)))]);
  }
  for (const [place, keys] of found) found.set(place, [...keys].sort());
  return found;
}
