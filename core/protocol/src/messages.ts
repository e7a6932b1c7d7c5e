// Generated from schemas/messages.schema.json: do not edit.
/* eslint-disable max-lines */

/** One WebSocket text frame: every message of one turn of the sender's event loop. No frame exceeds 1 MiB, unless a single message does. */
export type Frame = readonly (EngineMessage | WorkerMessage)[];

/** A message from the engine to a worker. */
export type EngineMessage = WelcomeMessage | RefusedMessage | LoadMessage | InvokeMessage | CancelMessage | WithdrawMessage | ReplyMessage | DrainMessage | PingMessage | ChunkMessage | CreditMessage;

/** A message from a worker to the engine. */
export type WorkerMessage = HelloMessage | RegisterMessage | ResultMessage | ErrorMessage | CallMessage | LogMessage | SpansMessage | MeasurementsMessage | AliveMessage | WithdrawalMessage | PongMessage | ChunkMessage | CreditMessage;

/** First message of a connection, within 5 s after it opened. */
export interface HelloMessage {
  /** Which message this is. */
  readonly type: 'hello';
  /** `main` runs Steps; `heartbeat` is the second connection of the same process that only says that it lives. */
  readonly role: 'main' | 'heartbeat';
  /** Version of this protocol that the worker speaks. */
  readonly protocol: number;
  /** Language runtime, e.g. `node` or `python`. */
  readonly runtime: string;
  /** Version of the language runtime, e.g. `v20.19.0`. */
  readonly runtimeVersion: string;
  /** Version of the worker package. */
  readonly sdkVersion: string;
  /** Secret that the engine wrote to `worker.token` or that ENGINE_TOKEN holds. */
  readonly token: string;
  /** Process id of the worker. */
  readonly pid: number;
  /** For a child of the engine: the id that came on its standard input. */
  readonly childId?: string | undefined;
  /** For role `heartbeat`: the session that it belongs to. */
  readonly session?: string | undefined;
  /** Name of the application whose Steps this process serves. */
  readonly application?: string | undefined;
  /** Content hash of the build that this process serves. */
  readonly build?: string | undefined;
  /** Absolute path of the application on the worker's machine. */
  readonly root?: string | undefined;
  /** True when this process answers `withdraw` on its heartbeat connection: there, and in role `main`, which says that such a connection will come. */
  readonly withdraws?: boolean | undefined;
}

/** The whole catalog of this process; replaces what it registered before. */
export interface RegisterMessage {
  /** Which message this is. */
  readonly type: 'register';
  /** One per Step file. */
  readonly reports: readonly StepFileReport[];
  /** True when every file of the application is named and none of them has a problem. */
  readonly complete: boolean;
}

/** The handler finished. */
export interface ResultMessage {
  /** Which message this is. */
  readonly type: 'result';
  /** Invocation. */
  readonly id: number;
  /** Answer of an http trigger; absent for every other kind. */
  readonly http?: HttpResult | undefined;
  /** What a function of a declaration (`role`) gave back; any JSON, absent when it gave nothing. Other results are not sent. */
  readonly value?: unknown;
  /** How long the handler took, in milliseconds with fractions; only in a sampled trace. */
  readonly ms?: number | undefined;
  /** What the handler said through `ctx.trace`; only in a sampled trace. */
  readonly span?: SpanNotes | undefined;
}

/** The handler gave no result. */
export interface ErrorMessage {
  /** Which message this is. */
  readonly type: 'error';
  /** Invocation. */
  readonly id: number;
  /** Stable name of what went wrong. */
  readonly code: FailureCode;
  /** For people; never sent to HTTP clients by default. */
  readonly message: string;
  /** Class name of the handler's own error. */
  readonly name?: string | undefined;
  /** Stack of the handler's own error. */
  readonly stack?: string | undefined;
  /** Findings of a schema. */
  readonly issues?: readonly ValidationIssue[] | undefined;
  /** The handler threw NonRetryableError: never try again. */
  readonly nonRetryable?: boolean | undefined;
  /** The handler threw RetryAfter: milliseconds to wait before the next attempt. */
  readonly retryAfterMs?: number | undefined;
  /** How long the handler took, in milliseconds with fractions; only in a sampled trace. */
  readonly ms?: number | undefined;
  /** What the handler said through `ctx.trace`; only in a sampled trace. */
  readonly span?: SpanNotes | undefined;
}

/** A handler calls an operation of the engine, e.g. `state.get`; answered by `reply`. */
export interface CallMessage {
  /** Which message this is. */
  readonly type: 'call';
  /** Chosen by the worker; unique in the session. */
  readonly call: number;
  /** Invocation in whose name it is called. */
  readonly id: number;
  /** Name of the operation, `area.verb`. */
  readonly op: string;
  /** Arguments of the operation; any JSON. */
  readonly args?: unknown;
}

/** A log record of a handler, or a line that it printed. */
export interface LogMessage {
  /** Which message this is. */
  readonly type: 'log';
  /** Invocation; absent for output that no handler made. */
  readonly id?: number | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  /** Severity. */
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** Text. */
  readonly message: string;
  /** The caller's fields. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
  /** Step, when the invocation is over or unknown. */
  readonly stepName?: string | undefined;
  /** Of the invocation, once it has been answered or cancelled: the engine may have forgotten it. */
  readonly traceparent?: string | undefined;
}

/** Spans that code of a handler made by itself, e.g. through the OpenTelemetry API. Optional: a worker need not send any. */
export interface SpansMessage {
  /** Which message this is. */
  readonly type: 'spans';
  /** At most 500; what is over is dropped. */
  readonly spans: readonly WorkerSpan[];
}

/** What code of handlers measured through the OpenTelemetry API, summed up since the last one. Optional. */
export interface MeasurementsMessage {
  /** Which message this is. */
  readonly type: 'measurements';
  /** At most 2000; what is over is dropped. */
  readonly points: readonly MetricPoint[];
}

/** Role `heartbeat`, every 5 s, and as soon as the main thread stands still. */
export interface AliveMessage {
  /** Which message this is. */
  readonly type: 'alive';
  /** Longest delay of the main thread's event loop since the last one, in milliseconds. */
  readonly loopDelayMs: number;
  /** The main thread's event loop stands still now, and has for about half a second: told at once, and once each time. */
  readonly held?: true | undefined;
}

/** Role `heartbeat`, answer to `withdraw`. */
export interface WithdrawalMessage {
  /** Which message this is. */
  readonly type: 'withdrawal';
  /** Invocation. */
  readonly id: number;
  /** True: the handler has not begun and never will, and no `result` or `error` comes. False: it has begun, or that is not known. */
  readonly done: boolean;
  /** With `done: false`: true when the handler has ended, so that its `result` or `error` is on its way; it may be held up by a handler that blocks the process. Default false. */
  readonly ended?: boolean | undefined;
}

/** Answer to `ping`. */
export interface PongMessage {
  /** Which message this is. */
  readonly type: 'pong';
}

/** Answer to `hello`: the session has begun. */
export interface WelcomeMessage {
  /** Which message this is. */
  readonly type: 'welcome';
  /** Id of the session. */
  readonly session: string;
  /** Version that both sides use from now on. */
  readonly protocol: number;
  /** Version of the engine. */
  readonly engineVersion: string;
  /** How the engine runs. */
  readonly mode: 'development' | 'production';
  /** Interval of `alive`, in milliseconds. */
  readonly heartbeatMs: number;
  /** How much the engine sends at most before results come back. */
  readonly credits: { readonly request: number; readonly delivery: number };
  /** How many chunks each stream of the worker begins with; 16 when it is absent. */
  readonly chunks?: number | undefined;
}

/** Answer to `hello`: no session; or why a session ends that broke the protocol (`bad_message`). The connection is closed after it. */
export interface RefusedMessage {
  /** Which message this is. */
  readonly type: 'refused';
  /** Stable name of the reason, e.g. `bad_token`. */
  readonly code: string;
  /** What to do. */
  readonly message: string;
}

/** Serve exactly these files; answered by `register`. Only sent to children. */
export interface LoadMessage {
  /** Which message this is. */
  readonly type: 'load';
  /** All files of this worker. */
  readonly files: readonly StepFile[];
}

/** Run a handler; answered by `result` or `error`. */
export interface InvokeMessage {
  /** Which message this is. */
  readonly type: 'invoke';
  /** Unique in the engine's life. */
  readonly id: number;
  /** Name of the Step. */
  readonly step: string;
  /** Which of the Step's triggers fired. */
  readonly trigger: TriggerRef;
  /** First argument of the handler; an HttpInput for http triggers. */
  readonly input?: unknown;
  /** Streams that the input refers to by index. */
  readonly streams?: readonly number[] | undefined;
  /** W3C trace context. */
  readonly traceparent: string;
  /** Time limit in milliseconds. */
  readonly timeoutMs: number;
  /** From 1. */
  readonly attempt: number;
  /** Of a queue trigger: which message this is. */
  readonly message?: MessageFacts | undefined;
}

/** What is known of a message beside its data. */
export interface MessageFacts {
  /** The same for all attempts and all subscriptions. */
  readonly id: string;
  /** Milliseconds since the Unix epoch. */
  readonly enqueuedAt: number;
  /** As they were enqueued; absent: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The result is no longer wanted: abort the handler's signal. */
export interface CancelMessage {
  /** Which message this is. */
  readonly type: 'cancel';
  /** Invocation. */
  readonly id: number;
  /** `timeout`, `client_gone` or `drain`. */
  readonly reason: string;
}

/** To role `heartbeat`: do not begin this invocation any more, if its handler has not begun. Answered at once by `withdrawal`, also while a handler blocks the process; `invoke` may still be on its way. Only sent for invocations without streams. */
export interface WithdrawMessage {
  /** Which message this is. */
  readonly type: 'withdraw';
  /** Invocation. */
  readonly id: number;
}

/** Answer to `call`. */
export interface ReplyMessage {
  /** Which message this is. */
  readonly type: 'reply';
  /** Call that is answered. */
  readonly call: number;
  /** Result; any JSON. */
  readonly value?: unknown;
  /** The operation failed. */
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

/** Nothing new comes: finish what runs, then close the connection; a child exits 0. Also the answer to a `register` without reports, by which a process leaves by itself. */
export interface DrainMessage {
  /** Which message this is. */
  readonly type: 'drain';
  /** Milliseconds from now until the engine closes the connection. */
  readonly deadlineMs: number;
}

/** Answered by `pong`. */
export interface PingMessage {
  /** Which message this is. */
  readonly type: 'ping';
}

/** Bytes of a stream. Needs a credit; an empty last chunk or an error does not. */
export interface ChunkMessage {
  /** Which message this is. */
  readonly type: 'chunk';
  /** Even: opened by the engine; odd: opened by the worker. */
  readonly stream: number;
  /** At most 64 KiB of bytes as base64; may be empty. */
  readonly data: string;
  /** Nothing follows. */
  readonly end?: true | undefined;
  /** The sender failed; nothing follows. */
  readonly error?: string | undefined;
}

/** The receiver of a stream can take more. Every stream starts with 16 credits, those of a worker with `chunks` of `welcome`. */
export interface CreditMessage {
  /** Which message this is. */
  readonly type: 'credit';
  /** Stream. */
  readonly stream: number;
  /** How many more chunks; 0 means: the receiver has gone, send nothing more and drop the stream. */
  readonly chunks: number;
}

/** A file that a worker is asked to serve. */
export interface StepFile {
  /** Relative to the root, with `/`. */
  readonly file: string;
  /** Content hash; a new one means: load again. */
  readonly version: string;
  /** True: goes on as the worker has it, whatever has changed on disk; what is there now would harm the worker. */
  readonly held?: boolean | undefined;
}

/** What a worker says of a file: its Steps, or why it could not be loaded. */
export interface StepFileReport {
  /** Relative to the root, with `/`. */
  readonly file: string;
  /** The version that was loaded. */
  readonly version?: string | undefined;
  /** Empty when there is a problem. */
  readonly steps: readonly LoadedStep[];
  /** Why the file could not be loaded. */
  readonly problem?: StepFileProblem | undefined;
  /** Local files that it imports, directly or not; development only. */
  readonly imports?: readonly string[] | undefined;
  /** True: another process of the same build serves it; told from the lock file, so that the catalog is whole. */
  readonly elsewhere?: boolean | undefined;
  /** True: the file is loaded, and its Steps are not run for now: a setup that has to be open first is not. */
  readonly held?: boolean | undefined;
}

/** A Step as its file declares it. */
export interface LoadedStep {
  /** As written, keys in camelCase, schemas as JSON Schema, functions replaced by true or a count; not yet checked. */
  readonly config: unknown;
  /** Line of the config, from 1. */
  readonly line?: number | undefined;
  /** What the file declares; absent: a Step. Functions of a declaration are invoked under the name `stream:<name>` or `stream-auth`. */
  readonly role?: 'step' | 'stream' | 'stream-auth' | 'middleware' | 'setup' | 'env' | undefined;
  /** There is a handler, and no trigger that would start it. */
  readonly idle?: boolean | undefined;
  /** Guards among its middleware, by the index of a trigger; of a file of middleware: those of the file, as the first. Absent: none. */
  readonly guards?: readonly (readonly GuardFacts[])[] | undefined;
}

/** What a guard among middleware says of itself. */
export interface GuardFacts {
  /** How credentials are sent; any one of them is enough. None: it does not say. */
  readonly schemes: readonly CredentialScheme[];
  /** Requests without credentials are let through, too. */
  readonly optional?: boolean | undefined;
}

/** A way of sending credentials, in the words of an OpenAPI security scheme. */
export type CredentialScheme = { readonly type: 'apiKey'; readonly in: 'header' | 'query' | 'cookie'; readonly name: string } | { readonly type: 'http'; readonly scheme: string; readonly bearerFormat?: string };

/** Why a file could not be loaded. */
export interface StepFileProblem {
  /** Sort of problem. */
  readonly kind: 'syntax' | 'import' | 'missing_config' | 'missing_handler' | 'timeout' | 'schema' | 'missing_authenticate' | 'interpreter' | 'crash' | 'setup' | 'environment' | 'secret';
  /** For people. */
  readonly message: string;
  /** From 1. */
  readonly line?: number | undefined;
  /** From 1. */
  readonly column?: number | undefined;
  /** The file at fault when it is not the Step file itself; relative to the root. */
  readonly at?: string | undefined;
}

/** One trigger of a Step. */
export interface TriggerRef {
  /** Kind, e.g. `http`. */
  readonly type: string;
  /** Index in `config.triggers`. */
  readonly index: number;
}

/** Why an invocation did not give a result. */
export type FailureCode = 'no_worker' | 'overloaded' | 'draining' | 'worker_lost' | 'handler_timeout' | 'cancelled' | 'unhandled_exception' | 'invalid_handler_result' | 'validation_failed' | 'condition_not_met' | 'invalid_json';

/** One finding of a schema. */
export interface ValidationIssue {
  /** `body`, `query`, `headers` or `input`. */
  readonly in: string;
  /** Dotted path, empty for the whole. */
  readonly path: string;
  /** Never repeats the value. */
  readonly message: string;
  /** Stable name. */
  readonly code: string;
}

/** Why a request does not get past its validation. */
export interface InputRefusal {
  /** Code of the error that the invocation ends with. */
  readonly code: 'validation_failed' | 'invalid_json';
  /** For people. */
  readonly message: string;
  /** Findings of a schema. */
  readonly issues?: readonly ValidationIssue[] | undefined;
}

/** Input of an http trigger. */
export interface HttpInput {
  /** As received, upper case. */
  readonly method: string;
  /** Path of the request, without query. */
  readonly path: string;
  /** Percent-decoded. */
  readonly pathParams?: Readonly<Record<string, string>> | undefined;
  /** Name to string, or to strings when a name was repeated; with a querySchema the coerced value. */
  readonly query?: unknown;
  /** Lower-case name to value, repeated ones joined. */
  readonly headers: Readonly<Record<string, string>>;
  /** Address of the client, behind the proxies that are trusted. */
  readonly ip?: string | undefined;
  /** The trigger's schemas refuse this request. Middleware that comes before validation runs all the same; after it the invocation fails with this. */
  readonly refused?: InputRefusal | undefined;
  /** Only when a header was repeated. */
  readonly headersAll?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Absent when there was none. */
  readonly body?: InputBody | undefined;
  /** The bytes of the body as base64; only for triggers with rawBody. */
  readonly rawBody?: string | undefined;
  /** Files of a multipart body. */
  readonly files?: readonly UploadedFile[] | undefined;
}

/** A file of a multipart body. */
export interface UploadedFile {
  /** Name of the form field. */
  readonly field: string;
  /** As the client named it; never a path to trust. */
  readonly filename: string;
  /** As the client named it. */
  readonly contentType?: string | undefined;
  /** Bytes. */
  readonly size?: number | undefined;
  /** Content. */
  readonly body: InputBody;
}

/** A body on its way to a handler: up to 256 KiB in place, else a stream. */
export type InputBody = JsonBody | TextBody | Base64Body | InputStreamBody;

/** A JSON value. */
export interface JsonBody {
  /** Form of the body. */
  readonly kind: 'json';
  /** The parsed value. */
  readonly value: unknown;
}

/** A JSON value as its text: whoever passes it on need not read it. */
export interface JsonTextBody {
  /** Form of the body. */
  readonly kind: 'json';
  /** The JSON. */
  readonly text: string;
}

/** Text. */
export interface TextBody {
  /** Form of the body. */
  readonly kind: 'text';
  /** The text. */
  readonly value: string;
}

/** Bytes. */
export interface Base64Body {
  /** Form of the body. */
  readonly kind: 'base64';
  /** The bytes as base64. */
  readonly value: string;
}

/** A body that follows in chunks. */
export interface InputStreamBody {
  /** Form of the body. */
  readonly kind: 'stream';
  /** Index into `streams` of the invocation. */
  readonly stream: number;
  /** What the bytes become. */
  readonly as: 'json' | 'text' | 'bytes';
}

/** Answer of an http trigger. */
export interface HttpResult {
  /** HTTP status. */
  readonly status: number;
  /** Made by middleware and not by the handler: the trigger's `responseSchema` says nothing of it. */
  readonly unchecked?: true | undefined;
  /** Name to value or values. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** Absent when there is none. */
  readonly body?: ResultBody | undefined;
  /** The answer was thrown as an error, with this sentence for the client; without a body the engine writes its own form of errors, without a sentence the name of the status. */
  readonly thrown?: string | undefined;
  /** Keys of what the handler returned that mean nothing, at most 5; absent when there are none. */
  readonly unknownKeys?: readonly string[] | undefined;
}

/** A body on its way from a handler: up to 256 KiB in place, else a stream. */
export type ResultBody = JsonBody | JsonTextBody | TextBody | Base64Body | ResultStreamBody;

/** A body that follows in chunks. */
export interface ResultStreamBody {
  /** Form of the body. */
  readonly kind: 'stream';
  /** Id of the stream, odd. */
  readonly stream: number;
  /** What the bytes become, of a body that was only too large for the message: it has a length and a responseSchema like any other. Absent for streamed answers. */
  readonly as?: 'json' | 'text' | 'bytes' | undefined;
  /** With `as`: how many bytes follow. */
  readonly bytes?: number | undefined;
}

/** What a handler said of its own span. */
export interface SpanNotes {
  /** Names and values. */
  readonly attributes?: Readonly<Record<string, string | number | boolean | readonly string[]>> | undefined;
  /** In the order in which they happened. */
  readonly events?: readonly SpanEvent[] | undefined;
  /** `traceparent` of other spans. */
  readonly links?: readonly string[] | undefined;
  /** The code gave the span the status of an error. */
  readonly error?: SpanError | undefined;
}

/** Something that happened at a moment within a span. */
export interface SpanEvent {
  /** What happened. */
  readonly name: string;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  /** Names and values. */
  readonly attributes?: Readonly<Record<string, string | number | boolean | readonly string[]>> | undefined;
}

/** Why a span failed. */
export interface SpanError {
  /** Class or code of the error. */
  readonly type: string;
  /** Text of the error. */
  readonly message: string;
  /** Stack of the error. */
  readonly stack?: string | undefined;
}

/** A span that has ended. */
export interface WorkerSpan {
  /** 32 hex digits; the trace of the invocation. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  /** 16 hex digits; the span in `traceparent` is the handler's. */
  readonly parentSpanId?: string | undefined;
  /** What was done. */
  readonly name: string;
  /** Its part in a conversation. */
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  /** Milliseconds since the Unix epoch, with fractions. */
  readonly startTime: number;
  /** Milliseconds, with fractions. */
  readonly durationMs: number;
  /** Step whose handler made it. */
  readonly stepName?: string | undefined;
  /** Names and values. */
  readonly attributes?: Readonly<Record<string, string | number | boolean | readonly string[]>> | undefined;
  /** In the order in which they happened. */
  readonly events?: readonly SpanEvent[] | undefined;
  /** `traceparent` of other spans. */
  readonly links?: readonly string[] | undefined;
  /** Present when it failed. */
  readonly error?: SpanError | undefined;
}

/** One series of an instrument. */
export interface MetricPoint {
  /** Name of the instrument. */
  readonly name: string;
  /** Kind of instrument. */
  readonly kind: 'counter' | 'updown' | 'histogram' | 'gauge';
  /** UCUM, e.g. `s`. */
  readonly unit?: string | undefined;
  /** What it measures. */
  readonly description?: string | undefined;
  /** Labels of the series. */
  readonly attributes?: Readonly<Record<string, string | number | boolean | readonly string[]>> | undefined;
  /** Of a counter: what was added. Of a gauge: what it is now. */
  readonly value?: number | undefined;
  /** Of a histogram: what was recorded; at most 1000. */
  readonly values?: readonly number[] | undefined;
}
