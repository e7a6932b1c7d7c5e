import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { waitUntil } from '../support/wait-until.js';
import { faultsInAllLooks } from './browser.js';
import { checkedAndClosed, TicketsPage } from './tickets-page.js';

const SOURCES = join(import.meta.dirname, '../../console/app/src');

/** What a view's modes and tabs are shown of. */
interface Shown {
  readonly trace: string;
  readonly handler: string;
  readonly key: string;
  readonly item: string;
  readonly line: string;
  readonly run: string;
  readonly letter: string;
}

/** Each mode and tab of each view that is not what the view begins with. */
const MODES: Readonly<Record<string, (of: Shown) => readonly string[]>> = {
  'a trace': ({ trace }) => ['flame', 'steps', 'story', 'table'].map((mode) => `/traces/${trace}?mode=${mode}`).concat(`/traces/${trace}?until=reply`),
  'a span': ({ trace, handler }) => ['overview', 'input', 'logs', 'attributes', 'raw'].map((tab) => `/traces/${trace}?span=${handler}&tab=${tab}`),
  'traces in groups': () => ['step', 'error', 'route'].map((by) => `/traces?by=${by}`),
  'patterns and a line of Logs': ({ line }) => ['/logs?as=patterns', '/logs?wrap=yes', '/logs?repeats=each', ...['all', 'step', 'trace'].map((around) => `/logs?line=${line}&around=${around}`), '/logs?q=level:loud', '/logs?q=nobody.says.this'],
  'a group of state': () => ['/state/tickets?as=tree', '/state/tickets?as=search', '/state/tickets?as=search&q=open', '/state/tickets?as=search&q=revision:x'],
  'a value of state': ({ key }) => ['history', 'raw'].map((tab) => `/state/tickets/${key}?tab=${tab}`),
  Flows: ({ trace }) => ['/flows?as=findings', '/flows?scrub=shown', `/flows?trace=${trace}`, ...['runs', 'source', 'config'].map((tab) => `/flows?as=outline&step=CreateTicket&tab=${tab}`)],
  'a group of a stream': ({ item }) => ['items', 'events', 'as'].map((tab) => `/streams/board/triaged?tab=${tab}`).concat(`/streams/board/triaged/${item}?full=yes`, '/streams/board/triaged?q=revision:x', '/streams/board/triaged?q=nobody'),
  'a topic': ({ letter }) => ['waiting', 'active', 'retrying', 'dead', 'done', 'publish'].map((tab) => `/queues/ticket.triaged?tab=${tab}`).concat(['waiting', 'dead', 'done'].flatMap((tab) => [`/queues/ticket.triaged?tab=${tab}&q=attempt:x`, `/queues/ticket.triaged?tab=${tab}&q=nobody`]), `/queues/ticket.triaged?tab=dead&msg=${letter}`),
  Endpoints: ({ run }) => ['json', 'headers', 'curl'].map((as) => `/endpoints/CreateTicket/0?as=${as}`).concat(['body', 'response-headers'].map((tab) => `/endpoints/CreateTicket/0?req=${run}&tab=${tab}`)),
  'Cron, Metrics and Modules': () => ['/cron/DailyDigest', '/metrics?m=http.server.request.duration&as=table', '/metrics?m=process.memory.usage', '/modules?tab=config', '/modules?tab=workers', '/modules?tab=audit'],
};

describe('modes and tabs of the console', function () {
  this.timeout(240_000);
  let shown: TicketsPage;
  let page: Page;
  let of: Shown;

  before(async function () {
    shown = await TicketsPage.open(this);
    ({ page } = shown);
    await shown.signIn();
    const { traceId: trace, handler } = await shown.sendTicket();
    await shown.admin.call('POST', '/queues/messages', { topic: 'ticket.triaged', data: { odd: 1 } });
    await shown.admin.call('POST', '/run', { kind: 'http', method: 'POST', path: '/tickets', body: JSON.stringify({ title: 'Lamp', priority: 'normal', customer: { id: 'c-1', email: 'c@example.com' } }), headers: { 'content-type': 'application/json' } });
    of = {
      trace, handler, key: await first('/state/groups/tickets/keys', 'key'), item: await first('/streams/board/groups/triaged', 'id'), line: await first('/logs?q=step:CreateTicket', 'id'),
      run: await first('/history', 'id'), letter: await first('/queues/dead-letters?topic=ticket.triaged', 'id'),
    };
  });
  checkedAndClosed(() => shown);

  const first = (path: string, name: string): Promise<string> => waitUntil(`the first of ${path}`, async () =>
    String((await shown.admin.call<{ readonly items: readonly Readonly<Record<string, unknown>>[] }>('GET', path)).items[0]?.[name] ?? ''));

  it('have one set of colours each theme: nothing else differs, so that one theme is enough for all rules but those of colours', () => {
    const styles = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.css') && file !== join('theme', 'tokens.css'));
    expect(styles.length).to.be.above(20);
    expect(styles.filter((file) => /data-theme|prefers-color-scheme/.test(readFileSync(join(SOURCES, file), 'utf8')))).to.deep.equal([]);
  });

  it('are looked at in each theme: what one of them alone has is found', async () => {
    await shown.visit('/modules?tab=audit');
    await page.evaluate(`{
      const faint = Object.assign(document.createElement('p'), { textContent: 'faint in the light' });
      faint.style.color = '#ddd';
      document.querySelector('main').append(faint);
    }`);
    const found = await faultsInAllLooks(page);
    expect(found.map((fault) => /^(\d+) px, (\w+): color-contrast: .*faint/.exec(fault)?.slice(1, 3))).to.deep.equal([['320', 'light'], ['768', 'light'], ['1440', 'light']]);
    await page.reload();
  });

  for (const [name, paths] of Object.entries(MODES)) {
    it(`has no serious fault for assistive techniques in all of ${name}, in both themes at 320, 768 and 1440 px`, async () => {
      const found: string[] = [];
      for (const path of paths(of)) {
        await shown.visit(path);
        found.push(...(await faultsInAllLooks(page)).map((fault) => `${path}, ${fault}`));
      }
      expect(found).to.deep.equal([]);
    });
  }
});
