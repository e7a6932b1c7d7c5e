import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { isLoopback, type SecretToken, urlHost } from '@treadle/api';
import { Callers } from './access/callers.js';
import { ProxySignIn } from './access/proxy-sign-in.js';
import type { Caller } from './access/caller.js';
import { callerKeys, SessionStore } from './access/session-store.js';
import { SessionCookie } from './access/session-cookie.js';
import { Sessions } from './access/sessions.js';
import { AdminApp } from './api/admin-app.js';
import type { Surroundings } from './api/surroundings.js';
import { AuditLog } from './audit/audit-log.js';
import { LIVE_PATH, LiveServer } from './live/live-server.js';
import { Jobs } from './jobs/jobs.js';
import { Selections } from './jobs/selections.js';
import { newBoot } from './api/boot.js';
import { RunHistory } from './run/run-history.js';
import type { ConsoleConfig } from './console.config.js';
import { PageSite } from './page/page-site.js';
import { ViewAssets } from './plugins/view-assets.js';
import { AllowedHosts } from './server/allowed-hosts.js';
import { ConsoleServer } from './server/console-server.js';
import { Refusal, refuse } from './server/refusal.js';
import { isUnsafe, pathOf, RequestGuard } from './server/request-guard.js';

/** What a console is made of. */
export interface ConsoleOptions extends Pick<Surroundings, 'engine' | 'catalog' | 'health' | 'steps' | 'settings' | 'clock' | 'log'> {
  readonly config: ConsoleConfig;
  readonly token: SecretToken;
  /** Of its config in the file, e.g. `modules[2].config`. */
  readonly path: string;
}

/** The parts of a running console. */
interface Parts {
  readonly app: AdminApp;
  readonly live: LiveServer;
  readonly jobs: Jobs;
  /** Undefined: the page is not served. */
  readonly page: PageSite | undefined;
  readonly viewAssets: ViewAssets;
}

/** The console of a running engine: a guarded port, and behind it the admin API and the page. */
export class Console {
  private readonly server: ConsoleServer;
  private readonly audit: AuditLog;
  private readonly sessions: Sessions;
  private parts: Parts | undefined;

  constructor(private readonly options: ConsoleOptions) {
    const { config, clock, log, engine, path } = options;
    this.audit = new AuditLog(engine.dataDir, log);
    this.sessions = new Sessions(clock, new SessionStore(engine.dataDir, callerKeys(config.auth), log));
    this.server = new ConsoleServer({
      host: config.host, port: config.port, path, base: config.base_path, log, guard: (port) => this.guard(port),
      onRequest: (request, response, caller) => this.handle(request, response, caller), onUpgrade: (request, socket, head, caller) => this.upgrade(request, socket, { head, caller }),
    });
  }

  /** @throws {ADDRESS_IN_USE}, {ADDRESS_REFUSED} */
  async open(): Promise<void> {
    await Promise.all([this.audit.open(), this.sessions.open()]);
    const port = await this.server.listen();
    this.options.engine.announce('console', this.urlAt(port));
  }

  /** See `AdminApp.drain`. */
  async drain(signal: AbortSignal): Promise<void> {
    this.parts?.live.close();
    await Promise.all([this.parts?.app.drain(signal), this.parts?.jobs.close()]);
  }

  async close(): Promise<void> {
    this.parts?.app.close();
    this.parts?.live.end();
    await this.parts?.jobs.close();
    await this.server.close();
    await Promise.all([this.audit.close(), this.sessions.close()]);
  }

  /** The port is known from now on. */
  private guard(port: number): RequestGuard {
    const { config: { host, auth, allowed_hosts: names, base_path: base, page, plugin_views: shownViews }, token, engine } = this.options;
    const { sessions } = this;
    const cookie = new SessionCookie(port);
    const showsPage = page ?? engine.mode === 'development';
    const access = { sessions, cookie, url: showsPage ? `${this.urlAt(port)}${base}` : undefined };
    const { engine: info, catalog, health, steps, settings, clock, log } = this.options;
    const selections = new Selections(catalog, clock);
    const jobs = new Jobs({ catalog, clock, log, audit: this.audit, selections });
    const surroundings = { engine: info, catalog, health, steps, settings, clock, log, access, audit: this.audit, boot: newBoot(clock), history: new RunHistory(), selections, jobs, shownViews };
    this.parts = {
      jobs, viewAssets: new ViewAssets(catalog, shownViews), app: new AdminApp(surroundings), live: new LiveServer(surroundings),
      page: showsPage ? new PageSite({ folder: PAGE_FOLDER, base, sessions, cookie }) : undefined,
    };
    const callers = new Callers({ token, tokens: auth.tokens, none: auth.none, proxy: auth.proxy && new ProxySignIn(auth.proxy), sessions, cookie });
    const isOpen = (path: string): boolean => (path === '/metrics' ? isLoopback(host) : showsPage && PageSite.serves(path) && !ViewAssets.serves(path));
    return new RequestGuard({ hosts: new AllowedHosts({ host, port, names }), callers, isOpen });
  }

  private handle(request: IncomingMessage, response: ServerResponse, caller: Caller): void {
    const { app, page, viewAssets } = this.parts as Parts;
    if (!page || isUnsafe(request) || !PageSite.serves(pathOf(request), request.headers.accept)) return app.handle(request, response, caller);
    (ViewAssets.serves(pathOf(request)) ? viewAssets : page).handle(request, response).catch((error: unknown) => {
      this.options.log.error('a file of the page could not be sent', { path: pathOf(request), error: String(error) });
      if (response.headersSent) response.destroy();
      else refuse(response, UNREADABLE);
    });
  }

  private upgrade(request: IncomingMessage, socket: Duplex, { head, caller }: { readonly head: Buffer; readonly caller: Caller }): boolean {
    if (pathOf(request) !== LIVE_PATH || request.headers.upgrade?.toLowerCase() !== 'websocket') return false;
    this.parts?.live.upgrade(request, socket, head, caller);
    return true;
  }

  private urlAt(port: number): string {
    return `http://${urlHost(reachable(this.options.config.host))}:${port}`;
  }
}

const UNREADABLE = new Refusal(500, 'page_unreadable', 'a file of the page could not be read; the log says why');

/** Beside `dist` in the package. */
const PAGE_FOLDER = join(dirname(createRequire(import.meta.url).resolve('../package.json')), 'app-dist');

/** An address that stands for all of them is none to connect to. */
function reachable(host: string): string {
  return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
}
