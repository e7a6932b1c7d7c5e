import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { CallAnswer, InvokeRequest, StepFailure, StepResult, TriggerRef } from '@treadle/api';
import { type HandlerBody, NO_BODY } from '../body/handler-body.js';
import { type BodyTaker, receiveBody, type Reception } from '../body/receive-body.js';
import type { KoaBridge } from '../koa/koa-bridge.js';
import { type OrProblem, overloaded, Problem, problemOfFailure, PROBLEMS } from '../response/problem.js';
import { writeResult } from '../response/result-writer.js';
import { asksForHealth, HEALTH_PATH } from '../routing/health-path.js';
import type { RouteTable } from '../routing/route-table.js';
import type { AnyRoute, StepRoute } from '../routing/step-route.js';
import type { Unmatched } from '../routing/unmatched.js';
import { Connection } from '../server/connection.js';
import { endBody } from '../server/short-cuts.js';
import type { StaticFiles } from '../static/static-files.js';
import type { Admitted } from './admission.js';
import { Exchange, type PendingWork } from './exchange.js';
import type { HttpCore } from './http-core.js';
import { checkHead, pathProblem } from './request-head.js';
import { type PathParams, readInput } from './request-input.js';

/** Who may answer a request beside Steps. */
export interface Answerers {
  readonly table: RouteTable<AnyRoute>;
  readonly koa: KoaBridge;
  readonly unmatched: Unmatched;
}

/**
 * What happens to each request, in the order of this file: its head is checked, its route matched, it is admitted; then its body is
 * received, its parts are validated, the Step is invoked, and its result answered. Every stage gives `OrProblem`: its value, or why the
 * request goes no further, which `Exchange.refuse` tells the client. What is thrown is a fault of ours, and goes to `Exchange.crash`.
 */
export class RequestHandler {
  constructor(private core: HttpCore, private readonly answerers: Answerers) {}

  /** Requests from now on go by these; those under way by the former ones. */
  goOver(core: HttpCore, files: StaticFiles | undefined): void {
    this.core = core;
    this.answerers.unmatched.goOver(files);
  }

  /** Listener of the server's requests. Never throws. */
  readonly onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const connection = Connection.of(request.socket);
    // After a refusal the rest of the connection is only read to be thrown away.
    if (connection?.closing) return;
    const exchange = new Exchange(this.core, request, response, connection);
    try {
      if (connection?.beyond === true) this.handleBeyond(exchange, connection);
      else this.handle(exchange, connection);
    } catch (error) {
      exchange.crash(error);
    }
  };

  /** Listener for an `Expect` other than `100-continue`. */
  readonly onExpectation = (request: IncomingMessage, response: ServerResponse): void => {
    new Exchange(this.core, request, response, Connection.of(request.socket)).refuse(PROBLEMS.expectation);
  };

  /** One connection too many: it is told of health, and let go. */
  private handleBeyond(exchange: Exchange, connection: Connection): void {
    connection.closing = true;
    if (asksForHealth(exchange.request.url)) this.handle(exchange, connection);
    else exchange.refuse(overloaded());
  }

  private handle(exchange: Exchange, connection: Connection | undefined): void {
    const fault = checkHead(exchange.request);
    if (fault === undefined) return this.match(exchange);
    // Whoever sent this may have meant something else by what follows it.
    connection?.linger();
    return exchange.refuse(fault);
  }

  private match(exchange: Exchange): void {
    const { method, url } = exchange.request as { method: string; url: string };
    const mark = url.indexOf('?');
    const path = exchange.path = mark === -1 ? url : url.slice(0, mark);
    if (mark !== -1) exchange.queryText = url.slice(mark + 1);
    const match = this.answerers.table.match(method, path);
    if (match === undefined) return this.answerers.unmatched.serve(exchange);
    const { store: route, params } = match;
    if (route.kind === 'engine') return this.serveOwn(exchange);
    // The radix tree decoded the path, or had parameters to decode; it takes as it stands what it cannot decode.
    const fault = params === undefined ? undefined : pathProblem(path);
    if (fault !== undefined) return exchange.refuse(fault);
    const named = route.path.names.length > 0 ? params : undefined;
    if (this.answerers.koa.covers(path)) return this.answerers.koa.serve(exchange, { route, params: named });
    return admit(exchange, route, named);
  }

  private serveOwn(exchange: Exchange): void {
    exchange.ownRoute = exchange.path;
    if (exchange.path === HEALTH_PATH && !this.core.config.trace_health) exchange.sampled = false;
    this.answerers.koa.serve(exchange);
  }
}

/** Begins the Step of a matched route; when there is too much to do already, before the body is read. */
export function admit(exchange: Exchange, route: StepRoute, params: PathParams): void {
  exchange.matched(route);
  if (!exchange.withBody && exchange.sink === undefined) endBody(exchange.request);
  if (exchange.core.admission.refuses()) return exchange.refuse(overloaded());
  const run = new StepRun(exchange, route, params);
  return exchange.withBody ? run.receive() : run.validate(NO_BODY);
}

/**
 * The run of a Step for a request: what the invoker is asked for and who takes its answer, in one object, because one is made for every
 * request. Others call it when the body is there, when its turn has come, and when the Step has answered.
 */
class StepRun implements BodyTaker, Admitted, InvokeRequest, CallAnswer, PendingWork {
  readonly step: string;
  readonly trigger: TriggerRef;
  input: unknown = undefined;
  bodyText: string | undefined = undefined;
  streams: readonly Readable[] | undefined = undefined;
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
  readonly timeoutMs: number;
  readonly attempt = 1;
  readonly lane = 'request';
  readonly waitMs: number;
  readonly repeatable: boolean;
  private reception: Reception | undefined = undefined;
  /** It holds a place among the running requests. */
  private placed = false;

  constructor(private readonly exchange: Exchange, private readonly route: StepRoute, private readonly params: PathParams) {
    this.step = route.step.id;
    this.trigger = route.trigger;
    this.traceId = exchange.traceId;
    this.spanId = exchange.spanId;
    this.sampled = exchange.sampled;
    this.timeoutMs = route.timeoutMs;
    this.waitMs = exchange.core.config.wait_timeout_ms;
    this.repeatable = route.isSafe;
    exchange.work = this;
  }

  receive(): void {
    const reception = receiveBody(this.exchange, this.route, this);
    if (reception instanceof Problem) this.exchange.refuse(reception);
    else this.reception = reception;
  }

  received(body: OrProblem<HandlerBody>): void {
    const { exchange } = this;
    try {
      if (!exchange.ended) this.validate(body);
    } catch (error) {
      exchange.crash(error);
    }
  }

  /** Makes the input, then waits for a place among the running requests. */
  validate(body: OrProblem<HandlerBody>): void {
    const { exchange } = this;
    const input = readInput(exchange, this.route, this.params, body);
    if (input instanceof Problem) return exchange.refuse(input);
    this.input = input;
    if (!(body instanceof Problem)) {
      this.bodyText = body.text;
      this.streams = body.streams;
    }
    return exchange.core.admission.enter(this);
  }

  refuseOverloaded(): void {
    this.exchange.refuse(overloaded());
  }

  /** Invokes the Step. */
  run(): void {
    this.placed = true;
    this.exchange.core.invoker.start(this, this);
  }

  succeeded(result: StepResult): void {
    const { exchange } = this;
    try {
      if (exchange.ended) result.http?.stream?.destroy();
      else writeResult(exchange, result);
    } catch (error) {
      exchange.crash(error);
    }
  }

  failed(failure: StepFailure): void {
    const { exchange } = this;
    if (exchange.ended) return;
    try {
      const problem = problemOfFailure(failure);
      if (problem.status === 500 || failure.code === 'handler_timeout') this.logFailure(failure);
      exchange.refuse(problem);
    } catch (error) {
      exchange.crash(error);
    }
  }

  /** Asked by the Step's process before it sends a large answer. */
  admits(bytes: number): boolean {
    return this.exchange.admits(bytes);
  }

  release(): void {
    this.reception?.stop();
    if (this.placed) this.exchange.core.admission.leave();
  }

  cancel(): void {
    const { core } = this.exchange;
    if (this.placed) core.invoker.cancel(this, 'client_gone');
    else core.admission.forget(this);
  }

  private logFailure({ message, detail }: StepFailure): void {
    this.exchange.log('error', 'a handler failed', { error: message, errorName: detail.errorName, stack: detail.stack });
  }
}
