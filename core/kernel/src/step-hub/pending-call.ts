import type { Call, CallAnswer, HandlerReport, InvokeRequest, StepFailure, StepResult } from '@treadle/api';
import type { DeadlineQueue } from './deadline-queue.js';
import type { SessionState } from './session-state.js';

/** What a call tells its hub; once per call. */
export interface CallOwner {
  /** `failure` is absent when the handler succeeded. */
  settled(call: PendingCall, failure: StepFailure | undefined): void;
}

/** A call between `invoke` and its answer. One object a call: it is also its own entry in a deadline queue. */
export class PendingCall implements Call {
  /** Given when it is sent: ids rise in each session, whichever calls waited. 0 before. */
  id = 0;
  settled = false;
  session: SessionState | undefined = undefined;
  /** Links and place in a `DeadlineQueue`; owned by it. */
  previous: PendingCall | undefined = undefined;
  next: PendingCall | undefined = undefined;
  queue: DeadlineQueue | undefined = undefined;
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
