import type { Readable } from 'node:stream';
import type { AtomicRun } from './atomic-run.js';
import type { BodyValue } from '../body-value.js';
import type { StepId, TriggerRef } from '../step-record.js';
import { token } from '../token.js';
import type { Unsubscribe } from '../unsubscribe.js';
import type { StepFailure } from './step-failure.js';

/** One start of a handler. Made by the module that serves the trigger kind. */
export interface InvokeRequest {
  readonly step: StepId;
  readonly trigger: TriggerRef;
  /**
   * First argument of the handler as plain JSON, in the wire's form. Where `inputText` is given it may be read from that only when
   * somebody asks: 1 MB of text can be 25 MB as a value.
   */
  readonly input: unknown;
  /** The JSON of `input`, where it is at hand: who sends it on need neither read nor write it. */
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
  /** Present when nothing of what the handler writes is to be stored before it is acknowledged. */
  readonly atomic?: AtomicRun | undefined;
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

/** Takes the outcome of a start: one of the two is called, once, perhaps before `start` has returned. Must not throw. */
export interface CallAnswer {
  /** Whether an answer of so many bytes may be gathered for it; it counts them until they are sent. Absent: always. */
  admits?(bytes: number): boolean;
  succeeded(result: StepResult): void;
  failed(failure: StepFailure): void;
}

/** Runs handlers: for modules that start Steps. */
export interface Invoker {
  /** Runs a handler once or fails; never twice. For hot paths: a promise a request costs a microsecond. */
  start(request: InvokeRequest, answer: CallAnswer): void;
  /** The same as a promise, which rejects with a `StepFailure`. */
  invoke(request: InvokeRequest): Promise<StepResult>;
  /**
   * Gives up on a request passed to `start` or `invoke`: fails it with `cancelled` and aborts the handler's signal. For reason `drain` a delivery fails
   * a moment later (150 ms), unless its handler turns out to have ended: it would run once more.
   */
  cancel(request: InvokeRequest, reason: 'client_gone' | 'drain'): void;
  /** Calls that run or wait for a worker. */
  readonly running: number;
  /** Sessions that serve a Step now. */
  servers(step: StepId): number;
  /** Told when the number of sessions that serve a Step becomes 0 or is no longer 0. */
  onServing(listener: (step: StepId, servers: number) => void): Unsubscribe;
}
export const Invoker = token<Invoker>('engine.Invoker');
