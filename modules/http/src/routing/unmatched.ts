import type { KoaBridge } from '../koa/koa-bridge.js';
import type { OpenApiAnswer } from '../openapi/openapi-answer.js';
import type { Exchange } from '../request/exchange.js';
import { pathProblem } from '../request/request-head.js';
import { addPreflightHeaders } from '../response/cors.js';
import { methodNotAllowed, PROBLEMS } from '../response/problem.js';
import type { HeaderList } from '../response/response-headers.js';
import type { StaticFiles } from '../static/static-files.js';
import { missingPage, missingRoute } from './missing-route.js';
import type { RouteTable } from './route-table.js';
import type { AnyRoute } from './step-route.js';

export interface UnmatchedOptions {
  readonly table: RouteTable<AnyRoute>;
  readonly koa: KoaBridge;
  /** Absent without `static`. */
  readonly files: StaticFiles | undefined;
  /** In development only. */
  readonly openApi: OpenApiAnswer | undefined;
}

/** What a request gets that no route takes: an answer to OPTIONS, a plugin's middleware, a file, the OpenAPI document, or an error. */
export class Unmatched {
  constructor(private options: UnmatchedOptions) {}

  /** Requests from now on get these files. */
  goOver(files: StaticFiles | undefined): void {
    this.options = { ...this.options, files };
  }

  serve(exchange: Exchange): void {
    const { path, request } = exchange;
    const fault = pathProblem(path);
    if (fault) return exchange.refuse(fault);
    if (request.method === 'OPTIONS' && this.tellOptions(exchange)) return undefined;
    return this.options.koa.covers(path) ? this.options.koa.serve(exchange) : this.unclaimed(exchange);
  }

  /** No middleware has answered it either: a file, the OpenAPI document, else 404, 405, or 503 while Steps may still be missing. */
  unclaimed(exchange: Exchange): void {
    const { method } = exchange.request;
    const { files } = this.options;
    if (method !== 'GET' && method !== 'HEAD') this.refuse(exchange);
    else if (files) files.serve(exchange, () => this.withoutFile(exchange));
    else this.withoutFile(exchange);
  }

  private withoutFile(exchange: Exchange): void {
    const { openApi } = this.options;
    if (openApi?.answers(exchange.path)) openApi.serve(exchange);
    else this.refuse(exchange);
  }

  private refuse(exchange: Exchange): void {
    const { core, path } = exchange;
    const allowed = this.options.table.allowed(path);
    if (allowed.length > 0) exchange.refuse(methodNotAllowed(allowed.join(', ')));
    else if (core.health.report().status === 'starting') exchange.refuse(PROBLEMS.starting);
    else if (core.development) this.explain(exchange);
    else exchange.refuse(PROBLEMS.notFound);
  }

  /** For whoever develops the application: in a browser as a page. */
  private explain(exchange: Exchange): void {
    const { method, headers } = exchange.request;
    const problem = missingRoute(exchange.path, this.options.table.all().filter((route) => route.kind === 'step'));
    if (method !== 'GET' || !(headers.accept ?? '').includes('text/html')) return exchange.refuse(problem);
    const page = missingPage(`${method} ${exchange.path}`, problem);
    return exchange.send(404, ['content-type', 'text/html; charset=utf-8', 'content-length', Buffer.byteLength(page)], page);
  }

  /** Answers OPTIONS for a known path, a preflight with what its route allows. False when the path is unknown. */
  private tellOptions(exchange: Exchange): boolean {
    const { core, path, request: { headers } } = exchange;
    const { table } = this.options;
    const allowed = path === '*' ? ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] : table.allowed(path);
    if (allowed.length === 0) return false;
    const allow = allowed.join(', ');
    const list: HeaderList = ['allow', allow];
    const asked = headers['access-control-request-method'];
    const route = asked === undefined ? undefined : table.match(asked, path)?.store;
    const cors = route?.kind === 'step' ? route.cors : core.cors;
    if (asked !== undefined && cors) {
      addPreflightHeaders(cors, { origin: headers.origin, headers: headers['access-control-request-headers'], allow }, list);
      exchange.answersPreflight();
    }
    exchange.send(204, list, undefined);
    return true;
  }
}
