import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { requirePython } from '../support/require-python.js';
import { waitUntil } from '../support/wait-until.js';
import { accessibilityFaults } from './browser.js';
import { checkedAndClosed, type SentTicket, TicketsPage } from './tickets-page.js';

/** Runs in the page. What somebody asks for by a press is asked, and what it opens is there, when two frames have been drawn. */
const PRESS_ALL = `(async () => {
  document.querySelectorAll('main button:not([aria-disabled])').forEach((one) => one.click());
  for (let frames = 0; frames < 2; frames += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
})()`;

/** What changes something, by where it is. */
type Acts = Readonly<Record<string, readonly string[]>>;

describe("the console's page for who may only look", function () {
  this.timeout(240_000);
  let shown: TicketsPage;
  let page: Page;
  let sent: SentTicket;
  let acts: Acts;
  /** What the page asked that would change something. */
  const asked: string[] = [];

  before(async function () {
    await requirePython(this);
    ({ page } = shown = await TicketsPage.open(this));
    sent = await shown.sendTicket();
    const body = JSON.stringify({ title: 'Lamp', priority: 'normal', customer: { id: 'c-9' } });
    await shown.admin.call('POST', '/run', { kind: 'http', method: 'POST', path: '/tickets', headers: { 'Content-Type': 'application/json' }, body });
    const [letter] = await waitUntil('a dead letter', async () => {
      const letters = await shown.admin.letters('NotifyCustomer');
      return letters.length > 0 && letters;
    });
    const { items: [key] } = await shown.admin.call<{ readonly items: readonly { readonly key: string }[] }>('GET', '/state/groups/tickets/keys');
    const { items: [item] } = await shown.admin.call<{ readonly items: readonly { readonly id: string }[] }>('GET', '/streams/board/groups/triaged');
    acts = {
      '/': ['Send'], '/endpoints/CreateTicket/0': ['Send'],
      '/queues/ticket.triaged?tab=dead': ['Pause', 'Redrive 1…', 'Discard 1…'], [`/queues/ticket.triaged?tab=dead&msg=${letter?.id ?? ''}`]: ['Redrive', 'Replay and compare'], '/queues/ticket.created?tab=publish': ['Enqueue'],
      '/state/tickets': ['Delete…'], [`/state/tickets/${key?.key ?? ''}`]: ['Edit', 'Delete', 'Change'], [`/state/tickets/${key?.key ?? ''}?tab=history`]: ['Restore what was before'],
      [`/streams/board/triaged/${item?.id ?? ''}`]: ['Edit', 'Delete'], '/streams/board/triaged?tab=as': ['Join'],
      '/cron': ['Run now', 'Pause', 'Pause until…', 'Skip next'],
    };
    await shown.signIn('viewer');
    page.on('request', (request) => void (request.method() !== 'GET' && asked.push(`${request.method()} ${request.url()}`)));
  });
  checkedAndClosed(() => shown);

  const main = (): Locator => page.getByRole('main');

  it('shows what they may not do, and says why to who looks, presses or works by keys', async () => {
    for (const [path, names] of Object.entries(acts)) {
      await shown.goto(path);
      for (const name of names) {
        const button = main().getByRole('button', { name: new RegExp(`^${name}(?!.*(?:until|…$))|^${name}$`) }).first();
        await button.waitFor().catch(() => expect.fail(`${path} has no ${name}`));
        expect(await button.isEnabled(), `${path}: ${name}`).to.equal(false);
        expect(await button.getAttribute('title')).to.equal('This is for the role operator; yours is viewer');
        await button.focus();
        await page.keyboard.press('Enter');
        await page.getByRole('status').filter({ hasText: 'This is for the role operator; yours is viewer' }).waitFor();
        expect(await page.getByRole('dialog').count()).to.equal(0);
      }
      expect(await accessibilityFaults(page), path).to.deep.equal([]);
    }
    expect(asked).to.deep.equal([]);
  });

  it('has no other button that asks for what is refused to them', async () => {
    for (const path of [...Object.keys(acts), `/traces/${sent.traceId}?span=${sent.handler}`, '/traces', '/logs', '/flows?as=outline&step=CreateTicket', '/metrics', '/modules', '/modules?tab=audit', '/streams']) {
      await shown.goto(path);
      // What some of them open has buttons, too.
      for (let depth = 0; depth < 2; depth += 1) {
        await page.evaluate(PRESS_ALL);
        await shown.settled();
      }
      expect(asked.splice(0), path).to.deep.equal([]);
    }
  });

  it('says of what they may not see that it is refused, never that it is not there', async () => {
    await shown.goto(`/traces/${sent.traceId}?span=${sent.handler}&tab=input`);
    await page.getByRole('note').filter({ hasText: /It cannot be run again: .*for the role operator/ }).waitFor();
    await shown.goto('/endpoints/CreateTicket/0?tab=body');
    await page.getByRole('region', { name: 'Result' }).getByRole('note').filter({ hasText: 'is for operators to see' }).waitFor();
    expect(await page.getByRole('button', { name: 'Save as test' }).count()).to.equal(0);
    expect(await page.getByRole('region', { name: 'Request' }).textContent()).not.to.contain('c-9');
    expect(await accessibilityFaults(page)).to.deep.equal([]);
  });

  it('tells what the engine refuses by keys', async () => {
    await shown.goto('/endpoints/CreateTicket/0');
    await page.getByRole('button', { name: /^Send/ }).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('status').filter({ hasText: 'is for the role operator' }).waitFor();
  });
});
