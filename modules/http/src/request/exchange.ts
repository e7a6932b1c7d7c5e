import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { type LogFields, type LogLevel, newSpanId, newTraceId, parseTraceParent, wallTime } from '@treadle/api';
import { AnswerHold } from '../response/answer-hold.js';
import { addCorsHeaders, type CorsPolicy } from '../response/cors.js';
import { overloaded, type Problem, PROBLEMS } from '../response/problem.js';
import { ReaderWatch } from '../response/reader-watch.js';
import type { HeaderList } from '../response/response-headers.js';
import { type AnnouncedLength, ResponseStream } from '../response/response-stream.js';
import type { StepRoute } from '../routing/step-route.js';
import type { Connection, OpenRequest } from '../server/connection.js';
import { writeResponse } from '../server/short-cuts.js';
import type { CompletedRequest } from '../telemetry/completed-request.js';
import type { HttpCore } from './http-core.js';

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

/** What is under way for a request, as far as the end of the exchange matters to it. */
export interface PendingWork {
  /** The exchange is over: gives back what it holds. */
  release(): void;
  /** After that: the client has left, nobody reads the outcome. */
  cancel(): void;
}

/** One request and its answer: who it is, where it stands on its connection, what is sent, and its end, which comes once. */
export class Exchange implements OpenRequest, CompletedRequest {
  nextOnConnection: OpenRequest | undefined = undefined;
  route: StepRoute | undefined = undefined;
  path = '';
  /** As it was sent, without the `?`. */
  queryText = '';
  readonly traceId: string;
  readonly spanId: string = newSpanId();
  /** The caller's span; undefined when this request begins a trace. */
  readonly parentId: string | undefined;
  sampled: boolean;
  /** 0 without telemetry and access log. */
  readonly began: number;
  ownRoute = '';
  /** Its head announces a body. */
  readonly withBody: boolean;
  /** Set when Koa writes the response: it passes through a plugin's middleware first. */
  sink: ResponseSink | undefined = undefined;
  work: PendingWork | undefined = undefined;
  private over = false;
  private cors: CorsPolicy | undefined;
  /** Of the requests of its connection, from 1. */
  private readonly number: number;
  private stream: ResponseStream | undefined = undefined;
  private hold: AnswerHold | undefined = undefined;

  constructor(
    readonly core: HttpCore, readonly request: IncomingMessage, readonly response: ServerResponse, private readonly connection: Connection | undefined,
  ) {
    const { telemetry, accessLog, config } = core;
    this.began = (telemetry ?? accessLog)?.began() ?? 0;
    const { traceparent } = request.headers;
    const parent = typeof traceparent === 'string' ? parseTraceParent(traceparent) : undefined;
    this.parentId = parent?.parentId;
    this.traceId = parent === undefined ? newTraceId() : parent.traceId;
    if (parent !== undefined && config.trust_parent) this.sampled = parent.sampled;
    else this.sampled = telemetry !== undefined && telemetry.samples(this.traceId);
    this.withBody = announcesBody(request);
    this.cors = core.cors;
    this.number = connection?.add(this) ?? 0;
  }

  /** It is answered, or its client is gone. */
  get ended(): boolean {
    return this.over;
  }

  /** It is for this Step. */
  matched(route: StepRoute): void {
    this.route = route;
    this.cors = route.cors;
  }

  /** The CORS headers are in the list already. */
  answersPreflight(): void {
    this.cors = undefined;
  }

  /** Answers with a row of the error table; an answer that has begun is cut off instead. */
  refuse(problem: Problem): void {
    if (this.over) return;
    if (this.response.headersSent) {
      this.request.socket.destroy();
      return;
    }
    const body = problem.text(this.traceId, this.core.showExceptions);
    const headers: HeaderList = ['content-type', JSON_TYPE, 'content-length', Buffer.byteLength(body)];
    if (problem.parts.headers) headers.push(...problem.parts.headers);
    this.send(problem.status, headers, body);
  }

  /** Ends the exchange with 500 after a fault of our own; the fault goes to the log. */
  crash(error: unknown): void {
    this.log('error', 'a request could not be answered', { error: String(error), stack: (error as Error).stack });
    this.refuse(PROBLEMS.unhandled);
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

  /** Sends a response whose body comes in pieces; the exchange ends with the stream. `announced`: its length, which goes into the headers. */
  sendStream(status: number, headers: HeaderList, source: Readable, announced?: AnnouncedLength): void {
    if (this.over) return void source.destroy();
    if (announced !== undefined) headers.push('content-length', announced.bytes);
    this.addCommonHeaders(headers);
    const { clock, config } = this.core;
    this.stream = new ResponseStream(source, {
      clock, idleMs: config.stream_idle_timeout_ms, announced, done: () => this.finish(status),
      failed: (error) => this.log('warn', 'a streamed response broke off', { ...(announced && { file: announced.of }), error: error.message }),
    });
    if (this.sink) return this.sink.sendStream(status, headers, this.stream);
    this.response.writeHead(status, headers as string[]);
    this.response.flushHeaders();
    this.stream.pipeTo(this.response);
  }

  /** Whether there is room for an answer of so many bytes, and somebody to read it; counts them until it is sent. */
  admits(bytes: number): boolean {
    if (this.over) return false;
    this.hold ??= new AnswerHold(this.response, this.core.answers, this.connection);
    return this.hold.admits(bytes);
  }

  /** Ends a streamed response early, with a proper end. */
  endStream(): void {
    this.stream?.end();
  }

  /** The client left: stops whatever runs for it. */
  abandon(): void {
    if (this.over) return;
    const { work, stream } = this;
    // Over first: the invoker answers a cancelled call at once, and nobody reads that answer.
    this.finish(CLIENT_GONE);
    if (stream === undefined) work?.cancel();
    else stream.abort();
  }

  breakOff(problem: Problem): void {
    const { request, response } = this;
    if (this.withBody && !this.over && !request.complete) this.refuse(problem);
    // The head of a streamed answer is out and does not say that the connection ends.
    else if (response.headersSent) response.once('finish', () => request.socket.destroySoon());
  }

  /** True when the connection ends with this response; what is left of the body is thrown away then. */
  lastOnConnection(): boolean {
    const unread = this.withBody && !this.request.complete;
    if (unread) this.leaveBody();
    const { connection } = this;
    return unread || ((this.core.health.draining || connection?.ending === true) && connection?.isLatest(this.number) === true);
  }

  /** The response is out, or nobody waits for it. Idempotent. */
  finish(status: number): void {
    if (this.over) return;
    this.over = true;
    const { core } = this;
    core.eventStreams.delete(this);
    this.connection?.remove(this);
    this.work?.release();
    this.sink?.finished();
    core.telemetry?.completed(this, status);
    core.accessLog?.completed(this, status);
  }

  /** Writes a record with the identity of this request: its trace, and its Step once that is known. */
  log(level: LogLevel, message: string, fields: LogFields): void {
    const { clock, service, sink } = this.core;
    sink.write({
      timestamp: new Date(wallTime(clock)).toISOString(), level, message, traceId: this.traceId, spanId: this.spanId, service,
      stepName: this.route?.step.id ?? '', fields,
    });
  }

  private addCommonHeaders(headers: HeaderList): void {
    headers.push('x-trace-id', this.traceId);
    const { cors } = this;
    if (cors !== undefined) addCorsHeaders(cors, this.request.headers.origin, headers);
    if (this.lastOnConnection()) headers.push('connection', 'close');
  }

  /** The rest of the body is not wanted: it is thrown away while the answer is read, then the connection closes. */
  private leaveBody(): void {
    this.request.resume();
    this.connection?.linger();
  }

  /** A client that does not read keeps the whole body in our memory. */
  private watchReader(): void {
    const { response, sink, core: { clock, config } } = this;
    if (sink === undefined && response.socket?.writableLength === 0) return;
    const idleMs = config.stream_idle_timeout_ms;
    const cut = (): void => this.log('warn', 'a client read nothing of an answer and was cut', { idleMs });
    this.hold?.watchedBy(new ReaderWatch(response, clock, { idleMs, cut }));
  }
}

function announcesBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined;
}
