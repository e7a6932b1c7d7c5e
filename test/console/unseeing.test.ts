import { expect } from 'chai';
import { WITHHELD as SHOWN } from '../../console/app/src/api/withheld.js';
import { WITHHELD } from '../../console/src/payloads/stand-in.js';
import { requirePython } from '../support/require-python.js';
import { checkedAndClosed, type SentTicket, TicketsPage } from './tickets-page.js';

const EMAIL = 'c@example.com';

describe("the console's page for who sees no payloads", function () {
  this.timeout(240_000);
  let shown: TicketsPage;
  let sent: SentTicket;
  before(async function () {
    await requirePython(this);
    shown = await TicketsPage.open(this);
    sent = await shown.sendTicket();
    const { url } = await shown.admin.call<{ readonly url: string }>('POST', '/session/link', { payloads: false });
    await shown.page.goto(url);
    await shown.settled();
  });
  checkedAndClosed(() => shown);

  it('says so above all, and that they are withheld where they would stand', async () => {
    const { page } = shown;
    await page.getByText('No payloads', { exact: true }).waitFor();
    expect(SHOWN, 'what the page takes for the stand-in').to.equal(WITHHELD);
    const { items: [entry] } = await shown.admin.call<{ readonly items: readonly { readonly key: string }[] }>('GET', '/state/groups/tickets/keys');
    for (const path of [`/state/tickets/${entry?.key ?? ''}`, `/logs?q=step:CreateTicket`]) {
      await shown.goto(path);
      await page.getByText(WITHHELD).first().waitFor();
      expect(await page.content(), path).not.to.contain(EMAIL);
    }
    for (const path of ['/', '/metrics', '/traces', '/logs']) {
      await shown.goto(path);
      expect(await page.getByText(/^Changes do not arrive|^Could not load/).allTextContents(), path).to.deep.equal([]);
    }
    await shown.goto(`/traces/${sent.traceId}?span=${sent.handler}`);
    expect(await page.content()).not.to.contain(EMAIL);
  });
});
