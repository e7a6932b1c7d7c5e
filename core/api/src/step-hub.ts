import type { Readable } from 'node:stream';
import type { MetricPoint } from '@treadle/protocol';
import type { Attributes, SpanEvent, SpanRecord } from './blocks/telemetry.js';
import type { BodyValue } from './body-value.js';
import type { LogLevel } from './logger.js';
import type { CatalogChange, StepId, StepRecord, TriggerRecord, TriggerRef } from './step-record.js';
import type { OperationSpec, TriggerKindSpec } from './trigger-kind.js';
import { token } from './token.js';

export type { MetricPoint } from '@treadle/protocol';
export type Unsubscribe = () => void;

/** Calls that a worker runs at a time, by the lane that they take their credit from. */
export const WORKER_CREDITS = { request: 1024, delivery: 100 } as const;

/** One start of a handler. Made by the module that serves the trigger kind. */
export interface InvokeRequest {
  readonly step: StepId;
  readonly trigger: TriggerRef;
  /** First argument of the handler as plain JSON, in the wire's form. */
  readonly input: unknown;
  /** The JSON of `input`, where it is at hand: who sends it on need not write it again. */
  readonly inputText?: string | undefined;
  /** The JSON of `input.body.value` as the client sent it; it may have numbers with more digits than JavaScript's. */
  readonly bodyText?: string | undefined;
  /** Bodies too large for one frame; `input` refers to them as `{ kind: 'stream', stream: <index here>, as }`. */
  readonly streams?: readonly Readable[] | undefined;
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits: the span that caused this start; `NO_SPAN` when none did. */
  readonly spanId: string;
  /** Spans of this trace are wanted. False without an observability module, unless a trusted caller wants them. */
  readonly sampled: boolean;
  readonly timeoutMs: number;
  /** From 1. */
  readonly attempt: number;
  /** Of a queue trigger: the message; `headers` is JSON text. */
  readonly message?: { readonly messageId: string; readonly enqueuedAt: number; readonly headers?: string | undefined } | undefined;
  /** Which credit it takes. */
  readonly lane: 'request' | 'delivery';
  /** How long to wait for a worker when none serves the Step at the moment; 0 fails at once. */
  readonly waitMs: number;
  /** Deliveries of state and stream triggers that led to this start, this one included; absent: 0. */
  readonly hops?: number | undefined;
  /** In lane `delivery`: no other delivery runs in the worker beside it. It waits until a worker is free of them. */
  readonly exclusive?: boolean | undefined;
  /** It may run again when its process is held up or dies, as the methods of HTTP that change nothing may. */
  readonly repeatable?: boolean | undefined;
}

/** What a handler answered. `http` for http triggers; other triggers have no result. */
export interface StepResult {
  readonly http?: HttpResult;
  /** What a hook of a stream gave back, as JSON. */
  readonly value?: unknown;
}

export interface HttpResult {
  readonly status: number;
  /** Made by middleware and not by the handler: the trigger's `responseSchema` says nothing of it. */
  readonly unchecked?: true | undefined;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: BodyValue | undefined;
  /** A streamed body (SSE or `streamed()`). */
  readonly stream?: Readable | undefined;
  /** The answer was thrown, with this sentence for the client: it is not held to a `responseSchema`, and without a body it gets that of an error. */
  readonly thrown?: string | undefined;
  /** Keys of what the handler returned that mean nothing. */
  readonly unknownKeys?: readonly string[] | undefined;
}

/** Why an invocation did not give a result. */
export type FailureCode =
  | 'no_worker' | 'overloaded' | 'draining' | 'worker_lost' | 'handler_timeout' | 'cancelled'
  | 'unhandled_exception' | 'invalid_handler_result' | 'validation_failed' | 'condition_not_met' | 'invalid_json';

/** One finding of a schema. */
export interface ValidationIssue {
  /** `body`, `query`, `headers` or `input`. */
  readonly in: string;
  /** Dotted path, empty for the whole. */
  readonly path: string;
  readonly message: string;
  readonly code: string;
}

/** Rejection of `invoke`. */
export class StepFailure extends Error {
  readonly code: FailureCode;
  /** Of the handler's own error; never sent to HTTP clients. */
  readonly detail: StepFailureDetail;
  constructor(code: FailureCode, message: string, detail: StepFailureDetail = {}) {
    super(message);
    this.name = 'StepFailure';
    this.code = code;
    this.detail = detail;
  }
}

export interface StepFailureDetail {
  readonly errorName?: string;
  readonly stack?: string;
  readonly issues?: readonly ValidationIssue[];
  /** The handler threw `NonRetryableError`. */
  readonly nonRetryable?: boolean;
  /** The handler threw `RetryAfter`. */
  readonly retryAfterMs?: number;
  /** With `worker_lost`: the process ended, rather than being cut off or drained. */
  readonly workerDied?: boolean;
}

/** What the run of a handler tells of itself beside its result. */
export interface HandlerReport {
  /** How long the handler took in its own process, in milliseconds with fractions; absent in the engine's own. */
  readonly ms?: number | undefined;
  /** What the handler said through `ctx.trace`; absent when it said nothing. */
  readonly span?: HandlerSpanNotes | undefined;
}

/** What a handler said through `ctx.trace`. */
export interface HandlerSpanNotes {
  readonly attributes?: Attributes | undefined;
  readonly events?: readonly SpanEvent[] | undefined;
  /** `traceparent` of other spans. */
  readonly links?: readonly string[] | undefined;
  /** Set by its code; a handler that throws needs none. */
  readonly error?: SpanRecord['error'];
}

/** An invocation in a worker's hands; the hub makes it, the session answers it. */
export interface Call {
  /** Unique in the engine's life; the invocation id on the wire. */
  readonly id: number;
  readonly request: InvokeRequest;
  readonly settled: boolean;
  /** 16 hex digits: the handler's own span, parent of what the handler causes. Absent while it has none: then it is the request's. */
  readonly spanId?: string | undefined;
  /** Set by the session before it settles the call. */
  report?: HandlerReport | undefined;
  /** Asked before an answer of so many bytes is gathered in memory. False: there is no room; the call is to fail with `overloaded`. */
  admits(bytes: number): boolean;
  succeed(result: StepResult): void;
  fail(failure: StepFailure): void;
}

/** A connected Step process (or the in-process runtime), seen from the hub. */
export interface WorkerSession {
  readonly id: string;
  /** `node`, `python`, `in-process`. */
  readonly runtime: string;
  readonly version: string;
  readonly pid?: number | undefined;
  /** Starts the handler; answers through the call. Never throws. */
  send(call: Call): void;
  /** Tells the handler to stop; the call is already settled. */
  cancel(call: Call, reason: 'timeout' | 'client_gone' | 'drain'): void;
  /** Takes back a call without streams that has not begun; `told` once, within seconds, perhaps at once. Absent: nobody ever knows there. */
  withdraw?(call: Call, told: (what: Withdrawal) => void): void;
  /** Asks its process for `caughtUp`. */
  probe?(): void;
  /** Another process beside it would keep the others serving. Absent: nobody can start one. */
  relieve?(): void;
}

/** Of a call that was to be taken back: it never begins; its handler runs, or nobody knows; its handler is over and its answer on its way. */
export type Withdrawal = 'withdrawn' | 'begun' | 'ended';

/** Takes the outcome of a start: one of the two is called, once, perhaps before `start` has returned. Must not throw. */
export interface CallAnswer {
  /** Whether an answer of so many bytes may be gathered for it; it counts them until they are sent. Absent: always. */
  admits?(bytes: number): boolean;
  succeeded(result: StepResult): void;
  failed(failure: StepFailure): void;
}

/** Given to a session by `attach`. */
export interface SessionHandle {
  /** Replaces the set of Steps that the session serves. */
  serve(steps: readonly StepId[]): void;
  /** No new calls from now on; running ones may finish. */
  retire(): void;
  /** The session is gone: its running calls fail with `worker_lost`. `died`: its process ended by itself. Idempotent. */
  lost(reason: string, died?: boolean): void;
  /**
   * A handler blocks its process, which is to be ended. Deliveries that have not begun start elsewhere; what has begun fails with
   * `worker_lost`, as if the process had ended by itself, and what has ended, as if it had not. `over` is called once all that is so, within seconds.
   */
  blocked(reason: string, over: () => void): void;
  /** A handler holds up its process right now: what has not begun there, and what may be repeated, goes elsewhere if it can. */
  held(): void;
  /** The process has read all that was sent to it: it is not held up, and one from which a call was withdrawn gets deliveries again. */
  caughtUp(): void;
  /** A running call of this session, or undefined once it is settled. */
  call(id: number): Call | undefined;
  /** Runs an operation for a running call; rejects with `StaleDelivery` when the call is settled or not its own. */
  execute(callId: number, operation: string, args: unknown): Promise<unknown>;
  /** Writes a log record in the call's name. */
  log(callId: number | undefined, entry: WorkerLogEntry): void;
  /** Takes spans that code of a handler made by itself. */
  spans(spans: readonly SpanRecord[]): void;
  /** Takes what code of handlers measured. */
  measurements(points: readonly MetricPoint[]): void;
  readonly running: number;
}

export interface WorkerLogEntry {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
  /** For output that came without a call, or after its end. */
  readonly stepName?: string | undefined;
  /** Of the call, once that has been answered or cancelled; it then counts instead of the call's id. */
  readonly traceparent?: string | undefined;
}

/** Rejection of an operation, carried to the handler. `code` is stable, e.g. `StaleDelivery`. */
export class OperationError extends Error {
  readonly code: string;
  /** `cause`: what it comes from, for whoever looks inside; it does not travel. */
  constructor(code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'OperationError';
    this.code = code;
  }
}

export interface OperationContext {
  readonly step: StepRecord;
  readonly call: Call;
}

/** Serves `ctx.<area>.<verb>` for every language. */
export type Operation = (args: unknown, context: OperationContext) => Promise<unknown>;

/** How a module takes in Steps of its kind. Throwing disables the trigger and shows the text as a diagnostic. */
export interface TriggerKindBinding {
  bind(step: StepRecord, trigger: TriggerRecord, ref: TriggerRef): void;
  unbind(step: StepRecord, trigger: TriggerRecord, ref: TriggerRef): void;
}

export interface DeclaredTriggerKind extends TriggerKindSpec {
  /** Class of the module that declares it. */
  readonly owner: string;
}

/** Told of calls, so that their spans can be written. Nothing here may throw. */
export interface CallWatcher {
  /**
   * A call of a sampled trace that a worker had has its answer. Its `spanId` was made when it began. `began` and `ended`:
   * milliseconds of the monotonic clock.
   */
  ended(call: Call, began: number, ended: number, failure: StepFailure | undefined): void;
  /** Spans that code of handlers made by itself; checked for form and size. */
  spans(spans: readonly SpanRecord[]): void;
  /** What code of handlers measured; checked likewise. `session` tells the processes apart that do. */
  measurements(points: readonly MetricPoint[], session: WorkerSession): void;
}

/** The only thing that every module knows of Steps. */
export interface StepHub {
  /** The catalog. */
  steps(): readonly StepRecord[];
  step(id: StepId): StepRecord | undefined;
  /** Replaces the catalog; bindings of Steps whose config did not change stay as they are. */
  publish(steps: readonly StepRecord[]): CatalogChange;
  onChange(listener: (change: CatalogChange) => void): Unsubscribe;
  /** Kinds that the loaded modules declare. */
  triggerKinds(): readonly DeclaredTriggerKind[];
  operations(): readonly OperationSpec[];
  /** Binds now and later: Steps already in the catalog are bound at once. */
  bindTriggerKind(type: string, binding: TriggerKindBinding): Unsubscribe;
  bindOperation(name: string, operation: Operation): Unsubscribe;
  /** Runs a handler once or fails; never twice. For hot paths: a promise a request costs a microsecond. */
  start(request: InvokeRequest, answer: CallAnswer): void;
  /** The same as a promise, which rejects with a `StepFailure`. */
  invoke(request: InvokeRequest): Promise<StepResult>;
  /** Gives up on a request passed to `start` or `invoke`: fails it with `cancelled` and aborts the handler's signal. */
  cancel(request: InvokeRequest, reason: 'client_gone' | 'drain'): void;
  attach(session: WorkerSession): SessionHandle;
  /** From now on the calls of sampled traces are told of; one watcher at a time. */
  watch(watcher: CallWatcher): Unsubscribe;
  /** Sessions that serve a Step now. */
  servers(step: StepId): number;
  /** Told when the number of sessions that serve a Step becomes 0 or is no longer 0. */
  onServing(listener: (step: StepId, servers: number) => void): Unsubscribe;
  /** False while Steps may be missing from the catalog that are about to come: from a start until their processes have registered. */
  readonly settled: boolean;
  /** Says whether the catalog is whole. */
  settle(settled: boolean): void;
  /** Told when the catalog became whole, or is no longer so. */
  onSettled(listener: (settled: boolean) => void): Unsubscribe;
  /** Calls in workers' hands. */
  readonly running: number;
  /** Refuses new calls with `draining`. */
  close(): void;
}

export const StepHub = token<StepHub>('engine.StepHub');
