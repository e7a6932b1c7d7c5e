import type { Readable } from 'node:stream';
import type { Call, CallAnswer, HandlerReport, InvokeRequest, Session, StepFailure, StepId, StepResult } from '@treadle/api';
import type { DeadlineQueue } from './deadline-queue.js';

/** What a call tells its dispatcher; once per call. */
export interface CallOwner {
  /** `failure` is absent when the handler succeeded. */
  settled(call: PendingCall, failure: StepFailure | undefined): void;
}

/** The session that has a call, as the call and its dispatcher see it. */
export interface CallSession {
  readonly session: Session;
  readonly steps: ReadonlySet<StepId>;
  readonly gone: boolean;
  /** A call was withdrawn from it. */
  behind: boolean;
  /** Tells the worker that nobody waits for a call any more. */
  giveUp(call: PendingCall, reason: Parameters<Session['cancel']>[1]): void;
  /** Keeps an answered call until its body is complete. */
  keepStreaming(call: PendingCall, stream: Readable): void;
  release(call: PendingCall): void;
}

/** A call between `invoke` and its answer. One object a call: it is also its own entry in a deadline queue. */
export class PendingCall implements Call {
  /** Given when it is sent: ids rise in each session, whichever calls waited. 0 before. */
  id = 0;
  settled = false;
  session: CallSession | undefined = undefined;
  /** Links and place in a `DeadlineQueue`; owned by it. */
  previous: PendingCall | undefined = undefined;
  next: PendingCall | undefined = undefined;
  queue: DeadlineQueue<PendingCall> | undefined = undefined;
  deadline = 0;
  spanId: string | undefined = undefined;
  report: HandlerReport | undefined = undefined;
  /** When a worker got it, if it has a span; milliseconds of the monotonic clock. */
  began = 0;
  /** Its request ran before, in a process that was held up or died. */
  isRepeat = false;

  constructor(
    /** Its place among all calls, in the order in which they came. */
    readonly arrival: number,
    readonly request: InvokeRequest,
    private readonly owner: CallOwner,
    readonly answer: CallAnswer,
  ) {}

  admits(bytes: number): boolean {
    return this.answer.admits?.(bytes) ?? true;
  }

  succeed(result: StepResult): void {
    if (this.settled) return;
    this.settled = true;
    const stream = result.http?.stream;
    if (stream !== undefined && !stream.closed) this.session?.keepStreaming(this, stream);
    this.owner.settled(this, undefined);
    this.answer.succeeded(result);
  }

  fail(failure: StepFailure): void {
    if (this.settled) return;
    this.settled = true;
    this.owner.settled(this, failure);
    this.answer.failed(failure);
  }

  /** Ends without an answer and without a trace: no handler has seen it, and another call has its request now. */
  drop(): void {
    this.settled = true;
    this.spanId = undefined;
    this.owner.settled(this, undefined);
  }
}
