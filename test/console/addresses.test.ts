import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { waitUntil } from '../support/wait-until.js';
import { goTo } from './scale/page-moves.js';
import { checkedAndClosed, type SentTicket, tickets, TicketsPage } from './tickets-page.js';

/** More items, and more lines of the log, than lists of the page ask for at once. */
const [ITEMS, LINES] = [510, 1_010];
const AT_A_TIME = 20;
const NEW_TICKET = JSON.stringify({ title: 'The first of all', priority: 'low', customer: { id: 'c-1', email: 'c@example.com' } });

interface Listed {
  readonly id: string;
  readonly requestId: string;
}

describe("addresses of the console's page", function () {
  this.timeout(240_000);
  let shown: TicketsPage;
  let page: Page;
  let sent: SentTicket;
  let ticket = '';

  before(async function () {
    ({ page } = shown = await TicketsPage.open(this, withLongLog));
    await shown.signIn();
    sent = await shown.sendTicket();
    await run('POST', '/tickets', NEW_TICKET);
    ticket = (await first('/state/groups/tickets/keys') as unknown as { readonly key: string }).key;
    await waitUntil('the second revision', async () => (await shown.admin.call<{ readonly revision: number }>('GET', `/state/groups/tickets/keys/${ticket}`)).revision > 1);
  });
  checkedAndClosed(() => shown);

  const main = (): Locator => page.getByRole('main');
  const inspector = (): Locator => page.getByRole('complementary', { name: 'Inspector' });
  const first = async (path: string): Promise<Listed> => (await shown.admin.call<{ readonly items: readonly Listed[] }>('GET', path)).items[0] as Listed;
  const run = async (method: string, path: string, body?: string): Promise<string> => (await shown.admin.call<Listed>('POST', '/run', { kind: 'http', method, path, ...body !== undefined && { body, headers: { 'content-type': 'application/json' } } })).id;
  const many = async (count: number, act: (at: number) => Promise<unknown>): Promise<void> => {
    for (let from = 0; from < count; from += AT_A_TIME) await Promise.all(Array.from({ length: Math.min(AT_A_TIME, count - from) }, (_, at) => act(from + at)));
  };
  const chosenTab = (name: string): Locator => page.getByRole('tab', { name, selected: true });
  /** The same is there after a reload. */
  const again = async (proof: () => Promise<unknown>): Promise<void> => {
    const address = page.url();
    await proof();
    await page.reload();
    await shown.settled();
    await proof();
    expect(page.url()).to.equal(address);
  };

  it('show the same again, whatever their form', async () => {
    const { items } = await shown.admin.call<{ readonly items: readonly { readonly traceId: string; readonly name: string }[] }>('GET', '/traces?q=route:/tickets');
    const { traceId } = items[0] as { readonly traceId: string };
    const { rows } = await shown.admin.call<{ readonly rows: readonly { readonly spanId: string; readonly name: string }[] }>('GET', `/traces/${traceId}`);
    const spanId = rows.find(({ name }) => name === 'handler CreateTicket')?.spanId ?? '';
    const { items: [key] } = await shown.admin.call<{ readonly items: readonly { readonly key: string }[] }>('GET', '/state/groups/tickets/keys');
    const ticket = key?.key ?? '';
    const { items: [line] } = await shown.admin.call<{ readonly items: readonly { readonly id: number }[] }>('GET', '/logs?q=message:"ticket created"');
    const { items: [run] } = await shown.admin.call<{ readonly items: readonly { readonly id: string }[] }>('GET', '/history?limit=1');
    const { items: [module] } = await shown.admin.call<{ readonly items: readonly { readonly id: string }[] }>('GET', '/modules');
    const pressed = (name: RegExp, isPressed: boolean): Locator => main().getByRole('button', { name, pressed: isPressed });
    const { items: [tick] } = await shown.admin.call<{ readonly items: readonly { readonly at: string }[] }>('GET', '/cron/calendar');
    const [date, hour] = await page.evaluate(`(({ date, hour }) => [date, hour])(((at) => ({ date: at.toLocaleDateString('sv'), hour: String(at.getHours()).padStart(2, '0') }))(new Date('${tick?.at ?? ''}')))`) as readonly string[];
    const range = `from=2026-01-01T00:00:00.000Z&to=${new Date(Date.now() + 60_000).toISOString()}`;
    const forms: readonly (readonly [path: string, proof: RegExp | string | Locator])[] = [
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
      ['/metrics?m=process.memory.usage&as=table', 'Now'], ['/modules?tab=audit', '/api/v1/session/link'], ['/modules?tab=config', 'Where it comes from'], ['/modules?tab=jobs', 'No jobs'], ['/queues?job=gone', page.getByRole('heading', { name: 'There is no job “gone”' })], ['/no/such/view', 'There is no such view'],
      ['/traces?by=step', main().getByRole('region', { name: 'Traces by Step, the most frequent first' })], [`/traces/${traceId}?until=reply`, 'Critical path to the reply'], [`/traces/${traceId}?idle=shown`, 'Critical path to the last effect'], ['/logs?repeats=apart', pressed(/^Fold repeats/, false)],
      ['/flows?stores=shown', pressed(/^State and streams$/, true)], ['/flows?scrub=shown&speed=2', page.locator('select[aria-label=Speed] option:checked[value="2"]').locator('xpath=..')], ['/flows?as=outline&step=CreateTicket&tab=source', 'export const'], ['/flows?as=outline&step=CreateTicket&tab=config', 'triggers'],
      [`/cron?as=calendar&hour=${date ?? ''}T${hour ?? ''}`, `${date ?? ''}, ${hour ?? ''} h`], ['/cron?as=calendar&from=2027-01-01T00:00:00.000Z', 'From now on'], ['/cron?as=expression&expression=@hourly&timezone=Europe/Berlin', 'in Europe/Berlin'], ['/metrics?m=http.server.request.duration&by=http.route&show=p99', 'p99 of each interval'],
      ['/state/tickets?as=tree', 'Looked at all'], ['/state/tickets?as=search&q=title:Lamp', 'Looked at all'], ['/endpoints/CreateTicket/0?as=json', chosenTab('JSON')], ['/endpoints/CreateTicket/0?as=headers', 'Headers, one a line'], [`/endpoints/CreateTicket/0?req=${run?.id ?? ''}&tab=response-headers`, 'content-type'],
      [`/traces/${traceId}?span=${spanId}&tab=logs`, 'ticket created'], [`/traces/${traceId}?span=${spanId}&tab=raw`, 'stepName'], [`/traces/${traceId}?span=${spanId}&tab=input`, 'Run again from here'],
    ];
    for (const [path, proof] of forms) {
      for (const visit of ['first', 'second']) {
        await (visit === 'first' ? goTo(page, path) : page.reload());
        await shown.settled();
        await (typeof proof === 'string' || proof instanceof RegExp ? main().getByText(proof) : proof).first().waitFor().catch(() => expect.fail(`${path} does not show "${String(proof)}" on the ${visit} visit`));
        expect(decodeURI(page.url().slice(shown.base.length)), path).to.equal(path);
      }
    }
    const { rows: [, ...below] } = await shown.admin.call<{ readonly rows: readonly { readonly attributes: Readonly<Record<string, unknown>> }[] }>('GET', `/traces/${traceId}`);
    const message = String(below.map(({ attributes }) => attributes['messaging.message.id']).find(Boolean));
    const known: readonly (readonly [id: string, path: string])[] = [
      [traceId, `/traces/${traceId}`], [spanId, `/traces/${traceId}?span=${spanId}`], [message, `/traces/${traceId}`], ['CreateTicket', '/flows?step=CreateTicket'], ['steps/create-ticket.step.ts:8', '/flows?step=CreateTicket&line=8'], ['POST /tickets', '/endpoints/CreateTicket/0'],
      ['ticket.created', '/queues/ticket.created'], ['board', '/streams/board'], [`tickets/${ticket}`, `/state/tickets/${ticket}`],
    ];
    for (const [id, expected] of known) {
      await page.goto(`${shown.base}/go/${encodeURIComponent(id)}`);
      await page.waitForURL(shown.base + expected);
    }
  });

  it('open the request that they name, whatever was sent since, and say which one is not kept or is of another endpoint', async () => {
    const id = await run('POST', '/tickets', NEW_TICKET);
    for (let count = 0; count < 21; count += 1) await run('POST', '/tickets', '{"title":"later"}');
    const result = page.getByRole('region', { name: 'Result' });
    await shown.goto(`/endpoints/CreateTicket/0?as=json&req=${id}`);
    await again(async () => {
      await result.getByText('201').first().waitFor();
      await page.getByRole('region', { name: 'Request' }).getByText('The first of all').waitFor();
      expect(await page.getByLabel('Sent before').inputValue()).to.equal(id);
    });
    await shown.visit('/endpoints/CreateTicket/0?req=no-such-run');
    await result.getByRole('heading', { name: 'There is no request “no-such-run”' }).waitFor();
    const other = await run('GET', `/tickets/${ticket}`);
    await shown.visit(`/endpoints/CreateTicket/0?req=${other}`);
    await result.getByRole('heading', { name: `There is no request “${other}”` }).waitFor();
    await shown.visit('/endpoints/GetTicket/0');
    await result.getByText('200').first().waitFor();
  });

  it('open a line of the log and an item of a stream that are far down their lists, and say which one is not kept', async () => {
    const idOf = (at: number): string => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
    await many(ITEMS, (at) => shown.admin.call('PUT', `/streams/board/groups/many/items/${idOf(at)}`, { value: { id: idOf(at), title: `Item ${at}`, priority: 'low' } }));
    // The engine notes each of these, too.
    await many(LINES - ITEMS, () => shown.admin.call('POST', '/logs/search', { limit: 1 }));
    await shown.goto(`/streams/board/many/${idOf(ITEMS - 1)}`);
    await again(() => inspector().getByText(`"Item ${ITEMS - 1}"`).waitFor());
    await shown.visit(`/streams/board/many/${idOf(ITEMS)}`);
    await inspector().getByRole('heading', { name: `There is no item “${idOf(ITEMS)}”` }).waitFor();
    const { id, message } = await first('/logs?order=asc&limit=1') as Listed & { readonly message: string };
    await shown.goto(`/logs?line=${id}&around=all`);
    await again(async () => {
      await inspector().getByRole('heading', { name: message }).waitFor();
      await inspector().getByText('It is not among the lines that are listed').waitFor();
      await inspector().getByRole('tab', { name: 'All' }).waitFor();
    });
    await shown.visit(`/logs?line=${id}&q=nothing-says-this`);
    await inspector().getByRole('heading', { name: message }).waitFor();
    await shown.visit('/logs?line=99999999');
    await inspector().getByText(/record 99999999 is gone: it is of a former run/).waitFor();
    await page.keyboard.press('Escape');
    await inspector().waitFor({ state: 'detached' });
  });

  it('open the write of a revision in the history of its value, and the source of a Step at a line', async () => {
    await shown.goto(`/state/tickets/${ticket}?rev=1`);
    await again(async () => {
      await chosenTab('History').waitFor();
      await inspector().locator('li[aria-current]').filter({ hasText: 'revision 1' }).filter({ hasText: 'CreateTicket' }).waitFor();
    });
    await inspector().getByRole('link', { name: 'revision 2' }).click();
    await page.waitForURL(/rev=2$/);
    await inspector().locator('li[aria-current]').filter({ hasText: 'TriageTicket' }).waitFor();
    await inspector().getByRole('tab', { name: 'Raw' }).click();
    await page.waitForURL(/\?tab=raw$/);
    await shown.visit(`/state/tickets/${ticket}?rev=77`);
    await inspector().getByText('There is no revision “77”').waitFor();
    await shown.goto('/flows?as=outline&step=CreateTicket&line=8');
    await again(async () => {
      await chosenTab('Source').waitFor();
      expect(await inspector().locator('[aria-current=location]').textContent()).to.match(/^8/);
    });
    await main().getByRole('button', { name: 'GetTicket' }).click();
    await page.waitForURL(/step=GetTicket$/);
  });

  it('show what of a topic is done, by its traces, and name the tabs where they mean none', async () => {
    await shown.goto('/queues/ticket.created?tab=done');
    await again(async () => {
      await chosenTab('Done').waitFor();
      await page.getByRole('region', { name: 'Done' }).locator(`a[href*="/traces/${sent.traceId}"]`).first().waitFor();
    });
    await shown.visit('/queues/digest.run?tab=done');
    await page.getByRole('heading', { name: 'Nothing was done, as far as traces are kept' }).waitFor();
    await shown.visit('/queues/ticket.created?tab=former');
    await main().getByText('There is no “former” here: choose Waiting, Active, Retrying, Dead, Done or Enqueue.').waitFor();
    expect(await page.getByRole('region', { name: 'Messages' }).count()).to.equal(0);
    await page.getByRole('tab', { name: /^Waiting/ }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/tab=waiting$/);
    await shown.admin.call('POST', '/queues/pause', { step: 'SendDigest', topic: 'digest.run' });
    await shown.admin.call('POST', '/run', { kind: 'queue', topic: 'digest.run', data: { date: '2026-01-01' } });
    const { messageId } = await first('/queues/messages?step=SendDigest&topic=digest.run') as Listed & { readonly messageId: string };
    await shown.goto(`/queues/digest.run?tab=waiting&msg=${messageId}`);
    await again(() => inspector().getByText('"2026-01-01"').waitFor());
    await shown.visit('/queues/ticket.created?tab=waiting&msg=gone');
    await inspector().getByRole('heading', { name: 'There is no message “gone”' }).waitFor();
  });

  it('lead from the id of a request to its entry in the audit', async () => {
    await shown.admin.call('PUT', '/state/groups/tickets/keys/by-hand', { value: {} });
    const { id, requestId } = await first('/audit');
    await page.goto(`${shown.base}/go/${requestId}`);
    await page.waitForURL(`${shown.base}/modules?tab=audit&entry=${id}`);
    await again(() => main().getByRole('row').and(page.locator('[data-current=true]')).filter({ hasText: 'keys/by-hand' }).waitFor());
    await shown.visit('/modules?tab=audit&entry=99999999');
    await main().getByText('There is no entry “99999999”').waitFor();
  });

  it('hold what is looked for in a trace and what of it is folded', async () => {
    const spans = page.getByRole('treeitem');
    await shown.goto(`/traces/${sent.traceId}`);
    await spans.first().waitFor();
    const all = await spans.count();
    await page.getByRole('searchbox', { name: 'Find in the trace' }).fill('CreateTicket');
    await page.getByRole('button', { name: 'Hide others' }).click();
    await page.waitForURL(/[?&]find=CreateTicket&others=hidden$/);
    const few = await spans.count();
    expect(few).to.be.within(1, all - 1);
    await again(async () => {
      expect(await page.getByRole('searchbox', { name: 'Find in the trace' }).inputValue()).to.equal('CreateTicket');
      await waitUntil('those that fit', async () => await spans.count() === few);
    });
    await shown.visit(`/traces/${sent.traceId}`);
    await waitUntil('all spans', async () => await spans.count() === all);
    await page.keyboard.press('1');
    await page.waitForURL(/fold=1$/);
    await again(() => waitUntil('the root alone', async () => await spans.count() === 1));
    for (const key of ['j', 'Shift+ArrowRight']) await page.keyboard.press(key);
    await again(() => waitUntil('all spans again', async () => await spans.count() === all));
    await page.keyboard.press('ArrowLeft');
    await again(() => waitUntil('the root folded', async () => await spans.count() === 1));
    await page.goBack();
  });

  /** Addresses of what is not there, and what they are to say. */
  const NOT_THERE: readonly (readonly [path: string, text: string])[] = [
    ['/metrics?m=no.such', 'There is no metric “no.such”'], ['/modules/no-such', 'There is no module “no-such”'], ['/modules/no-such?tab=config', 'There is no module “no-such”'], ['/cron/Nobody', 'There is no Step with a cron trigger “Nobody”'], ['/cron/Nobody?as=calendar', 'There is no Step with a cron trigger “Nobody”'],
    ['/flows?flow=nowhere', 'There is no flow “nowhere”'], ['/flows?as=outline&step=Nobody', 'There is no Step “Nobody”'], ['/streams/nowhere', 'There is no stream “nowhere”'], ['/streams/nowhere/a', 'There is no stream “nowhere”'], ['/endpoints/Nobody/0', 'There is no endpoint “Nobody/0”'], ['/modules?tab=former', 'There is no “former” here'],
    ['/state/tickets?as=former', 'There is no “former” here'],
  ];

  it('say what is not there, and lead to what is', async () => {
    const ofTrace = [[`/traces/${sent.traceId}?span=0123456789abcdef`, 'There is no span “0123456789abcdef”'], [`/traces/${sent.traceId}?mode=former`, 'There is no “former” here']] as const;
    for (const [path, text] of [...NOT_THERE, ...ofTrace]) {
      await shown.visit(path);
      await main().getByText(text).first().waitFor().catch(() => expect.fail(`${path} does not show "${text}"`));
    }
    await shown.visit('/metrics?m=no.such');
    await main().getByRole('link', { name: 'All metrics' }).click();
    await page.waitForURL(/\/metrics$/);
  });
});

/** The sample; its engine keeps more lines of the log than a list of the page asks for at once. */
function withLongLog(): string {
  const folder = tickets();
  const file = join(folder, 'config.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('modules:\n', 'modules:\n  - class: modules::observability::OtelModule\n    config: { logs_max_count: 20000 }\n'));
  return folder;
}
