import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { type AdminEventSink, type AdminRequest, type AdminRoute, refuseUnknownArguments, refuseUnknownMembers, type Unsubscribe } from '@treadle/api';
import type Koa from 'koa';
import type * as KoaRouter from '@koa/router';
import { EventStream } from '../server/event-stream.js';
import { jsonBody } from '../server/json-body.js';
import { Refusal, SAFE_HEADERS } from '../server/refusal.js';
import { isUnsafe } from '../server/request-guard.js';
import { AnswerRoom } from './answer-room.js';
import { findRoute } from './module-routes.js';
import { OWN_ROUTES } from './own-routes.js';
import { refusalOf } from './problem.js';
import { reply } from './reply.js';
import type { Surroundings } from './surroundings.js';

const load = createRequire(import.meta.url);
const INTERNAL = new Refusal(500, 'internal_error', "the route failed; the engine's log says more");
const DRAINING = new Refusal(503, 'draining', 'the engine is stopping');

type Next = () => Promise<unknown>;

/** Answers requests that the guard has let in: the engine's own routes and those of its modules. */
export class AdminApp {
  private callback: ((request: IncomingMessage, response: ServerResponse) => Promise<void>) | undefined;
  private readonly streams = new Set<EventStream>();
  private readonly running = new Set<Promise<void>>();
  private readonly room = new AnswerRoom();
  private draining = false;

  constructor(private readonly surroundings: Surroundings) {}

  /** Koa is loaded by the first request: a start does not wait for it. */
  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    this.callback ??= this.build();
    const answered = this.callback(request, response).finally(() => this.running.delete(answered));
    this.running.add(answered);
  };

  /** Ends the event streams, refuses what would change something, and waits for what is running or the signal. */
  async drain(signal: AbortSignal): Promise<void> {
    this.draining = true;
    for (const stream of [...this.streams]) stream.end();
    if (signal.aborted) return;
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([Promise.allSettled([...this.running]), aborted]);
  }

  /** Ends the event streams without more ado. */
  close(): void {
    for (const stream of [...this.streams]) stream.end();
  }

  private build(): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
    const { log } = this.surroundings;
    const app = new (load('koa') as new () => Koa)();
    app.silent = true;
    app.on('error', (error: unknown) => log.debug('an admin response was not finished', { reason: String(error) }));
    app.use((context, next) => this.answer(context, next));
    app.use((context, next) => this.audit(context, next));
    app.use(this.router());
    app.use((context) => this.module(context));
    return app.callback();
  }

  private router(): Koa.Middleware {
    const { Router } = load('@koa/router') as typeof KoaRouter;
    const router = new Router({ prefix: '/api/v1', sensitive: true });
    const { surroundings } = this;
    for (const { method, path, takes, answer } of OWN_ROUTES) {
      router.register(path, [method], async (context) => {
        const body = method === 'GET' ? undefined : await jsonBody(context.req);
        if (method === 'GET') refuseUnknownArguments(queryOf(context), takes);
        else refuseUnknownMembers({ query: queryOf(context), body }, takes);
        reply(context, await answer(surroundings, body), this.room);
      });
    }
    return router.routes() as unknown as Koa.Middleware;
  }

  /** The headers of every answer, and errors in the one form. */
  private async answer(context: Koa.Context, next: Next): Promise<void> {
    context.set(SAFE_HEADERS);
    try {
      if (this.draining && isUnsafe(context.req)) throw DRAINING;
      await next();
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal) this.failed(context, error);
      const { status, text } = refusal ?? INTERNAL;
      // What is left of its body must not be taken for the next request.
      if (isUnsafe(context.req) && !context.req.complete) context.set('connection', 'close');
      context.status = status;
      context.type = 'application/json';
      context.body = text;
    }
  }

  private failed({ method, path }: Koa.Context, error: unknown): void {
    const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
    this.surroundings.log.error('an admin route failed', { method, path, error: message, stack });
  }

  /** Who changes something leaves a line, without what was sent. */
  private async audit(context: Koa.Context, next: Next): Promise<void> {
    if (!isUnsafe(context.req)) {
      await next();
      return;
    }
    const { method, path } = context;
    const remote = context.req.socket.remoteAddress ?? '';
    const note = (status: number): void => this.surroundings.log.info('admin request', { method, path, status, remote });
    try {
      await next();
      note(context.status);
    } catch (error) {
      note((refusalOf(error) ?? INTERNAL).status);
      throw error;
    }
  }

  private async module(context: Koa.Context): Promise<void> {
    const { route, params } = findRoute(this.surroundings.catalog, context.method, context.path);
    const body = isUnsafe(context.req) ? await jsonBody(context.req) : undefined;
    const request: AdminRequest = { params, query: queryOf(context), body };
    if (route.method === 'EVENTS') await this.events(context, route, request);
    else if (route.method === 'GET') await this.room.make(async () => reply(context, await route.handle(request), this.room));
    else reply(context, await route.handle(request), this.room);
  }

  private async events(context: Koa.Context, route: AdminRoute, request: AdminRequest): Promise<void> {
    if (this.draining) throw DRAINING;
    const { catalog, clock } = this.surroundings;
    const stream = new EventStream(context.res, clock, () => catalog.routes().includes(route));
    const leave = await (route.handle as (request: AdminRequest, send: AdminEventSink) => Promise<unknown>)(request, stream.send);
    this.streams.add(stream);
    stream.onEnd(() => this.streams.delete(stream));
    context.respond = false;
    stream.open(leave as Unsubscribe);
    if (this.draining) stream.end();
  }
}

function queryOf({ querystring }: { readonly querystring: string }): AdminRequest['query'] {
  return Object.fromEntries(new URLSearchParams(querystring));
}
