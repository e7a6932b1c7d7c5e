import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { stopAllEngines } from '../support/engine-process.js';
import { requireBrowser } from './browser.js';
import { tickets, TicketsPage } from './tickets-page.js';

const BELOW = '/console';
/** Browsers find it on this machine, and it is none of the names that the console takes by itself. */
const NAME = 'console.localhost';

/** Shows a server of this machine below a path, under a name of its own; Host and Origin stay as they come. */
class Proxy {
  port = 0;
  private readonly server: Server;
  private readonly sockets = new Set<Duplex>();

  constructor(private readonly targetPort: () => number) {
    this.server = createServer((incoming, outgoing) => {
      const path = belowBase(incoming);
      if (path === undefined) return void outgoing.writeHead(404).end();
      const { method, headers } = incoming;
      incoming.pipe(request({ host: '127.0.0.1', port: targetPort(), method, path, headers }, (answer) => answer.pipe(outgoing.writeHead(answer.statusCode ?? 502, answer.headers))).on('error', () => outgoing.destroy()));
    });
    this.server.on('upgrade', (incoming, socket, head) => this.upgrade(incoming, socket, head));
  }

  async listen(): Promise<void> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    ({ port: this.port } = this.server.address() as AddressInfo);
  }

  close(): void {
    this.sockets.forEach((socket) => socket.destroy());
    this.server.close();
    this.server.closeAllConnections();
  }

  private upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    const path = belowBase(incoming);
    if (path === undefined) return void socket.end('HTTP/1.1 404 Not Found\r\n\r\n');
    const { rawHeaders } = incoming;
    const fields = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1] ?? ''}\r\n`] : []));
    const target = connect(this.targetPort(), '127.0.0.1', () => target.write(Buffer.concat([Buffer.from(`GET ${path} HTTP/1.1\r\n${fields.join('')}\r\n`), head])));
    for (const [one, other] of [[socket, target], [target, socket]] as const) {
      this.sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
  }
}

/** Undefined: it is not for what the proxy shows. */
function belowBase({ url = '' }: IncomingMessage): string | undefined {
  return url === BELOW || url.startsWith(`${BELOW}/`) ? url.slice(BELOW.length) || '/' : undefined;
}

describe("the console's page below a path of a proxy", function () {
  this.timeout(120_000);
  // Each goes on from what the former ones did.
  this.bail(true);
  let shown: TicketsPage;
  let page: Page;
  let base = '';
  const asked: string[] = [];
  const proxy = new Proxy(() => Number(new URL(shown.base).port));

  before(async function () {
    const browser = await requireBrowser(this);
    await proxy.listen();
    base = `http://${NAME}:${proxy.port}${BELOW}`;
    shown = await TicketsPage.in(browser, () => withBasePath(proxy.port));
    ({ page } = shown);
    page.on('request', (one) => void asked.push(one.url()));
    page.on('websocket', (socket) => void asked.push(socket.url().replace(/^ws/, 'http')));
  });
  afterEach(function () {
    return shown.check(this.currentTest);
  });
  after(async () => {
    await shown?.close();
    proxy.close();
    await stopAllEngines();
  });

  it('lets a browser in by its link, with nothing of it left in the address', async () => {
    await page.goto(`${base}/${new URL(await shown.link()).search}`);
    await page.getByRole('heading', { name: 'Your app is running.' }).waitFor();
    expect(page.url()).to.equal(`${base}/`);
  });

  it('goes to Traces, follows them live, and shows the same after it was loaded anew', async () => {
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: /^Traces/ }).click();
    await page.waitForURL(`${base}/traces`);
    for (const visit of ['first', 'second']) {
      if (visit === 'second') await page.reload();
      await page.getByTitle('Whether changes arrive as they happen').filter({ hasText: /Live$/ }).waitFor();
      const { traceId } = await shown.sendTicket();
      await page.locator(`a[href="${BELOW}/traces/${traceId}"]`).first().waitFor();
    }
  });

  it('loads the code of views, the editor and the worker of the graph from there, too', async () => {
    await page.goto(`${base}/flows?flow=tickets`);
    await page.locator('.react-flow__node').filter({ hasText: 'CreateTicket' }).click();
    await page.waitForURL(`${base}/flows?flow=tickets&step=CreateTicket`);
    await page.goto(`${base}/endpoints/CreateTicket/0?as=json`);
    await page.getByRole('textbox', { name: 'Body' }).waitFor();
    await page.goto(`${base}/metrics`);
    await page.getByRole('navigation', { name: 'Metrics' }).getByRole('link').first().waitFor();
  });

  it('has asked for nothing that is elsewhere', () => {
    expect(asked.some((url) => url.startsWith(`${base}/assets/`)) && asked.some((url) => url.startsWith(`${base}/api/v1/live`))).to.equal(true);
    expect(asked.filter((url) => !url.startsWith(`${base}/`) && !url.startsWith('data:') && !url.startsWith('blob:'))).to.deep.equal([]);
  });
});

function withBasePath(port: number): string {
  const folder = tickets();
  const file = join(folder, 'config.yaml');
  const own = 'port: ${CONSOLE_PORT:3113}';
  writeFileSync(file, readFileSync(file, 'utf8').replace(own, `${own}\n      base_path: ${BELOW}\n      allowed_hosts: ['${NAME}:${port}']`));
  return folder;
}
