import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ROOT } from '../architecture/workspace.js';
import { waitUntil } from '../support/wait-until.js';
import { checkedAndClosed, type SentTicket, TicketsPage } from './tickets-page.js';

interface Visit {
  readonly path: (sent: SentTicket) => string;
  /** What is pressed there before. */
  readonly press?: readonly string[];
  /** What is clicked there before. */
  readonly click?: string;
}

const at = (path: string, ...press: readonly string[]): Visit => ({ path: () => path, press });
const inTrace = (search: string, ...press: readonly string[]): Visit => ({ path: ({ traceId, handler }) => `/traces/${traceId}?${search.replace('HANDLER', handler)}`, press });

/** Places of the guide's table of keys: in each of its visits the same keys work. Together they are every view and every tab. */
const PLACES: Readonly<Record<string, readonly Visit[]>> = {
  'every view': [
    at('/streams'), at('/state'), at('/queues/no.such.topic'), at('/cron'), at('/cron/DailyDigest'), at('/cron?as=calendar'), at('/cron?as=expression'), at('/metrics'), at('/metrics?m=process.memory.usage'), at('/metrics?m=process.memory.usage&as=table'),
    at('/modules'), at('/modules?tab=config'), at('/modules?tab=workers'), at('/modules?tab=jobs'), at('/modules?tab=audit'), at('/traces/capture'), { path: ({ traceId }) => `/traces/${traceId}?vs=${traceId}` },
  ],
  'Home, before the first request': [at('/')],
  // The first Step is started by changes alone, and cannot be run by hand.
  Flows: [at('/flows', 'j', 'j')],
  'outline of Flows, and what was observed': [at('/flows?as=outline', 'j', 'j'), at('/flows?as=findings', 'j', 'j')],
  'recorded time of Flows': [at('/flows?scrub=shown')],
  Endpoints: [at('/endpoints', 'j')],
  'a request': ['', '?as=json', '?as=headers', '?as=curl', '?tab=body', '?tab=response-headers'].map((search) => at(`/endpoints/CreateTicket/0${search}`)),
  Traces: [at('/traces?q=-trigger:stream.declaration', 'j', 'x', 'j', 'x')],
  'a trace': [inTrace('', 'j'), ...['overview', 'logs', 'attributes', 'raw'].map((tab) => inTrace(`span=HANDLER&tab=${tab}`))],
  'a flame graph': [inTrace('mode=flame')],
  'Steps of a trace': [inTrace('mode=steps&span=HANDLER&tab=logs')],
  'story and spans of a trace': ['story', 'table'].map((mode) => inTrace(`mode=${mode}&span=HANDLER&tab=logs`)),
  'the input of a span': [inTrace('mode=story&span=HANDLER&tab=input')],
  Logs: [at('/logs')],
  'patterns of Logs': [at('/logs?as=patterns', 'j')],
  'a line of Logs': [at('/logs?q=step:CreateTicket', 'j')],
  'State, a group': [at('/state/tickets')],
  'State, keys as a tree': [at('/state/tickets?as=tree', 'j')],
  'State, a search': [at('/state/tickets?as=search&q=lamp')],
  'State, a value': [at('/state/tickets', 'j'), ...['history', 'raw'].map((tab) => at(`/state/tickets?tab=${tab}`, 'j'))],
  'State, a value that is edited': [{ ...at('/state/tickets', 'j'), click: 'Edit' }],
  'Streams, a group': [at('/streams/board/triaged')],
  'Streams, an item': [at('/streams/board/triaged', 'j')],
  'Streams, an item that is edited': [{ ...at('/streams/board/triaged', 'j'), click: 'Edit' }],
  'Streams, events': [at('/streams/board/triaged?tab=events')],
  'Streams, as a client': [at('/streams/board/triaged?tab=as')],
  Queues: [at('/queues', 'j')],
  'Queues, messages': ['waiting', 'active', 'retrying', 'done'].map((tab) => at(`/queues/ticket.created?tab=${tab}`)),
  'Queues, dead letters': [at('/queues/ticket.triaged?tab=dead', 'j')],
  'Queues, Enqueue': [at('/queues/ticket.created?tab=publish')],
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
    await waitUntil('a dead letter', async () => (await shown.admin.letters('NotifyCustomer')).length > 0);
  });
  checkedAndClosed(() => shown);

  /** Keys that the help has there. */
  const bound = async ({ path, press = [], click }: Visit): Promise<readonly string[]> => {
    await shown.visit(path(sent));
    await page.getByTitle('Whether changes arrive as they happen').filter({ hasText: 'Live' }).waitFor();
    for (const key of press) await page.keyboard.press(key);
    if (click !== undefined) {
      await page.getByRole('button', { name: click, exact: true }).click();
      await page.getByRole('heading', { level: 1 }).click();
    }
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keys that work here' });
    await help.waitFor();
    const keys = (await help.locator('kbd').allTextContents()).sort();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    return keys;
  };

  for (const [place, visits] of Object.entries(PLACES)) {
    it(`are in the guide, those that work in ${place} and no others`, async () => {
      const everywhere = keysOfGuide().get('every view') ?? [];
      const documented = keysOfGuide().get(place);
      for (const visit of visits) {
        const own = (found: readonly string[]): readonly string[] => (place === 'every view' ? found : found.filter((key) => !everywhere.includes(key)));
        let found = await bound(visit);
        // Parts of a view that are drawn later bind theirs later.
        for (let visits = 1; visits < 5 && own(found).length < (documented?.length ?? 0); visits += 1) found = await bound(visit);
        expect(found, 'every view').to.include.members([...everywhere]);
        expect(own(found), visit.path(sent)).to.deep.equal(documented);
      }
    });
  }

  it('are in the guide of places that there are, which are every view and every tab', async () => {
    expect([...keysOfGuide().keys()]).to.have.members(Object.keys(PLACES));
    const viewOf = ({ pathname }: URL): string => `/${pathname.split('/')[1] ?? ''}`;
    const visited = Object.values(PLACES).flat().map(({ path }) => new URL(path(sent), shown.base));
    await shown.goto('/');
    const views = await page.getByRole('navigation', { name: 'Views' }).getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    expect(visited.map(viewOf)).to.include.members(views);
    // Wherever tabs are, each of them is visited.
    const missing = new Set<string>();
    for (const { pathname, search } of [...new Map(visited.map((url) => [url.pathname, url])).values()]) {
      await shown.visit(pathname + search);
      for (const tab of await page.getByRole('main').getByRole('tab').all()) {
        const [title, list] = [await tab.textContent(), await tab.locator('xpath=..').getAttribute('aria-label')];
        await tab.click();
        const now = new URL(page.url());
        const chosen = ['as', 'tab', 'mode'].flatMap((name) => (now.searchParams.has(name) ? [`${name}=${now.searchParams.get(name) ?? ''}`] : []));
        for (const one of chosen.filter((place) => !visited.some((url) => viewOf(url) === viewOf(now) && url.search.includes(place)))) missing.add(`${now.pathname} ${one}: ${title ?? ''} of ${list ?? ''}`);
      }
    }
    expect([...missing]).to.deep.equal([]);
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
