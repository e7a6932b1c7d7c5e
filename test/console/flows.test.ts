import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
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
});
