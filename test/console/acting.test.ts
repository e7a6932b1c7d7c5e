import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { requirePython } from '../support/require-python.js';
import { waitUntil } from '../support/wait-until.js';
import { accessibilityFaults } from './browser.js';
import { tabTo } from './tab-to.js';
import { checkedAndClosed, TicketsPage } from './tickets-page.js';

interface Ticket {
  readonly id: string;
}

interface AuditEntry {
  readonly id: number;
  readonly method: string;
  readonly path: string;
  readonly remote: string;
  readonly selection?: string;
  readonly requestId?: string;
}

describe("acting in the console's page", function () {
  this.timeout(120_000);
  let shown: TicketsPage;
  let page: Page;

  before(async function () {
    await requirePython(this);
    shown = await TicketsPage.open(this);
    ({ page } = shown);
    await shown.signIn();
  });
  checkedAndClosed(() => shown);

  const newTicket = async (customer: object): Promise<string> => {
    const answer = await fetch(`${await shown.engine.address('http')}/tickets`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ title: 'Screen stays black', priority: 'normal', customer }) });
    return ((await answer.json()) as Ticket).id;
  };
  const mark = (word: string): Locator => page.getByTitle('Whether changes arrive as they happen').filter({ hasText: word });
  const inspector = (): Locator => page.getByRole('complementary', { name: 'Inspector' });
  /** As a person does: the browser's own replacement of several lines would leave styles behind, which the page's policy refuses. */
  const fill = async (label: string, value: unknown): Promise<void> => {
    await page.getByRole('textbox', { name: label }).focus();
    for (const key of ['Control+a', 'Delete']) await page.keyboard.press(key);
    await page.keyboard.insertText(JSON.stringify(value));
  };
  const deadLetters = async (count: number): Promise<void> => void await waitUntil(`${count} dead letters`, async () => (await shown.admin.letters('NotifyCustomer')).length === count);

  const chips = (): Locator => page.getByRole('list', { name: 'Jobs that are not over' });
  /** From a dialog of a job that waits: to the trace of its first letter, with a reload on the way, and back by the chip that is in all views. */
  const leaveAndComeBack = async (dialog: Locator): Promise<void> => {
    const { searchParams } = new URL(page.url());
    await page.reload();
    await dialog.getByRole('link', { name: 'Look at what became of it' }).click();
    await page.waitForURL(/\/traces\/[\da-f]{32}$/);
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('NotifyCustomer').first().waitFor();
    await chips().getByText('1 of 3 done').waitFor();
    await shown.visit('/modules?tab=jobs');
    await page.getByRole('region', { name: 'Jobs' }).getByRole('row').filter({ hasText: 'paused' }).getByRole('link', { name: 'Redrive 3' }).waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await chips().getByRole('link', { name: 'Redrive 3' }).click();
    expect(new URL(page.url()).searchParams.get('job')).to.equal(searchParams.get('job'));
  };

  it('sends a request and shows its reply, Steps, state before and after, messages and logs until all has settled', async () => {
    await shown.goto('/endpoints/CreateTicket/0?as=json');
    await fill('Body', { title: 'Lamp is dark', priority: 'normal', customer: { id: 'c-1', email: 'c1@example.com' } });
    await page.getByRole('button', { name: /^Send/ }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('201').first().waitFor();
    await result.getByText(/Settled in .*/).waitFor();
    for (const step of ['CreateTicket', 'TriageTicket', 'NotifyCustomer', 'AuditTicket']) await result.getByRole('link', { name: step, exact: true }).first().waitFor();
    expect(await result.getByText(/Settled in/).locator('xpath=..').textContent()).to.match(/5 Steps, \d keys written, \d logs/);
    const triaged = result.getByRole('listitem').filter({ hasText: 'by TriageTicket, revision 2' });
    await triaged.locator('del', { hasText: 'open' }).waitFor();
    await triaged.locator('ins', { hasText: 'triaged' }).waitFor();
    await result.getByRole('link', { name: 'ticket.created' }).first().waitFor();
    await result.getByRole('link', { name: 'board/triaged' }).first().waitFor();
    await result.getByText('customer notified').waitFor();
    await result.getByRole('tab', { name: 'Response' }).click();
    await result.getByText('"Lamp is dark"').waitFor();
    await result.getByText('as declared').waitFor();
  });

  it('shows what was written in the story and in the inspector of a span, and enqueues the message that was handled last once more', async () => {
    const { traceId } = await shown.sendTicket('Screen flickers');
    await shown.goto(`/traces/${traceId}?mode=story`);
    const told = page.getByRole('list', { name: 'Story' }).getByRole('listitem').filter({ hasText: 'TriageTicket state.' });
    for (const [mark, text] of [['del', 'open'], ['ins', 'triaged']] as const) await told.locator(mark, { hasText: text }).first().waitFor();
    await told.filter({ hasText: 'revision 2' }).getByRole('button').click();
    await inspector().locator('ins', { hasText: 'triaged' }).first().waitFor();
    await shown.goto('/queues/ticket.created?tab=publish');
    const form = page.getByRole('region', { name: 'Enqueue' });
    await form.getByRole('button', { name: 'Last message handled' }).click();
    await waitUntil('the ticket in the form', async () => /^[\da-f-]{36}$/.test(await form.getByRole('textbox', { name: 'ticketId' }).inputValue()));
    await form.getByText('Delay, group, headers').click();
    await form.getByRole('textbox', { name: 'Delay, in seconds' }).fill('soon');
    await form.getByText('The delay is no number of seconds').waitFor();
    await form.getByRole('textbox', { name: 'Delay, in seconds' }).fill('0.1');
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(/\/traces\/[0-9a-f]{32}/);
  });

  it('replays a dead letter with other input, and names the first difference of both traces', async () => {
    const good = await newTicket({ id: 'c-2', email: 'c2@example.com' });
    await newTicket({ id: 'c-3' });
    await deadLetters(1);
    await shown.goto('/queues/ticket.triaged?tab=dead');
    await page.getByRole('region', { name: 'Dead letters' }).getByRole('button').first().click();
    await page.waitForURL(/[?&]msg=/);
    await page.reload();
    await inspector().getByRole('button', { name: 'Edit payload' }).waitFor();
    const { items: [group] } = await shown.admin.call<{ readonly items: readonly { readonly fingerprint: string }[] }>('GET', '/queues/dead-letters/groups?topic=ticket.triaged');
    const { search } = new URL(page.url());
    for (const [chosen, says] of [[group?.fingerprint ?? '', page.getByRole('button', { name: /no email/, pressed: true })], ['gone', page.getByText('There is no group “gone” any more')]] as const) {
      await shown.goto(`/queues/ticket.triaged${search}&group=${chosen}`);
      await says.waitFor();
    }
    await inspector().getByRole('button', { name: 'Edit payload' }).click();
    await fill('Payload', { ticketId: good, priority: 'normal' });
    await inspector().getByRole('button', { name: 'Replay and compare' }).click();
    await page.getByText(/First difference: handler NotifyCustomer failed in the first: customer "c-3" has no email/).waitFor();
    const rows = page.getByRole('list', { name: 'Spans of both traces' }).getByRole('listitem');
    expect(await rows.filter({ hasText: 'state.set' }).first().textContent()).to.contain('not there');
    await page.reload();
    await page.getByText(/First difference: handler NotifyCustomer/).waitFor();
  });

  it('redrives one letter, then the rest of its group, and nothing that came later', async () => {
    const ids = [await newTicket({ id: 'c-6' }), await newTicket({ id: 'c-7' })];
    await deadLetters(3);
    await shown.goto('/queues/ticket.triaged?tab=dead');
    await page.getByText('3 ×').waitFor();
    for (const id of ids) {
      const route = `/state/groups/tickets/keys/${id}`;
      const { value } = await shown.admin.call<{ readonly value: object }>('GET', route);
      await shown.admin.call('PUT', route, { value: { ...value, customer: { id: 'mended', email: 'mended@example.com' } } });
    }
    await page.getByRole('button', { name: 'Redrive 3…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Redrive 3' });
    await dialog.getByText(/3 items are frozen in this selection/).waitFor();
    await newTicket({ id: 'c-8' });
    await deadLetters(4);
    await dialog.getByRole('button', { name: 'Redrive 1 of 3' }).click();
    await dialog.getByText('The first one was delivered. Look at what became of it, then go on with the rest.').waitFor();
    await leaveAndComeBack(dialog);
    await dialog.getByRole('button', { name: 'Go on with 2' }).click();
    await dialog.getByText('3 of 3 done').waitFor();
    await chips().waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    // c-3 fails again, c-6 and c-7 are notified, c-8 was not in the selection.
    await deadLetters(2);
    for (const id of ids) await waitUntil('a mail', () => shown.admin.call('GET', `/state/groups/outbox/keys/${id}`));
    await shown.goto('/queues/ticket.triaged?tab=dead');
    await page.getByText('2 ×').waitFor();
    const { items } = await shown.admin.call<{ readonly items: readonly AuditEntry[] }>('GET', '/audit?limit=100');
    const [over, begun] = [items.find(({ method }) => method === 'JOB'), items.find(({ method, path }) => method === 'POST' && path === '/api/v1/jobs')];
    await shown.visit('/modules?tab=audit');
    const row = page.getByRole('row').filter({ hasText: 'redrive done: 3 of 3 done, 0 missing, 0 failed' });
    await row.getByTitle(over?.selection ?? 'none').waitFor();
    await row.getByText(over?.remote ?? 'none', { exact: true }).waitFor();
    await page.getByRole('link', { name: begun?.requestId?.slice(0, 8) ?? 'none' }).click();
    await page.waitForURL(`${shown.base}/modules?tab=audit&entry=${begun?.id ?? 0}`);
  });

  it('does the same by keys alone: sends, chooses letters, redrives them, and edits a value', async () => {
    await shown.goto('/endpoints');
    const keys = async (...pressed: readonly string[]): Promise<void> => {
      for (const key of pressed) await page.keyboard.press(key);
    };
    await keys('/');
    await page.keyboard.type('POST');
    await keys('Enter', 'Escape', 'j', 'Enter');
    await page.waitForURL(/\/endpoints\/CreateTicket\/0/);
    await page.getByRole('region', { name: 'Request' }).waitFor();
    await keys('Control+Enter');
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText(/Settled in/).waitFor();
    const before = (await shown.admin.letters('NotifyCustomer')).length;
    await keys('g', 'q');
    await page.getByRole('region', { name: 'Subscriptions' }).waitFor();
    await keys('j', 'Enter');
    await page.waitForURL(/\/queues\/ticket\.triaged/);
    await page.getByRole('region', { name: 'Dead letters' }).getByRole('row').nth(1).waitFor();
    await keys('j', 'x', 'j', 'X');
    await page.getByText(/^2 chosen$/).waitFor();
    await tabTo(page, 'Redrive the chosen…');
    await keys('Enter');
    const dialog = page.getByRole('dialog', { name: 'Redrive 2' });
    await dialog.getByText(/2 items are frozen/).waitFor();
    await tabTo(page, /^Redrive 1 of 2/);
    await keys('Enter');
    await dialog.getByText('The first one was delivered.').waitFor();
    await tabTo(page, 'Go on with 1');
    await keys('Enter');
    await dialog.getByText('2 of 2 done').waitFor();
    await keys('Escape');
    await deadLetters(before);
    await keys('g', 's');
    await page.getByRole('navigation', { name: 'Groups' }).getByRole('link', { name: 'tickets' }).waitFor();
    await tabTo(page, 'tickets');
    await keys('Enter');
    await page.getByRole('listbox', { name: 'Keys' }).getByRole('option').first().waitFor();
    await keys('j');
    await inspector().getByRole('button', { name: 'Edit', exact: true }).waitFor();
    await tabTo(page, 'Edit');
    await keys('Enter');
    await page.getByRole('textbox', { name: /^Value of/ }).waitFor();
    await tabTo(page, /^Value of/);
    await keys('Control+a', 'Delete');
    await page.keyboard.insertText('{"edited":"by keys"}');
    await keys('Control+s');
    await inspector().getByText('by keys').first().waitFor();
  });

  it('keeps a redrive in sight when it has left no dead letter', async () => {
    const { items } = await shown.admin.call<{ readonly items: readonly { readonly key: string }[] }>('GET', '/state/groups/tickets/keys');
    for (const { key } of items) await shown.admin.call('PUT', `/state/groups/tickets/keys/${key}`, { value: { title: 'Lamp', dueAt: '', customer: { id: 'mended', email: 'mended@example.com' } } });
    const { length } = await shown.admin.letters('NotifyCustomer');
    await shown.goto('/queues/ticket.triaged');
    await page.getByRole('button', { name: `Redrive ${length}…` }).click();
    const dialog = page.getByRole('dialog', { name: `Redrive ${length}` });
    await dialog.getByLabel('Redrive one first').uncheck();
    await dialog.getByRole('button', { name: `Redrive ${length}` }).click();
    await deadLetters(0);
    await page.locator('[role=tab][aria-selected=true]').filter({ hasText: /^Dead ?0$/ }).waitFor();
    await dialog.getByText(`${length} of ${length} done`).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('heading', { name: 'No dead letters' }).waitFor();
  });

  it('edits a value that somebody else wrote meanwhile: shows all three and overwrites nothing', async () => {
    const id = await newTicket({ id: 'c-4', email: 'c4@example.com' });
    const route = `/state/groups/tickets/keys/${id}`;
    interface Stored { readonly value: object; readonly revision: number }
    await waitUntil('a triaged ticket', async () => 'dueAt' in (await shown.admin.call<Stored>('GET', route)).value);
    await shown.goto(`/state/tickets/${id}`);
    await inspector().getByRole('button', { name: 'Edit', exact: true }).click();
    await fill(`Value of ${id}`, { mine: 9_007_199_254_740_991 });
    const before = await shown.admin.call<Stored>('GET', route);
    await shown.admin.call('PUT', route, { value: { ...before.value, theirs: true } });
    await inspector().getByText('It was written meanwhile').waitFor();
    await inspector().getByRole('button', { name: /^Save over revision/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Somebody wrote it meanwhile' });
    await dialog.getByText('theirs').first().waitFor();
    await dialog.getByText('mine').first().waitFor();
    await dialog.getByText(`Revision ${before.revision}, with which you began`).waitFor();
    expect((await shown.admin.call<Stored>('GET', route)).value).to.have.property('theirs', true);
    await dialog.getByRole('button', { name: `Save over revision ${before.revision + 1}` }).click();
    await waitUntil('my value', async () => 'mine' in (await shown.admin.call<Stored>('GET', route)).value);
    await dialog.waitFor({ state: 'hidden' });
    await inspector().getByText('mine').first().waitFor();
    await inspector().getByRole('tab', { name: 'History' }).click();
    await inspector().getByRole('button', { name: `Restore what was before (revision ${before.revision + 1})` }).click();
    await waitUntil('their value', async () => 'theirs' in (await shown.admin.call<Stored>('GET', route)).value);
  });

  it('says that the engine is gone, marks what is old, and comes back by itself with the gap', async () => {
    await shown.goto('/logs');
    await page.getByRole('listbox').getByRole('option').first().waitFor();
    await mark('Live').waitFor();
    await shown.engine.stop('SIGKILL');
    await page.getByRole('alert').filter({ hasText: /The engine is gone since .*What you see is as it was then/ }).waitFor();
    await mark('Gone').waitFor();
    await page.getByRole('link', { name: 'Queues' }).first().click();
    await page.getByRole('status', { name: 'Loading Queues' }).waitFor();
    await page.getByRole('link', { name: 'Logs' }).first().click();
    await page.getByRole('listbox').getByRole('option').first().waitFor();
    await page.getByRole('alert').filter({ hasText: 'What you see is as it was then' }).waitFor();
    await page.getByRole('link', { name: 'Queues' }).first().click();
    await shown.start();
    await page.getByRole('region', { name: 'Subscriptions' }).waitFor();
    await page.goBack();
    await page.getByRole('status').filter({ hasText: /The engine is back\. Between .* nothing was seen/ }).waitFor();
    await mark('Live').waitFor();
    expect(await page.getByText(/Not up to date|The engine is gone/).count()).to.equal(0);
    const lines = page.getByRole('listbox', { name: /^Log lines/ });
    await lines.evaluate((list) => list.scrollTo(0, list.scrollHeight));
    await lines.getByText('the engine was started anew here; its earlier log is gone').waitFor();
    await lines.evaluate((list) => list.scrollTo(0, 0));
    await newTicket({ id: 'c-5', email: 'c5@example.com' });
    await page.getByRole('option', { name: /ticket created/ }).first().waitFor();
  });
});
