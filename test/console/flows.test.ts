import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { waitUntil } from '../support/wait-until.js';
import { accessibilityFaults } from './browser.js';
import { checkedAndClosed, TicketsPage } from './tickets-page.js';

describe('the graph of flows', function () {
  this.timeout(120_000);
  let shown: TicketsPage;
  let page: Page;

  before(async function () {
    ({ page } = shown = await TicketsPage.open(this));
    await shown.signIn();
    await shown.sendTicket();
  });
  checkedAndClosed(() => shown);

  const node = (id: string): Locator => page.locator(`.react-flow__node[data-id="${id}"]`);
  const hasFocus = (id: string): Promise<void> => page.locator(`.react-flow__node[data-id="${id}"]:focus`).waitFor();

  it('opens what has the focus by Enter and Space, as a click does', async () => {
    await shown.goto('/flows');
    await node('step:TriageTicket').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/step=TriageTicket/);
    await page.getByRole('button', { name: /^CreateTicket POST \/tickets/ }).waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await node('step:CreateTicket').focus();
    await page.keyboard.press('Space');
    await page.waitForURL(/step=CreateTicket/);
    await node('topic:ticket.created').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/queues\/ticket\.created$/);
  });

  it('leaves the arrows to the slider of the recorded time', async () => {
    await shown.goto('/flows?scrub=shown&step=CreateTicket');
    const slider = page.getByRole('slider', { name: 'Moment' });
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/at=\d/);
    expect(page.url()).to.match(/step=CreateTicket/);
  });

  it('is walked by arrows: along what leads from one to the other, and up and down beside each other', async () => {
    await shown.goto('/flows?step=CreateTicket');
    await node('step:CreateTicket').waitFor();
    for (const [key, id] of [['ArrowRight', 'topic:ticket.created'], ['ArrowRight', 'step:TriageTicket'], ['ArrowLeft', 'topic:ticket.created'], ['ArrowLeft', 'step:CreateTicket']] as const) {
      await page.keyboard.press(key);
      await hasFocus(id);
    }
    expect(page.url()).to.match(/step=CreateTicket/);
    await page.keyboard.press('ArrowUp');
    const [from, to] = [await node('step:CreateTicket').boundingBox(), await page.locator('.react-flow__node:focus').boundingBox()];
    expect(to?.y).to.be.lessThan(from?.y ?? 0);
    await page.keyboard.press('ArrowDown');
    await hasFocus('step:CreateTicket');
  });

  it('tells of a Step that failed where in its code, with which input, and runs it again', async () => {
    // The customer has no email.
    await fetch(`${await shown.engine.address('http')}/tickets`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"title":"Lamp","customer":{"id":"c-9"}}' });
    await waitUntil('a dead letter', async () => (await shown.admin.letters('NotifyCustomer')).length > 0);
    await shown.goto('/flows?step=NotifyCustomer');
    const failure = page.getByRole('region', { name: 'Last failure' });
    await failure.locator('[aria-current=location]').filter({ hasText: 'raise ValueError' }).waitFor();
    await failure.getByText('"c-9"').or(failure.getByText('c-9')).first().waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await failure.getByRole('button', { name: 'Run again from here' }).click();
    await page.waitForURL(/vs=/);
  });

  it('has a node for a file that does not load, and says why', async () => {
    await shown.goto('/flows');
    writeFileSync(join(shown.folder, 'steps/broken.step.ts'), 'export const config = {');
    await node('file:steps/broken.step.ts').filter({ hasText: 'does not load' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/file=steps\/broken\.step\.ts/);
    await page.getByRole('complementary', { name: 'Inspector' }).getByText('No Step of this file is served').waitFor();
    expect(await accessibilityFaults(page)).to.deep.equal([]);
    await shown.goto('/flows?as=outline&file=steps/broken.step.ts');
    await page.getByRole('main').getByRole('cell').filter({ hasText: 'does not load' }).waitFor();
    await shown.goto('/flows?file=steps/other.step.ts');
    await page.getByText(/There is no file that does not load/).waitFor();
  });
});
