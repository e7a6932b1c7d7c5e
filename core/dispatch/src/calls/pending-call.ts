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
  /** Its handler was asked to give up; this is what becomes of it unless that succeeds all the same. */
  givenUp: StepFailure | undefined = undefined;

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
    const told = this.givenUp ?? failure;
    this.owner.settled(this, told);
    this.answer.failed(told);
  }

  /** Ends without an answer and without a trace: no handler has seen it, and another call has its request now. */
  drop(): void {
    this.settled = true;
    this.spanId = undefined;
    this.owner.settled(this, undefined);
  }
}

/** Twice what a session may hold at once, so that ids rarely meet; a power of two. */
const SLOTS = 2048;

/**
 * Running calls by id. Ids are given out in order, so the low bits of an id are its slot; one that finds it taken by a
 * call that has been running for long goes into a map. A map alone would do, but for the collector: when a Map of V8
 * grows or is compacted, the table that it leaves behind points to its successor, and a chain of such tables, once in
 * the old generation, keeps thousands of finished calls alive with all that hangs on them.
 */
export class CallTable<T extends { readonly id: number }> {
  private readonly slots: (T | undefined)[] = new Array<T | undefined>(SLOTS).fill(undefined);
  private readonly overflow = new Map<number, T>();
  size = 0;

  get(id: number): T | undefined {
    const call = this.slots[id & (SLOTS - 1)];
    return call?.id === id ? call : this.overflow.get(id);
  }

  add(call: T): void {
    const slot = call.id & (SLOTS - 1);
    if (this.slots[slot] === undefined) this.slots[slot] = call;
    else this.overflow.set(call.id, call);
    this.size++;
  }

  /** False when it was not there. */
  delete(call: T): boolean {
    const slot = call.id & (SLOTS - 1);
    if (this.slots[slot] === call) this.slots[slot] = undefined;
    else if (!this.overflow.delete(call.id)) return false;
    this.size--;
    return true;
  }

  /** A copy, so that the table may change meanwhile. */
  all(): readonly T[] {
    return [...this.slots.filter((call) => call !== undefined), ...this.overflow.values()];
  }
}
