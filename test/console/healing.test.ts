import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { waitUntil } from '../support/wait-until.js';
import { accessibilityFaults } from './browser.js';
import { checkedAndClosed, TicketsPage, tickets } from './tickets-page.js';

const FILE = 'steps/lamp.step.ts';
const STEP = (code: string): string => `import { http, step } from 'treadle';\n\nexport const { config, handler } = step(\n  { name: 'Lamp', triggers: [http('GET', '/lamp/:id')] },\n  async ({ pathParams: { id } }) => { ${code} },\n);\n`;
const BROKEN = STEP("if (id !== 'ok') throw new TypeError(`lamp ${id} is dark`); return { status: 200, body: id };");

describe("what is wrong now, in the console's page", function () {
  this.timeout(240_000);
  let shown: TicketsPage;
  let page: Page;

  before(async function () {
    ({ page } = shown = await TicketsPage.open(this, withBrokenLamp));
    await shown.signIn();
    await page.getByRole('link', { name: 'I know my way' }).click();
  });
  checkedAndClosed(() => shown);

  const status = async (id: string): Promise<number> => (await fetch(`${await shown.engine.address('http')}/lamp/${id}`)).status;
  const line = (text: RegExp): Locator => page.getByRole('listitem').filter({ hasText: text });
  const over = (): Locator => page.getByRole('heading', { name: 'What was wrong, and is over' });

  it('is one line for each kind of error, with how often, and leads to the run that failed last', async () => {
    for (const id of ['17', '18']) expect(await status(id)).to.equal(500);
    const lamp = line(/error.*Lamp fails: TypeError: lamp <n> is dark \(2\) first .* last /);
    await lamp.waitFor();
    expect(await line(/Lamp fail/).count()).to.equal(1);
    expect(await over().count()).to.equal(0);
    await lamp.getByRole('link', { name: /^Lamp fails/ }).click();
    await page.waitForURL(/\/traces\/[0-9a-f]{32}\?span=[0-9a-f]{16}$/);
    await page.getByRole('complementary', { name: 'Inspector' }).getByText('lamp 18 is dark').first().waitFor();
  });

  it('says that the code was loaded anew since', async () => {
    await shown.goto('/');
    await line(/Lamp fails/).waitFor();
    writeFileSync(join(shown.folder, FILE), STEP('return { status: 200, body: `lamp ${id} is bright` };'));
    await line(/Lamp fails.*code loaded anew since/).waitFor();
    await waitUntil('the mended Step', async () => await status('19') === 200);
  });

  it('is over once a run succeeds', async () => {
    await shown.goto('/');
    await over().waitFor();
    await line(/over.*Lamp failed: TypeError: lamp <n> is dark.*succeeded since/).waitFor();
    expect(await line(/Lamp fails/).count()).to.equal(0);
    expect(await accessibilityFaults(page)).to.deep.equal([]);
  });
});

function withBrokenLamp(): string {
  const folder = tickets();
  writeFileSync(join(folder, FILE), BROKEN);
  return folder;
}
