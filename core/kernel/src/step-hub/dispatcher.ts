import { type CallAnswer, type Clock, type InvokeRequest, StepFailure, type StepId } from '@treadle/api';
import { DeadlineQueues } from './deadline-queue.js';
import { type CallOwner, PendingCall } from './pending-call.js';
import { SessionPool } from './session-pool.js';
import type { SessionState } from './session-state.js';
import { WAITING_LIMITS, WaitingRoom } from './waiting-room.js';

/** Hands calls to sessions, keeps their deadlines, and lets calls wait a moment when no session can take them. */
export class Dispatcher implements CallOwner {
  readonly pool = new SessionPool();
  private readonly waiting = new WaitingRoom();
  private readonly deadlines: DeadlineQueues;
  private readonly waits: DeadlineQueues;
  private readonly idle = new Set<() => void>();
  private nextId = 1;
  private closed = false;
  running = 0;

  constructor(clock: Clock) {
    this.deadlines = new DeadlineQueues(clock, expireRunning);
    this.waits = new DeadlineQueues(clock, (call) => this.expireWaiting(call));
  }

  start(request: InvokeRequest, answer: CallAnswer): void {
    const call = new PendingCall(this.nextId++, request, this, answer);
    this.running++;
    if (this.closed) call.fail(new StepFailure('draining', 'the engine is stopping'));
    else this.dispatch(call);
  }

  /** Gives up on a request. Searched, not indexed: rare, and an index would cost every request. */
  cancel(request: InvokeRequest, reason: 'client_gone' | 'drain', sessions: Iterable<SessionState>): void {
    const call = findCall(request, sessions) ?? this.waiting.all().find((waiting) => waiting.request === request);
    if (!call) return;
    const { session } = call;
    call.fail(new StepFailure('cancelled', `the call was cancelled: ${reason}`));
    session?.session.cancel(call, reason);
  }

  /** Sessions have changed or have credit again: starts what waits for these Steps. */
  wake(steps: Iterable<StepId>): void {
    if (this.waiting.size === 0) return;
    for (const step of steps) {
      for (const call of this.waiting.of(step)) {
        const session = this.pool.pick(step, call.request.lane);
        if (!session) break;
        this.waiting.delete(call);
        call.queue?.remove(call);
        this.run(call, session);
      }
    }
  }

  settled(call: PendingCall): void {
    this.running--;
    call.queue?.remove(call);
    const { session } = call;
    if (session) {
      session.release(call);
      if (this.waiting.size > 0) this.wake(session.steps);
    } else {
      this.waiting.delete(call);
    }
    if (this.running === 0 && this.idle.size > 0) this.becameIdle();
  }

  /** Resolves when nothing runs or waits, or when the signal aborts. */
  drained(signal: AbortSignal): Promise<void> {
    if (this.running === 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.idle.add(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Refuses new calls and those that wait. */
  close(): void {
    this.closed = true;
    for (const call of this.waiting.all()) call.fail(new StepFailure('draining', 'the engine is stopping'));
    this.waits.close();
    if (this.running === 0) this.deadlines.close();
  }

  private dispatch(call: PendingCall): void {
    const session = this.pool.pick(call.request.step, call.request.lane);
    if (session) this.run(call, session);
    else this.wait(call);
  }

  private run(call: PendingCall, session: SessionState): void {
    session.take(call);
    this.deadlines.add(call, call.request.timeoutMs);
    session.session.send(call);
  }

  private wait(call: PendingCall): void {
    const { step, waitMs } = call.request;
    const busy = this.pool.servers(step) > 0;
    const limit = busy ? WAITING_LIMITS.noCredit : WAITING_LIMITS.noWorker;
    if (waitMs <= 0 || this.waiting.count(step) >= limit) {
      this.expireWaiting(call);
      return;
    }
    this.waiting.add(call);
    this.waits.add(call, waitMs);
  }

  private expireWaiting(call: PendingCall): void {
    const { step } = call.request;
    call.fail(this.pool.servers(step) > 0
      ? new StepFailure('overloaded', `every worker that serves Step "${step}" is busy`)
      : new StepFailure('no_worker', `no worker serves Step "${step}"`));
  }

  private becameIdle(): void {
    const listeners = [...this.idle];
    this.idle.clear();
    for (const listener of listeners) listener();
    if (this.closed) this.deadlines.close();
  }
}

function expireRunning(call: PendingCall): void {
  const { session, request } = call;
  call.fail(new StepFailure('handler_timeout', `Step "${request.step}" took longer than ${request.timeoutMs} ms`));
  session?.session.cancel(call, 'timeout');
}

function findCall(request: InvokeRequest, sessions: Iterable<SessionState>): PendingCall | undefined {
  for (const { calls } of sessions) {
    const call = calls.all().find((running) => running.request === request);
    if (call) return call;
  }
  return undefined;
}
