import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { ROOT } from '../architecture/workspace.js';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { copyOfSample } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';
import { requireBrowser } from './browser.js';

const TOKEN = 'a-token-of-the-tests-alone';
const ADMIN = { 'Authorization': `Bearer ${TOKEN}`, 'X-Console': '1', 'Content-Type': 'application/json' };
/** On a machine that has much else to do. */
const PATIENCE_MS = 60_000;
/** What would be written if anything of it came through. */
const PUT_PATH = '/api/v1/state/groups/victims/keys/k';
const ASSET = `/assets/${readdirSync(join(ROOT, 'console/app-dist/assets')).find((name) => name.endsWith('.js.gz'))?.slice(0, -'.gz'.length) ?? ''}`;
/** What a page of somebody else asks for. */
const READS = ['/', '/index.html', ASSET, '/go/abc', '/traces/abc', '/metrics', '/api/v1', '/api/v1/meta', '/api/v1/modules/modules::state::StateModule/groups', '/x-assets/a/b/c.js'];

/** Pages of others, and the name by which they ask for the console: to browsers pages of one name are of one site, and cookies know no ports. */
const FOREIGN = [
  ['another site', 'evil.test', '127.0.0.1'], ['another application of this machine', '127.0.0.1', '127.0.0.1'], ['another application of this machine by its name', 'localhost', 'localhost'],
  ['another application of this machine by its address', '127.0.0.1', 'localhost'],
] as const;
/** What of it nobody has. */
const MISSING = new Set(['/x-assets/a/b/c.js']);

/** What of a browser's page the functions use that run in it. */
interface PageElement {
  src: string;
  innerHTML: string;
  onload: unknown;
  onerror: unknown;
  append(element: PageElement): void;
}
declare const document: {
  readonly cookie: string; readonly head: PageElement; readonly body: PageElement; readonly forms: readonly { submit(): void }[]; createElement(name: string): PageElement;
};
declare const location: { readonly origin: string };

interface Answered {
  readonly path: string;
  readonly status: number;
}

/** Somebody's page, and what the console answered it: foreign pages may not read it, the debugger may. */
class Visitor {
  private readonly urls = new Map<string, string>();
  private readonly answered: { readonly id: string; readonly status: number }[] = [];
  private readonly said: string[] = [];

  private constructor(readonly page: Page, private readonly port: string) {
    page.on('console', (message) => this.said.push(message.text()));
  }

  static async open(context: BrowserContext, port: string): Promise<Visitor> {
    const visitor = new Visitor(await context.newPage(), port);
    visitor.page.setDefaultTimeout(PATIENCE_MS);
    const debug = await context.newCDPSession(visitor.page);
    debug.on('Network.requestWillBeSent', ({ requestId, request }) => visitor.urls.set(requestId, request.url));
    debug.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) => visitor.answered.push({ id: requestId, status: statusCode }));
    await debug.send('Network.enable');
    return visitor;
  }

  /** The statuses that come for what the page does, as many as are expected at least. */
  async statuses<A>(count: number, act: (argument: A) => Promise<unknown>, argument: A): Promise<readonly number[]> {
    return (await this.answers(count, act, argument)).map(({ status }) => status);
  }

  /** The same, with what was asked for. */
  async answers<A>(count: number, act: (argument: A) => Promise<unknown>, argument: A): Promise<readonly Answered[]> {
    const before = this.ofConsole().length;
    await this.page.evaluate(act as (argument: unknown) => Promise<unknown>, argument);
    await waitUntil(`${count} answers`, () => this.ofConsole().length >= before + count, PATIENCE_MS);
    return this.ofConsole().slice(before);
  }

  /** `open`, or the status with which a WebSocket was refused. */
  async webSocket(url: string): Promise<string> {
    this.said.length = 0;
    const outcome = await this.page.evaluate((address) => new Promise<string>((resolve) => {
      const socket = new WebSocket(address);
      socket.onopen = () => resolve('open');
      socket.onerror = () => resolve('refused');
    }), url);
    if (outcome === 'open') return outcome;
    const reason = (): string | undefined => /Unexpected response code: (\d+)|HTTP Authentication failed/.exec(this.said.join('\n'))?.[0];
    await waitUntil('the reason', () => reason() !== undefined, PATIENCE_MS);
    // Chromium has words of its own for 401.
    return reason()?.replace('HTTP Authentication failed', '401').slice(-3) ?? '';
  }

  private ofConsole(): readonly Answered[] {
    return this.answered.flatMap(({ id, status }) => {
      const { port, pathname } = new URL(this.urls.get(id) ?? 'http://unknown/');
      // Browsers ask for an icon when they like.
      return port === this.port && pathname !== '/favicon.ico' ? [{ path: pathname, status }] : [];
    });
  }
}

describe('the console before a real browser', function () {
  this.timeout(300_000);
  let browser: Browser;
  let engine: EngineProcess;
  let base = '';
  let port = '';
  let elsewhere: Server;
  let otherPort = 0;
  /** Signed in at the console, as whoever falls for a foreign page. */
  let victim: BrowserContext;

  before(async function () {
    browser = await requireBrowser(this, ['--host-resolver-rules=MAP rebind.test 127.0.0.1, MAP evil.test 127.0.0.1']);
    const cwd = copyOfSample('tickets');
    const config = join(cwd, 'config.yaml');
    writeFileSync(config, readFileSync(config, 'utf8').replace('port: ${CONSOLE_PORT:3113}', 'port: ${CONSOLE_PORT:3113}\n      page: true'));
    engine = new EngineProcess({ cwd, args: ['--config', config], env: { HTTP_PORT: '0', STREAM_PORT: '0', WORKER_PORT: '0', CONSOLE_PORT: '0', ADMIN_TOKEN: TOKEN } });
    await engine.ready();
    base = await engine.address('console');
    ({ port } = new URL(base));
    elsewhere = createServer((_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>elsewhere</title>')).listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    otherPort = (elsewhere.address() as { port: number }).port;
    await admin('PUT', PUT_PATH, { value: 'untouched' });
    victim = await browser.newContext();
    const page = await victim.newPage();
    for (const host of ['127.0.0.1', 'localhost']) await page.goto((await link()).replace(/\/\/[^:]+/, `//${host}`));
    await page.close();
  });
  after(async () => {
    await browser?.close();
    elsewhere?.close();
    await stopAllEngines();
  });
  afterEach(async () => {
    const { value } = await admin<{ value: unknown }>('GET', PUT_PATH);
    expect(value, 'nothing came through').to.equal('untouched');
  });

  const admin = async <T>(method: string, path: string, body?: unknown): Promise<T> => (await (await fetch(base + path, { method, headers: ADMIN, ...body !== undefined && { body: JSON.stringify(body) } })).json()) as T;
  const live = (host: string): string => `ws://${host}:${port}/api/v1/live`;
  const link = async (): Promise<string> => (await admin<{ url: string }>('POST', '/api/v1/session/link', {})).url;
  const visit = async (context: BrowserContext, url: string): Promise<Visitor> => {
    const visitor = await Visitor.open(context, port);
    await visitor.page.goto(url);
    return visitor;
  };
  const cookiesOf = async (context: BrowserContext): Promise<readonly string[]> => (await context.cookies(base)).map(({ name }) => name);
  /** What a page can ask for; `mode` as browsers let it. */
  const readAnswers = (visitor: Visitor, origin: string, mode: 'same-origin' | 'no-cors' | 'cors'): Promise<readonly Answered[]> => visitor.answers(READS.length, async ([from, paths, how]) => (
    Promise.allSettled(paths.map((path) => fetch(from + path, { mode: how, credentials: 'include', cache: 'no-store' } as RequestInit)))), [origin, READS, mode] as const);
  const reads = async (...asked: Parameters<typeof readAnswers>): Promise<readonly number[]> => (await readAnswers(...asked)).map(({ status }) => status);
  const simplePost = (visitor: Visitor, origin: string): Promise<readonly number[]> => visitor.statuses(1, async (url) => (
    fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', headers: { 'content-type': 'text/plain' }, body: '{"step":"TriageTicket"}' }).catch(() => undefined)), `${origin}/api/v1/queues/pause`);
  const realPut = (visitor: Visitor, origin: string, value = 'taken'): Promise<readonly number[]> => visitor.statuses(1, async ([url, text]) => (
    fetch(url, { method: 'PUT', credentials: 'include', headers: { 'content-type': 'application/json', 'x-console': '1' }, body: JSON.stringify({ value: text }) }).catch(() => undefined)), [origin + PUT_PATH, value] as const);
  const all = (status: number, count: number): readonly number[] => Array<number>(count).fill(status);

  it('lets its own page read, write and follow', async () => {
    const visitor = await visit(victim, `${base}/icon.svg`);
    expect(await readAnswers(visitor, base, 'same-origin')).to.have.deep.members(READS.map((path) => ({ path, status: MISSING.has(path) ? 404 : 200 })));
    expect(await realPut(visitor, base, 'untouched')).to.deep.equal([200]);
    expect(await visitor.webSocket(live('127.0.0.1'))).to.equal('open');
    expect(await visitor.page.evaluate(() => document.cookie), 'no script sees the session').to.equal('');
  });

  it('refuses a change of its own page as text/plain, and one without the header', async () => {
    const visitor = await visit(victim, `${base}/icon.svg`);
    expect(await simplePost(visitor, base)).to.deep.equal([415]);
    const bare = await visitor.statuses(1, async () => fetch('/api/v1/queues/pause', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"step":"TriageTicket"}' }), undefined);
    expect(bare).to.deep.equal([403]);
  });

  it('refuses a page that has made its name resolve to this machine', async () => {
    const rebound = `http://rebind.test:${port}`;
    // The refusal is a document of the attacker's origin; without its policy it can do whatever the attacker's own page could.
    const attacker = await browser.newContext({ bypassCSP: true });
    const visitor = await Visitor.open(attacker, port);
    const { page } = visitor;
    expect((await page.goto(`${rebound}/attack`))?.status()).to.equal(403);
    expect(await reads(visitor, rebound, 'same-origin')).to.deep.equal(all(403, READS.length));
    expect(await page.evaluate(() => fetch('/api/v1/meta').then((answer) => answer.text()))).to.contain('"host_refused"');
    expect(await realPut(visitor, rebound)).to.deep.equal([403]);
    expect(await simplePost(visitor, rebound)).to.deep.equal([403]);
    expect(await visitor.webSocket(live('rebind.test'))).to.equal('403');
    const fresh = new URL(await link());
    expect((await page.goto(`${rebound}/${fresh.search}`))?.status()).to.equal(403);
    const context = await browser.newContext();
    await visit(context, fresh.href);
    expect(await cookiesOf(context), 'the link is as good as before').to.have.length(1);
  });

  for (const [who, name, host] of FOREIGN) {
    it(`refuses what a page of ${who} can send to ${host}: reads, simple posts, changes, scripts, frames, forms and WebSockets`, async () => {
      const visitor = await visit(victim, `http://${name}:${otherPort}/`);
      const { page } = visitor;
      const target = `http://${host}:${port}`;
      expect(await victim.cookies(target), 'it would be let in').to.have.length(1);
      expect(await reads(visitor, target, 'no-cors')).to.deep.equal(all(403, READS.length));
      expect(await reads(visitor, target, 'cors')).to.deep.equal(all(403, READS.length));
      expect(await simplePost(visitor, target), 'it is delivered, and refused').to.deep.equal([403]);
      expect(await realPut(visitor, target), 'its preflight').to.deep.equal([403]);
      expect(await visitor.webSocket(live(host))).to.equal('403');
      expect(await visitor.statuses(1, async (url) => new Promise((resolve) => {
        const script = document.createElement('script');
        script.onload = script.onerror = resolve;
        // By another address than what the cache has.
        script.src = url;
        document.head.append(script);
      }), `${target}${ASSET}?of=${name}-${host}`)).to.deep.equal([403]);
      const answerTo = (path: string): Promise<number> => page.waitForResponse(target + path).then((response) => response.status());
      const [framed] = await Promise.all([answerTo('/'), page.evaluate((url) => {
        const frame = document.createElement('iframe');
        frame.src = url;
        document.body.append(frame);
      }, `${target}/`)]);
      expect(framed).to.equal(403);
      const [posted] = await Promise.all([answerTo('/api/v1/queues/pause'), page.evaluate((url) => {
        document.body.innerHTML = `<form method="post" enctype="text/plain" action="${url}"><input name='{"step":"TriageTicket","a":"' value='"}'></form>`;
        document.forms[0]?.submit();
      }, `${target}/api/v1/queues/pause`)]);
      expect(posted).to.equal(403);
    });
  }

  it('refuses who shows nothing, and says how to get in', async () => {
    const context = await browser.newContext();
    const visitor = await visit(context, `${base}/icon.svg`);
    expect(await visitor.statuses(1, async () => fetch('/api/v1/meta'), undefined)).to.deep.equal([401]);
    expect(await realPut(visitor, base)).to.deep.equal([401]);
    expect(await visitor.webSocket(live('127.0.0.1'))).to.equal('401');
    await visitor.page.goto(`${base}/traces`);
    await visitor.page.getByText('npx treadle console').first().waitFor();
    expect(await cookiesOf(context)).to.deep.equal([]);
  });

  it('refuses a link that was opened before', async () => {
    const url = await link();
    const [first, second] = [await browser.newContext(), await browser.newContext()];
    expect(new URL((await visit(first, url)).page.url()).search, 'not in the address any more').to.equal('');
    expect(await cookiesOf(first)).to.deep.equal([`treadle_console_${port}`]);
    expect((await (await second.newPage()).goto(url))?.status()).to.equal(401);
    expect(await cookiesOf(second)).to.deep.equal([]);
  });

  it('ends what a page has open with its session', async () => {
    const context = await browser.newContext();
    const { page } = await visit(context, await link());
    const closed = await page.evaluate(async () => {
      const socket = new WebSocket(`${location.origin.replace('http', 'ws')}/api/v1/live`);
      await new Promise((resolve) => { socket.onopen = resolve; });
      const end = new Promise<number>((resolve) => { socket.onclose = ({ code }) => resolve(code); });
      await fetch('/api/v1/session/end', { method: 'POST', headers: { 'content-type': 'application/json', 'x-console': '1' }, body: '{}' });
      return end;
    });
    expect(closed).to.equal(1008);
    expect(await cookiesOf(context)).to.deep.equal([]);
  });

  it('has in its audit nothing that a foreign page has done', async () => {
    const { items } = await admin<{ items: readonly { readonly path: string; readonly status: number }[] }>('GET', '/api/v1/audit?limit=1000');
    expect(items.filter(({ path }) => path.startsWith('/api/v1/queues'))).to.deep.equal([]);
  });
});
