import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { type AdminEventSink, type AdminRequest, type AdminRoute, refuseUnknownArguments, refuseUnknownMembers, type Unsubscribe } from '@treadle/api';
import type Koa from 'koa';
import type * as KoaRouter from '@koa/router';
import { type Caller, includes } from '../access/caller.js';
import { auditing, isQuestion } from '../audit/auditing.js';
import type { Role } from '../contract/index.js';
import { payloadView, type PayloadView } from '../payloads/payload-view.js';
import { EventStream } from '../server/event-stream.js';
import { jsonBody } from '../server/json-body.js';
import { PROBLEM_TYPE, Refusal, SAFE_HEADERS } from '../server/refusal.js';
import { isUnsafe } from '../server/request-guard.js';
import { requestIdOf } from '../server/request-id.js';
import { AnswerRoom } from './answer-room.js';
import { findRoute } from './module-routes.js';
import { moduleOperation, ownOperation } from './operation.js';
import type { OwnRequest, OwnRoute } from './own-route.js';
import { OWN_ROUTES } from './own-routes.js';
import { refuseUncompared } from './precondition.js';
import { INTERNAL, refusalOf } from './problem.js';
import { reply } from './reply.js';
import type { Surroundings } from './surroundings.js';

const load = createRequire(import.meta.url);
const DRAINING = new Refusal(503, 'draining', 'the engine is stopping');

type Next = () => Promise<unknown>;

/** What is asked of a module, and how the caller sees the answer. */
interface Asked {
  readonly route: AdminRoute;
  readonly request: AdminRequest;
  readonly view: PayloadView;
}

/** Answers requests that the guard has let in: the engine's own routes and those of its modules. */
export class AdminApp {
  private callback: ((request: IncomingMessage, response: ServerResponse) => Promise<void>) | undefined;
  private readonly callers = new WeakMap<IncomingMessage, Caller>();
  /** Open event streams and whom they are for. */
  private readonly streams = new Map<EventStream, Caller>();
  private readonly running = new Set<Promise<void>>();
  private readonly room = new AnswerRoom();
  private draining = false;

  constructor(private readonly surroundings: Surroundings) {
    surroundings.access.sessions.onEnd((caller) => {
      for (const [stream, of] of this.streams) if (of === caller) stream.end();
    });
  }

  /** Koa is loaded by the first request: a start does not wait for it. */
  readonly handle = (request: IncomingMessage, response: ServerResponse, caller: Caller): void => {
    this.callers.set(request, caller);
    this.callback ??= this.build();
    const answered = this.callback(request, response).finally(() => this.running.delete(answered));
    this.running.add(answered);
  };

  /** Ends the event streams, refuses what would change something, and waits for what is running or the signal. */
  async drain(signal: AbortSignal): Promise<void> {
    this.draining = true;
    for (const stream of [...this.streams.keys()]) stream.end();
    if (signal.aborted) return;
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([Promise.allSettled([...this.running]), aborted]);
  }

  /** Ends the event streams without more ado. */
  close(): void {
    for (const stream of [...this.streams.keys()]) stream.end();
  }

  private build(): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
    const { log } = this.surroundings;
    const app = new (load('koa') as new () => Koa)();
    app.silent = true;
    app.on('error', (error: unknown) => log.debug('an admin response was not finished', { reason: String(error) }));
    app.use((context, next) => this.answer(context, next));
    app.use(auditing(this.surroundings, (request) => this.callerOf(request)));
    app.use(this.router());
    app.use((context) => this.module(context));
    return app.callback();
  }

  private router(): Koa.Middleware {
    const { Router } = load('@koa/router') as typeof KoaRouter;
    const router = new Router({ prefix: '/api/v1', sensitive: true });
    for (const route of OWN_ROUTES) {
      router.register(route.path, [route.method], async (context) => this.own(route, context as unknown as Koa.Context, context.params as AdminRequest['params']));
    }
    return router.routes() as unknown as Koa.Middleware;
  }

  private async own(route: OwnRoute, context: Koa.Context, params: AdminRequest['params']): Promise<void> {
    const { method, takes, role, answer } = route;
    const caller = this.requireRole(context, role);
    refuseUncompared(context.get('if-match'), { method, takes: takes ?? [] });
    const [query, body] = [queryOf(context), method === 'GET' ? undefined : await jsonBody(context.req)];
    if (takes && method === 'GET') refuseUnknownArguments(query, takes);
    else if (takes) refuseUnknownMembers({ query, body }, takes);
    const view = await payloadView(caller, ownOperation(route));
    view.admit({ query, body });
    const setHeader = (name: string, value: string): void => context.set(name, value);
    const note: OwnRequest['note'] = ({ selection }) => void (context.state['selection'] = selection);
    reply(context, view.shown(await answer(this.surroundings, { params, query, body, caller, incoming: context.req, setHeader, note })), this.room);
  }

  private callerOf(request: IncomingMessage): Caller {
    return this.callers.get(request) ?? { name: 'nobody', role: 'viewer', payloads: false };
  }

  /** @throws {Refusal} 403 */
  private requireRole({ req: request, method, path }: Koa.Context, needed: Role = isUnsafe(request) ? 'operator' : 'viewer'): Caller {
    const caller = this.callerOf(request);
    if (includes(caller.role, needed)) return caller;
    throw new Refusal(403, 'role_refused', `${method} ${path} is for the role ${needed}; "${caller.name}" has the role ${caller.role}`);
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
      const problem = refusal ?? INTERNAL;
      // What is left of its body must not be taken for the next request.
      if (isUnsafe(context.req) && !context.req.complete) context.set('connection', 'close');
      context.status = problem.status;
      context.set('content-type', PROBLEM_TYPE);
      context.body = problem.text(requestIdOf(context.res));
    }
  }

  private failed({ method, path, res: response }: Koa.Context, error: unknown): void {
    const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
    this.surroundings.log.error('an admin route failed', { method, path, requestId: requestIdOf(response), error: message, stack });
  }

  private async module(context: Koa.Context): Promise<void> {
    const { route, params } = findRoute(this.surroundings.catalog, context.method, context.path);
    context.state['question'] = isQuestion(route);
    const caller = this.requireRole(context, route.access);
    const body = isUnsafe(context.req) ? await jsonBody(context.req) : undefined;
    const ifMatch = context.get('if-match');
    refuseUncompared(ifMatch, route);
    const request: AdminRequest = { params, query: queryOf(context), body, caller: caller.name, ...ifMatch !== '' && { ifMatch } };
    const view = await payloadView(caller, moduleOperation(this.surroundings.catalog, route));
    view.admit(request);
    const asked = { route, request, view };
    if (route.method === 'EVENTS') await this.events(context, asked);
    else if (route.method === 'GET') await this.room.make(() => this.answerOf(context, asked));
    else await this.answerOf(context, asked);
  }

  /** What has a revision is tagged with it. */
  private async answerOf(context: Koa.Context, { route, request, view }: Asked): Promise<void> {
    const answer = await route.handle(request);
    const { revision } = (answer ?? {}) as { readonly revision?: unknown };
    if (typeof revision === 'number') context.set('etag', `"${revision}"`);
    reply(context, view.shown(answer), this.room);
  }

  private async events(context: Koa.Context, { route, request, view }: Asked): Promise<void> {
    if (this.draining) throw DRAINING;
    const { catalog, clock } = this.surroundings;
    const stream = new EventStream(context.res, clock, () => catalog.routes().includes(route));
    const leave = await (route.handle as (request: AdminRequest, send: AdminEventSink) => Promise<unknown>)(request, (event) => stream.send(view.shown(event)));
    this.streams.set(stream, this.callerOf(context.req));
    stream.onEnd(() => this.streams.delete(stream));
    context.respond = false;
    stream.open(leave as Unsubscribe);
    if (this.draining) stream.end();
  }
}

function queryOf({ querystring }: { readonly querystring: string }): AdminRequest['query'] {
  return Object.fromEntries(new URLSearchParams(querystring));
}
