import type { Readable } from 'node:stream';
import type { FailureCode, MessageFacts, TriggerRef, ValidationIssue } from '@treadle/protocol';

/** One start of a handler; the `invoke` message with its streams opened. */
export interface InvokeInput {
  readonly id: number;
  /** Name of the Step. */
  readonly step: string;
  readonly trigger: TriggerRef;
  /** First argument in the wire's form; in one process a body may be `{ kind: 'bytes' }`. */
  readonly input?: unknown;
  /** What the input refers to by index. Those that the handler leaves unread are destroyed when it has finished. */
  readonly streams?: readonly Readable[] | undefined;
  readonly traceparent: string;
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** From 1. */
  readonly attempt: number;
  /** Of a queue trigger. */
  readonly message?: MessageFacts | undefined;
}

/** A response body as a handler gave it. */
export type RunBody =
  /** `text` is the JSON of `value` at the moment when the handler answered; `value` may change afterwards. */
  | { readonly kind: 'json'; readonly value: unknown; readonly text: string }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'bytes'; readonly value: Uint8Array };

/** What is told of an answer beside what is sent. */
export interface ResultNotes {
  /** The answer was thrown: the sentence for the client, used where there is no body. */
  readonly thrown?: string;
  /** Keys of what the handler returned that mean nothing. */
  readonly unknownKeys?: readonly string[];
}

/** Answer of an http trigger. */
export interface RunHttpResult extends ResultNotes {
  readonly status: number;
  /** Made by middleware and not by the handler. */
  readonly unchecked?: true;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: RunBody;
  /** A streamed body; then `body` is absent. The invocation runs on until it ends. */
  readonly stream?: Readable;
}

export interface RunSuccess {
  readonly ok: true;
  /** Only for http triggers. */
  readonly http?: RunHttpResult;
  /** Only for declarations: what the function gave back, as plain JSON; absent when it gave nothing. */
  readonly value?: unknown;
}

export interface RunFailure {
  readonly ok: false;
  readonly code: FailureCode;
  readonly message: string;
  /** Class name of the handler's own error. */
  readonly name?: string | undefined;
  readonly stack?: string | undefined;
  readonly issues?: readonly ValidationIssue[] | undefined;
  readonly nonRetryable?: boolean | undefined;
  /** Milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** How an invocation ended. */
export type RunOutcome = RunSuccess | RunFailure;
