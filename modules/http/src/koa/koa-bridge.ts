import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { HttpMiddleware, Logger } from '@treadle/api';
import type { Exchange } from '../request/exchange.js';
import type { KoaApplication, KoaConstructor, KoaContext, KoaRouter, KoaRouterConstructor, Middleware } from './koa-types.js';
import { KoaSink } from './koa-sink.js';
import { PathPrefix } from '../routing/path-prefix.js';
import { Problem, PROBLEMS } from '../response/problem.js';
import type { StepRoute } from '../routing/step-route.js';

/** A Step route that was matched by the table and is to run inside the middleware. */
export interface MatchedStep {
  readonly route: StepRoute;
  readonly params: Record<string, string> | undefined;
}

interface Passage {
  readonly exchange: Exchange;
  readonly matched: MatchedStep | undefined;
}

export interface KoaBridgeOptions {
  readonly middleware: readonly HttpMiddleware[];
  readonly log: Logger;
  /** What a request for a Step gets that a middleware lets pass. */
  readonly toStep: (exchange: Exchange, route: StepRoute, params: MatchedStep['params']) => void;
  /** What a request gets that no middleware and no engine route answers. */
  readonly unmatched: (exchange: Exchange) => void;
}

const load = createRequire(import.meta.url);
const CLIENT_CODES: Readonly<Record<number, string>> = { 401: 'unauthorized', 403: 'forbidden', 404: 'not_found', 409: 'conflict', 429: 'too_many_requests' };

/**
 * Koa and @koa/router: they serve the engine's own routes, and plugins' middleware with the Steps below it. They never
 * match Step paths, and are loaded when the first request needs them.
 */
export class KoaBridge {
  private readonly covered: readonly { readonly text: string; readonly prefix: PathPrefix; readonly run: Middleware }[];
  private readonly passages = new WeakMap<IncomingMessage, Passage>();
  private readonly engineRoutes: { method: string; path: string; handle: Middleware }[] = [];
  private router: KoaRouter | undefined;
  private callback: ((request: IncomingMessage, response: ServerResponse) => Promise<void>) | undefined;

  constructor(private readonly options: KoaBridgeOptions) {
    this.covered = options.middleware.map(({ prefix, middleware }) => ({ text: prefix, prefix: new PathPrefix(prefix), run: middleware as Middleware }));
  }

  /** Adds an engine route; the table has it too. */
  route(method: string, path: string, handle: Middleware): void {
    this.engineRoutes.push({ method, path, handle });
    this.router?.register(path, [method], handle);
  }

  /** True when a plugin's middleware lies around this path. */
  covers(path: string): boolean {
    return this.covered.length > 0 && this.covered.some(({ prefix }) => prefix.covers(path));
  }

  /** Takes a request over: through the middleware, then to the Step, an engine route, or nowhere. */
  serve(exchange: Exchange, matched?: MatchedStep): void {
    const { request, response } = exchange;
    this.passages.set(request, { exchange, matched });
    this.callback ??= this.build();
    this.callback(request, response).then(
      () => exchange.finish(response.statusCode),
      (error: unknown) => exchange.crash(error),
    );
  }

  private build(): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
    const Koa = load('koa') as KoaConstructor;
    const { Router } = load('@koa/router') as { Router: KoaRouterConstructor };
    this.router = new Router();
    for (const { method, path, handle } of this.engineRoutes) this.router.register(path, [method], handle);
    const app: KoaApplication = new Koa();
    app.silent = true;
    app.on('error', (error) => {
      if (!clientLeft(error)) this.options.log.error('Koa could not finish a response', { error: String(error) });
    });
    app.use((context, next) => this.guard(context, next));
    for (const { prefix, run } of this.covered) {
      app.use((context, next) => (prefix.covers(context.path) ? run(context, next) : next()));
    }
    app.use((context, next) => this.enter(context, next));
    app.use(this.router.routes());
    app.use((context) => this.leave(context));
    return app.callback();
  }

  /** Gives every answer its trace id, and errors of middleware the engine's form. */
  private async guard(context: KoaContext, next: () => Promise<unknown>): Promise<void> {
    const passage = this.passages.get(context.req);
    if (!passage) return;
    const { exchange } = passage;
    context.set('x-trace-id', exchange.traceId);
    // A Step reads its body; engine routes and unknown paths leave it.
    if (!passage.matched && exchange.lastOnConnection()) context.set('connection', 'close');
    try {
      await next();
    } catch (error) {
      const problem = problemOfThrown(error);
      if (problem.status >= 500) exchange.log('error', 'a middleware failed', { error: String(error), stack: (error as Error).stack });
      context.status = problem.status;
      context.set('content-type', 'application/json; charset=utf-8');
      context.body = problem.text(exchange.traceId, exchange.core.showExceptions);
    }
  }

  private async enter(context: KoaContext, next: () => Promise<unknown>): Promise<void> {
    const { exchange, matched } = this.passages.get(context.req) as Passage;
    if (!matched) {
      await next();
      return;
    }
    if (!exchange.ended && bodySpent(exchange)) throw this.spentBodyError(context.path, matched.route);
    await answered(context, exchange, () => this.options.toStep(exchange, matched.route, matched.params));
  }

  private spentBodyError(path: string, { method, label }: StepRoute): Error {
    const prefixes = this.covered.filter(({ prefix }) => prefix.covers(path)).map(({ text }) => text).join(', ');
    return new Error(`middleware for ${prefixes} has read the body of ${method} ${label}, which is for the Step: `
      + 'listen for its "data" and call next() at once, or answer without the Step');
  }

  private async leave(context: KoaContext): Promise<void> {
    const { exchange } = this.passages.get(context.req) as Passage;
    await answered(context, exchange, () => this.options.unmatched(exchange));
  }
}

function clientLeft(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EPIPE' || code === 'ECONNRESET';
}

/** True when some of the body has gone to somebody already: what is left is not what the client sent. */
function bodySpent({ request, withBody }: Exchange): boolean {
  return withBody && (request.readableDidRead || request.readableEnded);
}

/** Lets the engine answer into the context; resolves when that is over, at once when the client left during the middleware. */
async function answered(context: KoaContext, exchange: Exchange, answer: () => void): Promise<void> {
  if (exchange.ended) return;
  const sink = new KoaSink(context);
  exchange.sink = sink;
  answer();
  await sink.done;
}

/** An error with a client status of its own (`context.throw(401, …)`) keeps it and its text; others are 500. */
function problemOfThrown(error: unknown): Problem {
  const { status, expose, message } = error as { status?: unknown; expose?: unknown; message?: string };
  if (typeof status === 'number' && status >= 400 && status < 500 && expose !== false) {
    return new Problem(status, CLIENT_CODES[status] ?? 'bad_request', message ?? 'Bad Request');
  }
  return PROBLEMS.unhandled.with({ detail: String(message) });
}
