import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import {
  newSpanId, newTraceId, parseTraceParent, type CallAnswer, type InvokeRequest, type LogFields, type LogLevel, type StepFailure, type StepResult, wallTime,
} from '@treadle/api';
import { AnswerHold } from './answer-hold.js';
import { type HandlerBody, NO_BODY } from './body/handler-body.js';
import { receiveBody, type Reception } from './body/receive-body.js';
import { Connection, type OpenRequest } from './connection.js';
import { addCorsHeaders, type CorsPolicy } from './cors.js';
import type { HttpCore } from './http-core.js';
import type { Admitted } from './overload.js';
import { overloaded, type Problem, problemOfFailure, PROBLEMS } from './problem.js';
import { problemBody } from './problem-body.js';
import { hasBody } from './request-head.js';
import { readInput } from './request-input.js';
import type { HeaderList } from './response-headers.js';
import { ReaderWatch } from './reader-watch.js';
import { ResponseStream } from './response-stream.js';
import { answer } from './result-writer.js';
import { endBody, writeResponse } from './short-cuts.js';
import type { StepRoute } from './step-route.js';

/** Status under which a request counts whose client left. */
const CLIENT_GONE = 499;
/** What the buffers of the system take in any case; characters or bytes. Larger answers count while they are in memory. */
const LARGE_BODY = 64 * 1024;
const JSON_TYPE = 'application/json; charset=utf-8';

/** Takes the response in the place of the socket. */
export interface ResponseSink {
  send(status: number, headers: HeaderList, body: string | Buffer | undefined): void;
  sendStream(status: number, headers: HeaderList, stream: ResponseStream): void;
  /** The exchange is over, with or without a response. */
  finished(): void;
}

/** One request from its first header to the end of its response. */
export class Exchange implements OpenRequest, Admitted, CallAnswer {
  nextOnConnection: OpenRequest | undefined = undefined;
  route: StepRoute | undefined = undefined;
  params: Record<string, string> | undefined = undefined;
  /** Path and query as they were sent, without the `?`. */
  path = '';
  queryText = '';
  readonly traceId: string;
  readonly spanId: string = newSpanId();
  /** The caller's span; undefined when this request begins a trace. */
  readonly parentId: string | undefined;
  sampled: boolean;
  /** Milliseconds of the monotonic clock; 0 without telemetry and access log. */
  readonly began: number;
  /** Path of a route of the engine's own; empty with any other. */
  ownRoute = '';
  /** Set when Koa writes the response: it passes through a plugin's middleware first. */
  sink: ResponseSink | undefined = undefined;
  private over = false;
  private cors: CorsPolicy | undefined;
  private readonly connection: Connection | undefined;
  /** Of the requests of its connection, from 1. */
  private readonly number: number;
  private readonly withBody: boolean;
  private reader: Reception | undefined = undefined;
  private invocation: InvokeRequest | undefined = undefined;
  private placed = false;
  private stream: ResponseStream | undefined = undefined;
  private hold: AnswerHold | undefined = undefined;

  constructor(readonly core: HttpCore, readonly request: IncomingMessage, readonly response: ServerResponse) {
    const { telemetry, accessLog, config } = core;
    this.began = (telemetry ?? accessLog)?.began() ?? 0;
    const { traceparent } = request.headers;
    const parent = typeof traceparent === 'string' ? parseTraceParent(traceparent) : undefined;
    this.parentId = parent?.parentId;
    this.traceId = parent === undefined ? newTraceId() : parent.traceId;
    if (parent !== undefined && config.trust_parent) this.sampled = parent.sampled;
    else this.sampled = telemetry !== undefined && telemetry.samples(this.traceId);
    this.withBody = hasBody(request);
    this.cors = core.cors;
    this.connection = Connection.of(request.socket);
    this.number = this.connection?.add(this) ?? 0;
  }

  get receiving(): boolean {
    return this.withBody && !this.over && !this.request.complete;
  }

  /** It is answered, or its client is gone. */
  get ended(): boolean {
    return this.over;
  }

  /** Runs the Step of a matched route: receives the body, validates, waits for its turn, invokes, answers. */
  start(route: StepRoute, params: Record<string, string> | undefined): void {
    this.route = route;
    this.cors = route.cors;
    this.params = params;
    if (!this.withBody && this.sink === undefined) endBody(this.request);
    if (this.core.admission.refuses()) this.refuse(overloaded());
    else if (this.withBody) this.receive(route);
    else this.received(NO_BODY);
  }

  /** Answers with a row of the error table; an answer that has begun is cut off instead. */
  refuse(problem: Problem): void {
    if (this.over) return;
    if (this.response.headersSent) {
      this.request.socket.destroy();
      return;
    }
    const body = problemBody(problem, this.traceId, this.core.showExceptions);
    const headers: HeaderList = ['content-type', JSON_TYPE, 'content-length', Buffer.byteLength(body)];
    if (problem.headers) headers.push(...problem.headers);
    this.send(problem.status, headers, body);
  }

  /** Sends a whole response. `headers` lack those that every response has; they are added to the list. */
  send(status: number, headers: HeaderList, body: string | Buffer | undefined): void {
    if (this.over) return;
    const large = body !== undefined && body.length > LARGE_BODY;
    if (large && !this.admits(body.length)) return this.refuse(overloaded());
    this.addCommonHeaders(headers);
    if (this.sink === undefined) writeResponse(this.response, status, headers, body);
    else this.sink.send(status, headers, body);
    if (large) this.watchReader();
    this.finish(status);
  }

  /** Whether there is room for an answer of so many bytes; counts them until it is sent. */
  admits(bytes: number): boolean {
    this.hold ??= new AnswerHold(this.response, this.core.answers);
    return this.hold.admits(bytes);
  }

  /** A client that does not read keeps the whole body in our memory. */
  private watchReader(): void {
    const { response, sink, core: { clock, config } } = this;
    if (sink === undefined && response.socket?.writableLength === 0) return;
    const idleMs = config.stream_idle_timeout_ms;
    new ReaderWatch(response, clock, { idleMs, cut: () => this.log('warn', 'a client read nothing of an answer and was cut', { idleMs }) });
  }

  /** Sends a response whose body comes in pieces; the exchange ends with the stream. */
  sendStream(status: number, headers: HeaderList, source: Readable): void {
    if (this.over) return void source.destroy();
    this.addCommonHeaders(headers);
    const { clock, config } = this.core;
    this.stream = new ResponseStream(source, {
      clock, idleMs: config.stream_idle_timeout_ms, done: () => this.finish(status),
      failed: (error) => this.log('warn', 'a streamed response broke off', { error: error.message }),
    });
    if (this.sink) return this.sink.sendStream(status, headers, this.stream);
    this.response.writeHead(status, headers as string[]);
    this.response.flushHeaders();
    this.stream.pipeTo(this.response);
  }

  /** The CORS headers are in the list already. */
  answersPreflight(): void {
    this.cors = undefined;
  }

  /** Ends the exchange after somebody else has written the response. Idempotent. */
  conclude(status: number): void {
    this.finish(status);
  }

  /** Ends a streamed response early, with a proper end. */
  endStream(): void {
    this.stream?.end();
  }

  /** The client left: stops whatever runs for it. */
  abandon(): void {
    if (this.over) return;
    const { invocation, stream } = this;
    if (!this.placed) this.core.admission.forget(this);
    // Over first: the hub answers a cancelled call at once, and nobody reads that answer.
    this.finish(CLIENT_GONE);
    if (invocation && !stream) this.core.hub.cancel(invocation, 'client_gone');
    stream?.abort();
  }

  run(): void {
    this.placed = true;
    const { core, invocation } = this;
    if (!invocation) return;
    core.hub.start(invocation, this);
  }

  refuseOverloaded(): void {
    this.refuse(overloaded());
  }

  /** Writes a record with the identity of this request: its trace, and its Step once that is known. */
  log(level: LogLevel, message: string, fields: LogFields): void {
    const { clock, service, sink } = this.core;
    sink.write({
      timestamp: new Date(wallTime(clock)).toISOString(), level, message, traceId: this.traceId, spanId: this.spanId, service,
      stepName: this.route?.step.id ?? '', fields,
    });
  }

  /** Ends the exchange with 500 after a fault of our own; the fault goes to the log. */
  crash(error: unknown): void {
    this.log('error', 'a request could not be answered', { error: String(error), stack: (error as Error).stack });
    this.refuse(PROBLEMS.unhandled);
  }

  private receive(route: StepRoute): void {
    const reader = receiveBody(this, route, (body) => this.bodyRead(body));
    if ('code' in reader) this.refuse(reader);
    else this.reader = reader;
  }

  /** Called by the parser of the connection, so it must not throw. */
  private bodyRead(body: HandlerBody | Problem): void {
    try {
      if (!('code' in body)) this.received(body);
      else if (body.code === 'invalid_json' && this.route?.guarded === true) this.received(NO_BODY, body);
      else this.refuse(body);
    } catch (error) {
      this.crash(error);
    }
  }

  /** `fault`: why there is no body, for middleware to go first. */
  private received(body: HandlerBody, fault?: Problem): void {
    if (this.over || !this.route) return;
    const input = readInput(this, this.route, body, fault);
    if ('code' in input) return this.refuse(input);
    const { step, trigger, timeoutMs } = this.route;
    this.invocation = {
      step: step.id, trigger, input, bodyText: body.text, streams: body.streams, traceId: this.traceId, spanId: this.spanId, sampled: this.sampled,
      timeoutMs, attempt: 1, lane: 'request', waitMs: this.core.config.wait_timeout_ms, repeatable: this.route.isSafe,
    };
    this.core.admission.enter(this);
  }

  /** The handler's result. */
  succeeded(result: StepResult): void {
    try {
      if (this.over) result.http?.stream?.destroy();
      else answer(this, result);
    } catch (error) {
      this.crash(error);
    }
  }

  /** Why there is no result. */
  failed(failure: StepFailure): void {
    if (this.over) return;
    try {
      const problem = problemOfFailure(failure);
      if (problem.status === 500 || failure.code === 'handler_timeout') this.logFailure(failure);
      this.refuse(problem);
    } catch (error) {
      this.crash(error);
    }
  }

  private logFailure({ message, detail }: StepFailure): void {
    this.log('error', 'a handler failed', { error: message, errorName: detail.errorName, stack: detail.stack });
  }

  /** True when the connection ends with this response; what is left of the body is thrown away then. */
  lastOnConnection(): boolean {
    const unread = this.withBody && !this.request.complete;
    if (unread) this.leaveBody();
    const { connection } = this;
    return unread || ((this.core.health.draining || connection?.ending === true) && connection?.isLatest(this.number) === true);
  }

  private addCommonHeaders(headers: HeaderList): void {
    headers.push('x-trace-id', this.traceId);
    const { cors } = this;
    if (cors !== undefined) addCorsHeaders(cors, this.request.headers.origin, headers);
    if (this.lastOnConnection()) headers.push('connection', 'close');
  }

  /** The rest of the body is not wanted: it is thrown away while the answer is read, then the connection closes. */
  private leaveBody(): void {
    this.reader?.stop();
    this.request.resume();
    this.connection?.linger();
  }

  private finish(status: number): void {
    if (this.over) return;
    this.over = true;
    this.reader?.stop();
    this.core.eventStreams.delete(this);
    this.connection?.remove(this);
    if (this.placed) this.core.admission.leave();
    this.sink?.finished();
    this.core.telemetry?.completed(this, status);
    this.core.accessLog?.completed(this, status);
  }
}
