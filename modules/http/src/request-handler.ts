import type { IncomingMessage, ServerResponse } from 'node:http';
import { Connection } from './connection.js';
import { addPreflightHeaders } from './cors.js';
import { Exchange } from './exchange.js';
import { asksForHealth, HEALTH_PATH } from './health-path.js';
import type { HttpCore } from './http-core.js';
import type { KoaBridge } from './koa-bridge.js';
import type { OpenApiAnswer } from './openapi-answer.js';
import { missingPage, missingRoute } from './missing-route.js';
import { methodNotAllowed, overloaded, PROBLEMS } from './problem.js';
import { checkHead, pathProblem } from './request-head.js';
import type { HeaderList } from './response-headers.js';
import type { RouteTable } from './route-table.js';
import type { StaticFiles } from './static-files.js';
import type { StepRoute } from './step-route.js';

/** An engine's own route, served by Koa. */
export interface EngineRoute {
  readonly kind: 'engine';
}

export type AnyRoute = StepRoute | EngineRoute;

/** Who may answer a request. */
export interface Answerers {
  readonly table: RouteTable<AnyRoute>;
  readonly koa: KoaBridge;
  /** Absent without `static`. */
  readonly files: StaticFiles | undefined;
  /** In development only. */
  readonly openApi: OpenApiAnswer | undefined;
}

/** What happens to each request, in order: head, route, then the Step, Koa, a file, or a row of the error table. */
export class RequestHandler {
  private readonly table: RouteTable<AnyRoute>;
  private readonly koa: KoaBridge;
  private files: StaticFiles | undefined;
  private readonly openApi: OpenApiAnswer | undefined;

  constructor(private core: HttpCore, { table, koa, files, openApi }: Answerers) {
    this.table = table;
    this.koa = koa;
    this.files = files;
    this.openApi = openApi;
  }

  /** Requests from now on go by these; those under way by the former ones. */
  goOver(core: HttpCore, files: StaticFiles | undefined): void {
    this.core = core;
    this.files = files;
  }

  /** Listener of the server's requests. Never throws. */
  readonly onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    // After a refusal the rest of the connection is only read to be thrown away.
    const connection = Connection.of(request.socket);
    if (connection?.closing) return;
    const exchange = new Exchange(this.core, request, response);
    try {
      if (connection?.beyond === true) this.handleBeyond(exchange, connection);
      else this.handle(exchange);
    } catch (error) {
      exchange.crash(error);
    }
  };

  /** Listener for an `Expect` other than `100-continue`. */
  readonly onExpectation = (request: IncomingMessage, response: ServerResponse): void => {
    new Exchange(this.core, request, response).refuse(PROBLEMS.expectation);
  };

  /** One connection too many: it is told of health, and let go. */
  private handleBeyond(exchange: Exchange, connection: Connection): void {
    connection.closing = true;
    if (asksForHealth(exchange.request.url)) this.handle(exchange);
    else exchange.refuse(overloaded());
  }

  private handle(exchange: Exchange): void {
    const { request } = exchange;
    const refusal = checkHead(request);
    if (refusal !== undefined) {
      // Whoever sent this may have meant something else by what follows it.
      Connection.of(request.socket)?.linger();
      exchange.refuse(refusal);
      return;
    }
    const url = request.url as string;
    const mark = url.indexOf('?');
    exchange.path = mark === -1 ? url : url.slice(0, mark);
    if (mark !== -1) exchange.queryText = url.slice(mark + 1);
    const match = this.table.match(request.method as string, exchange.path);
    if (match === undefined) this.unmatched(exchange);
    else if (match.store.kind === 'engine') this.startOwn(exchange);
    else if (match.params !== undefined) this.startDynamic(exchange, match.store, match.params);
    else this.startStep(exchange, match.store, undefined);
  }

  private startOwn(exchange: Exchange): void {
    exchange.ownRoute = exchange.path;
    if (exchange.path === HEALTH_PATH && !this.core.config.trace_health) exchange.sampled = false;
    this.koa.serve(exchange);
  }

  /** The radix tree decoded the path, or had parameters to decode; it takes as it stands what it cannot decode. */
  private startDynamic(exchange: Exchange, route: StepRoute, params: Record<string, string>): void {
    const fault = pathProblem(exchange.path);
    if (fault) exchange.refuse(fault);
    else this.startStep(exchange, route, route.path.names.length > 0 ? params : undefined);
  }

  private startStep(exchange: Exchange, route: StepRoute, params: Record<string, string> | undefined): void {
    if (this.koa.covers(exchange.path)) this.koa.serve(exchange, { route, params });
    else exchange.start(route, params);
  }

  private unmatched(exchange: Exchange): void {
    const { path, request } = exchange;
    const fault = pathProblem(path);
    if (fault) {
      exchange.refuse(fault);
      return;
    }
    if (request.method === 'OPTIONS' && this.options(exchange)) return;
    if (this.koa.covers(path)) this.koa.serve(exchange);
    else this.unclaimed(exchange);
  }

  /** A file, the OpenAPI document, else 404, 405, or 503 while Steps may still be missing. */
  unclaimed(exchange: Exchange): void {
    const { method } = exchange.request;
    if (method !== 'GET' && method !== 'HEAD') this.refuseUnmatched(exchange);
    else if (this.files) this.files.serve(exchange, () => this.withoutFile(exchange));
    else this.withoutFile(exchange);
  }

  private withoutFile(exchange: Exchange): void {
    if (this.openApi?.answers(exchange.path)) this.openApi.serve(exchange);
    else this.refuseUnmatched(exchange);
  }

  private refuseUnmatched(exchange: Exchange): void {
    const allowed = this.table.allowed(exchange.path);
    if (allowed.length > 0) exchange.refuse(methodNotAllowed(allowed.join(', ')));
    else if (this.core.health.report().status === 'starting') exchange.refuse(PROBLEMS.starting);
    else if (this.core.development) this.explainMissing(exchange);
    else exchange.refuse(PROBLEMS.notFound);
  }

  /** For whoever develops the application: in a browser as a page. */
  private explainMissing(exchange: Exchange): void {
    const { method, headers } = exchange.request;
    const problem = missingRoute(exchange.path, this.table.all().filter((route) => route.kind === 'step'));
    if (method !== 'GET' || !(headers.accept ?? '').includes('text/html')) return exchange.refuse(problem);
    const page = missingPage(`${method} ${exchange.path}`, problem);
    return exchange.send(404, ['content-type', 'text/html; charset=utf-8', 'content-length', Buffer.byteLength(page)], page);
  }

  /** Answers OPTIONS for a known path, a preflight with what its route allows. False when the path is unknown. */
  private options(exchange: Exchange): boolean {
    const { path, request: { headers } } = exchange;
    const allowed = path === '*' ? ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] : this.table.allowed(path);
    if (allowed.length === 0) return false;
    const allow = allowed.join(', ');
    const list: HeaderList = ['allow', allow];
    const asked = headers['access-control-request-method'];
    const route = asked === undefined ? undefined : this.table.match(asked, path)?.store;
    const cors = route?.kind === 'step' ? route.cors : this.core.cors;
    if (asked !== undefined && cors) {
      addPreflightHeaders(cors, { origin: headers.origin, headers: headers['access-control-request-headers'], allow }, list);
      exchange.answersPreflight();
    }
    exchange.send(204, list, undefined);
    return true;
  }
}
