import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { SessionCookie } from '../access/session-cookie.js';
import type { Sessions } from '../access/sessions.js';
import { Refusal, refuse } from '../server/refusal.js';
import { pathOf } from '../server/request-guard.js';
import { encoded, type PageFile, pageFiles } from './page-files.js';
import { PAGE_HEADERS } from './page-headers.js';

const INDEX = '/index.html';
const IMMUTABLE = 'public, max-age=31536000, immutable';
const NOT_BUILT = new Refusal(404, 'page_not_built', 'the page of the console is not in this installation: in the repository "npm run console:build" makes it. The admin API is at /api/v1');
const LINK_USED = 'This link was opened before, or is older than 10 minutes. "treadle console" in the folder of the application prints a new one.\n';

export interface PageSiteOptions {
  /** Where the built page lies. */
  readonly folder: string;
  /** Path below which a proxy shows the console, e.g. `/console`; empty without one. */
  readonly base: string;
  readonly sessions: Sessions;
  readonly cookie: SessionCookie;
}

/**
 * Serves the built page to everybody who may reach the port: it holds no secrets, and says how to get in. Whatever is no file and has no extension, or is
 * asked for as HTML, is a view of it. In `index.html` every `"./` becomes the base path, and `<meta name="base" content="">` gets it.
 */
export class PageSite {
  private files: Promise<ReadonlyMap<string, PageFile>> | undefined;

  constructor(private readonly options: PageSiteOptions) {}

  /** True for what is not of the API. `/metrics` is both: a view for browsers, and what Prometheus reads. */
  static serves(path: string, accept = ''): boolean {
    return (path !== '/metrics' || accept.includes('text/html')) && path !== '/api' && !path.startsWith('/api/');
  }

  /** Answers a GET or HEAD. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const query = new URLSearchParams((request.url ?? '').split('?').slice(1).join('?'));
    const token = query.get('t');
    if (token !== null && request.method === 'GET') return this.open(request, response, { token, query });
    const path = pathOf(request);
    const files = await (this.files ??= pageFiles(this.options.folder).catch((error: unknown) => {
      this.files = undefined; // Another request reads them again.
      throw error;
    }));
    const file = files.get(path) ?? (isView(request, path) ? files.get(INDEX) : undefined);
    if (file) return this.send(request, response, file);
    refuse(response, files.size === 0 ? NOT_BUILT : new Refusal(404, 'not_found', `the page has no file ${path.slice(0, 100)}`));
  }

  /** A one-time link becomes a session; the address bar shows the path without it. */
  private open(request: IncomingMessage, response: ServerResponse, { token, query }: { readonly token: string; readonly query: URLSearchParams }): void {
    const { sessions, cookie, base } = this.options;
    const known = cookie.read(request);
    const id = sessions.redeem(token);
    query.delete('t');
    const rest = query.toString();
    // A single slash: two would name another host.
    const location = `${base}/${pathOf(request).replace(/^[/\\]+/, '')}${rest === '' ? '' : `?${rest}`}`;
    if (id !== undefined) return end(response, 303, { ...PAGE_HEADERS, location, 'set-cookie': cookie.begin(id) });
    if (known !== undefined && sessions.callerOf(known)) return end(response, 303, { ...PAGE_HEADERS, location });
    end(response, 401, { ...PAGE_HEADERS, 'content-type': 'text/plain; charset=utf-8' }, LINK_USED);
  }

  private async send(request: IncomingMessage, response: ServerResponse, file: PageFile): Promise<void> {
    const headers: OutgoingHttpHeaders = { ...PAGE_HEADERS, 'content-type': file.type, 'cache-control': file.hashed ? IMMUTABLE : 'no-cache', vary: 'accept-encoding' };
    if (file.file.endsWith(INDEX.slice(1))) {
      end(response, 200, headers, request.method === 'HEAD' ? undefined : this.index(await readFile(file.file, 'utf8')));
      return;
    }
    const { bytes, encoding } = await encoded(file, String(request.headers['accept-encoding'] ?? ''));
    const sent = { ...headers, ...encoding && { 'content-encoding': encoding } };
    end(response, 200, request.method === 'HEAD' ? { ...sent, 'content-length': bytes.length } : sent, request.method === 'HEAD' ? undefined : bytes);
  }

  private index(html: string): string {
    const { base } = this.options;
    return html.replaceAll('"./', `"${base}/`).replace('<meta name="base" content=""', `<meta name="base" content="${base}"`);
  }
}

/** A view's path may end like a file's, as that of the topic `order.created` does; a browser that goes there asks for HTML. */
function isView({ headers }: IncomingMessage, path: string): boolean {
  return extname(path) === '' || (!path.startsWith('/assets/') && String(headers.accept ?? '').includes('text/html'));
}

function end(response: ServerResponse, status: number, headers: OutgoingHttpHeaders, body?: string | Buffer): void {
  response.writeHead(status, { ...headers, ...body !== undefined && { 'content-length': Buffer.byteLength(body) } });
  response.end(body);
}
