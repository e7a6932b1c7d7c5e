import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort } from '@treadle/testing';
import { expect } from 'chai';
import type { Context, Test } from 'mocha';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { AdminClient } from '../support/admin-client.js';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { copyOfSample } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';
import { requireBrowser } from './browser.js';
import { goTo, IS_USABLE } from './scale/page-moves.js';

const WAIT_MS = 60_000;
const MOST_SHOWN = 3_000;
/** What the browser says of requests that were refused or found nobody. */
const ANSWERS = /^Failed to load resource|^WebSocket connection to/;

/** What is known of a ticket that was sent. */
export interface SentTicket {
  readonly traceId: string;
  /** Id of the span. */
  readonly handler: string;
}

/** The tickets sample, or another application, in a folder of its own, its engine, and a browser that shows its console. */
export class TicketsPage {
  /** What the page itself got wrong: errors of its code, breaches of its policy. A refusal of the API is an answer. */
  readonly faults: string[] = [];
  readonly page: Page;
  readonly context: BrowserContext;
  readonly folder: string;
  /** Address of the console. */
  readonly base: string;
  engine: EngineProcess;

  private constructor(private readonly browser: Browser, { page, folder, base, engine }: Pick<TicketsPage, 'page' | 'folder' | 'base' | 'engine'>) {
    [this.page, this.context, this.folder, this.base, this.engine] = [page, page.context(), folder, base, engine];
    page.on('pageerror', (error) => this.faults.push(String(error)));
    page.on('console', (message) => void (message.type() === 'error' && !ANSWERS.test(message.text()) && this.faults.push(`${message.text()} (${message.location().url}:${message.location().lineNumber})`)));
  }

  /** Skips the test where there is no browser. `application` makes the folder of another application than the sample. */
  static async open(test: Context, application: () => string = tickets): Promise<TicketsPage> {
    return TicketsPage.in(await requireBrowser(test), application);
  }

  /** The browser is closed with it. */
  static async in(browser: Browser, application: () => string = tickets): Promise<TicketsPage> {
    const folder = application();
    const engine = await started(folder, String(await freePort()));
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: 'dark', reducedMotion: 'reduce' });
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    return new TicketsPage(browser, { page, folder, base: await engine.address('console'), engine });
  }

  get admin(): AdminClient {
    return new AdminClient(this.engine);
  }

  /** Where a browser gets in; it works once. */
  async link(role?: 'viewer'): Promise<string> {
    return (await this.admin.call<{ readonly url: string }>('POST', '/session/link', { role })).url;
  }

  async signIn(role?: 'viewer'): Promise<void> {
    await this.page.goto(await this.link(role));
    await this.settled();
  }

  /** Sends a ticket with a cookie. Gives its trace and the span of the handler that took it, once the next Step of the flow has run as well. */
  async sendTicket(title = 'Lamp is dark'): Promise<SentTicket> {
    const headers = { 'content-type': 'application/json', cookie: 'id=s3cret' };
    const body = JSON.stringify({ title, priority: 'normal', customer: { id: 'c-1', email: 'c@example.com' } });
    const answer = await fetch(`${await this.engine.address('http')}/tickets`, { method: 'POST', headers, body });
    const traceId = answer.headers.get('x-trace-id') ?? '';
    return waitUntil('the trace', async () => {
      const { rows } = await this.admin.call<{ readonly rows: readonly { readonly spanId: string; readonly name: string }[] }>('GET', `/traces/${traceId}`).catch(() => ({ rows: [] }));
      const handler = rows.find(({ name }) => name === 'handler CreateTicket')?.spanId;
      return handler !== undefined && rows.some(({ name }) => name === 'handler TriageTicket') && { traceId, handler };
    });
  }

  async goto(path: string): Promise<void> {
    await this.page.goto(this.base + path);
    await this.settled();
  }

  /** Goes there as a link of the page does: what is loaded and known stays, which takes less than to load it anew. */
  async visit(path: string): Promise<void> {
    await goTo(this.page, path);
    await this.settled();
  }

  /** The view is there with what it asked for. */
  async settled(): Promise<void> {
    await waitUntil('the view', () => this.page.evaluate(IS_USABLE) as Promise<boolean>, WAIT_MS);
  }

  /** After each test: the page itself got nothing wrong. When the test failed, what the page showed is printed. */
  async check(test: Test | undefined): Promise<void> {
    if (test?.state === 'failed') process.stderr.write(`${this.page.url()} showed: ${(await this.page.getByRole('main').textContent())?.slice(0, MOST_SHOWN) ?? ''}\n`);
    expect(this.faults.splice(0)).to.deep.equal([]);
  }

  /** The same engine anew, on the same port. */
  async start(): Promise<void> {
    this.engine = await started(this.folder, new URL(this.base).port);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.engine.stop('SIGKILL');
  }
}

/** After each test of a suite its page is checked, and closed after the last one. `shown` is asked then: without a browser there is none. */
export function checkedAndClosed(shown: () => TicketsPage | undefined): void {
  afterEach(function () {
    return shown()?.check(this.currentTest);
  });
  after(async () => {
    await shown()?.close();
    await stopAllEngines();
  });
}

/** The sample in development. On a busy machine it refuses no request. */
export function tickets(): string {
  const file = join(copyOfSample('tickets'), 'config.yaml');
  writeFileSync(file, `${readFileSync(file, 'utf8').replace('${HTTP_PORT:3111}', '$&\n      max_event_loop_delay_ms: 60000')}\nengine:\n  mode: development\n  init_timeout_ms: 60000\n`);
  return dirname(file);
}

async function started(cwd: string, port: string): Promise<EngineProcess> {
  const engine = new EngineProcess({ cwd, args: ['--config', join(cwd, 'config.yaml')], env: { HTTP_PORT: '0', STREAM_PORT: '0', WORKER_PORT: '0', CONSOLE_PORT: port } });
  await engine.ready();
  return engine;
}
