import type { MetricPoint } from '@treadle/protocol';
import type { Attributes, SpanEvent, SpanRecord } from '../blocks/telemetry.js';
import type { LogLevel } from '../logger.js';
import type { StepId } from '../step-record.js';
import { token } from '../token.js';
import type { Unsubscribe } from '../unsubscribe.js';
import type { InvokeRequest, StepResult } from './invoker.js';
import type { StepFailure } from './step-failure.js';

export type { MetricPoint } from '@treadle/protocol';

/** Calls that a worker runs at a time, by the lane that they take their credit from. */
export const WORKER_CREDITS = { request: 1024, delivery: 100 } as const;

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

/** An invocation in a worker's hands; the engine makes it, the session answers it. */
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

/** A connected Step process (or the in-process runtime), seen from the engine. */
export interface Session {
  readonly id: string;
  /** `node`, `python`, `in-process`. */
  readonly runtime: string;
  readonly version: string;
  /** Whose Steps it serves; absent: the engine's own application. */
  readonly application?: string | undefined;
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

/** What a session tells the engine; given to it by `attach`. */
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
  measurements(points: readonly MetricPoint[], session: Session): void;
}

/** Takes in those that run handlers: for the module that knows their processes. */
export interface Sessions {
  attach(session: Session): SessionHandle;
  /** From now on the calls of sampled traces are told of; one watcher at a time. */
  watch(watcher: CallWatcher): Unsubscribe;
}
export const Sessions = token<Sessions>('engine.Sessions');
