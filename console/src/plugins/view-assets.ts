import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AdminCatalog } from '@treadle/api';
import type { ConsoleConfig } from '../console.config.js';
import { encoded, type PageFile } from '../page/page-files.js';
import { PAGE_HEADERS } from '../page/page-headers.js';
import { Refusal, refuse } from '../server/refusal.js';
import { pathOf } from '../server/request-guard.js';
import { shownViews } from './shown-views.js';
import { viewFiles } from './view-files.js';

const PLACE = /^\/x-assets\/([^/]+)\/([^/]+)\/([^/]+)(\/.+)$/;
const NO_FILE = new Refusal(404, 'not_found', 'no view of a running plugin has this file; after a change of the plugin, load the page anew');

/** Files of plugins' views, for those who may use the API. */
export class ViewAssets {
  constructor(private readonly catalog: AdminCatalog, private readonly shown: ConsoleConfig['plugin_views']) {}

  static serves(path: string): boolean {
    return path.startsWith('/x-assets/');
  }

  /** Answers a GET or HEAD. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const file = await this.find(pathOf(request));
    if (!file) return refuse(response, NO_FILE);
    const { bytes } = await encoded(file, '');
    response.writeHead(200, { ...PAGE_HEADERS, 'content-type': file.type, 'content-length': bytes.length, 'cache-control': 'no-cache' });
    response.end(request.method === 'HEAD' ? undefined : bytes);
  }

  private async find(path: string): Promise<PageFile | undefined> {
    const [, plugin, id, digest, name] = PLACE.exec(path) ?? [];
    const found = shownViews(this.catalog, this.shown).find(({ of, view }) => of.manifest.id === plugin && view.id === id);
    if (!found || found.view.tier !== 'module' || name === undefined) return undefined;
    const files = await viewFiles(found.of, found.view);
    return files.digest === digest ? files.files.get(name) : undefined;
  }
}
