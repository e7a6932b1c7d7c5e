import {
  type CallAnswer, type CallWatcher, type Clock, type Invoker, type InvokeRequest, newSpanId, StepFailure, type StepId, type StepResult, type Unsubscribe,
  type Withdrawal,
} from '@treadle/api';
import { DeadlineQueues } from './deadline-queue.js';
import { Exclusives } from './exclusives.js';
import { Isolation } from '../isolation/isolation.js';
import { cancelled, LastWords } from './last-words.js';
import { type CallOwner, type CallSession, PendingCall } from './pending-call.js';
import { SessionPool } from '../sessions/session-pool.js';
import type { SessionState } from '../sessions/session-state.js';
import { WAITING_LIMITS, WaitingRoom } from './waiting-room.js';

type Lane = InvokeRequest['lane'];
/** How long the answer of a handler that has ended may be held up by others; its process is given up sooner. Milliseconds. */
const ANSWER_MS = 20_000;
/** How long a call waits for a process to run again in; milliseconds. */
const REPEAT_MS = 15_000;
const LANES: readonly Lane[] = ['request', 'delivery'];

/** Hands calls to sessions, keeps their deadlines, and lets calls wait a moment when no session can take them. */
export class Dispatcher implements Invoker, CallOwner {
  readonly pool = new SessionPool();
  readonly isolation: Isolation;
  private readonly waiting = new WaitingRoom();
  private readonly exclusives = new Exclusives(this.pool, (call, session) => this.run(call, session));
  private readonly deadlines: DeadlineQueues<PendingCall>;
  private readonly waits: DeadlineQueues<PendingCall>;
  private readonly answers: DeadlineQueues<PendingCall>;
  private readonly lastWords: LastWords;
  private readonly idle = new Set<() => void>();
  private arrivals = 0;
  private lastId = 0;
  private closed = false;
  running = 0;
  /** Told of the calls of sampled traces. */
  watcher: CallWatcher | undefined;

  /** `tell` writes a warning about Steps. */
  constructor(private readonly clock: Clock, tell: (message: string, steps: readonly StepId[]) => void) {
    this.isolation = new Isolation({
      clock, pool: this.pool, tell,
      withdraw: (call, from, told) => this.withdraw(call, from, told), replace: (call) => this.replace(call), start: (call) => this.startAgain(call),
    });
    this.deadlines = new DeadlineQueues(clock, (call) => this.expireRunning(call));
    this.answers = new DeadlineQueues(clock, timeOut);
    this.waits = new DeadlineQueues(clock, (call) => this.expireWaiting(call));
    this.lastWords = new LastWords(clock);
  }

  start(request: InvokeRequest, answer: CallAnswer): void {
    const call = new PendingCall(this.arrivals++, request, this, answer);
    this.running++;
    if (this.closed) call.fail(new StepFailure('draining', 'the engine is stopping'));
    else this.dispatch(call);
  }

  invoke(request: InvokeRequest): Promise<StepResult> {
    return new Promise((succeeded, failed) => this.start(request, { succeeded, failed }));
  }

  servers(step: StepId): number {
    return this.pool.servers(step);
  }

  onServing(listener: (step: StepId, servers: number) => void): Unsubscribe {
    return this.pool.onServing(listener);
  }

  /** Gives up on a request. Searched, not indexed: rare, and an index would cost every request. */
  cancel(request: InvokeRequest, reason: 'client_gone' | 'drain'): void {
    const call = findCall(request, this.pool.all) ?? this.allWaiting().find((waiting) => waiting.request === request);
    if (call?.session && reason === 'drain' && request.lane === 'delivery' && !call.givenUp) this.lastWords.await(call, call.session);
    else if (call) giveUp(call, reason);
  }

  /** Gives up on all that is left when the time to drain is over: handlers see their signal abort, callers an answer. */
  cancelAll(): void {
    const running = [...this.pool.all].flatMap(({ calls }) => [...calls.all()]);
    for (const call of [...running, ...this.allWaiting()]) giveUp(call, 'drain');
  }

  /** Sessions have changed or have credit again: starts what waits for these Steps. */
  wake(steps: ReadonlySet<StepId>): void {
    if (this.exclusives.size > 0) this.exclusives.wake();
    if (this.waiting.size > 0) for (const lane of LANES) this.wakeLane(steps, lane);
  }

  /** Takes back what a blocked session has not begun. `over` is called once it is known of every delivery. */
  takeBack(session: SessionState, over: (ended: readonly PendingCall[]) => void): void {
    const deliveries = session.calls.all().filter(({ request }) => request.lane === 'delivery');
    const ended: PendingCall[] = [];
    let left = deliveries.length;
    if (left === 0) over(ended);
    for (const call of deliveries) {
      this.withdraw(call, session, (what) => {
        if (what === 'ended') ended.push(call);
        if (--left === 0) over(ended);
      });
    }
  }

  settled(call: PendingCall, failure: StepFailure | undefined): void {
    this.running--;
    if (call.spanId !== undefined) this.watcher?.ended(call, call.began, this.clock.monotonic(), failure);
    call.queue?.remove(call);
    const { session } = call;
    if (session) {
      session.release(call);
      if (this.waiting.size + this.exclusives.size > 0) this.released(call, session);
    } else if (isExclusive(call)) {
      const reserved = this.exclusives.delete(call);
      if (reserved) this.wake(reserved.steps);
    } else {
      this.waiting.delete(call);
    }
    if (call.isRepeat) this.isolation.settled(call);
    if (this.running === 0 && (this.closed || this.idle.size > 0)) this.becameIdle();
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
    for (const call of this.allWaiting()) call.fail(new StepFailure('draining', 'the engine is stopping'));
    this.waits.close();
    this.isolation.close();
    if (this.running === 0) this.closeDeadlines();
  }

  /** After an exclusive delivery the others are first, or many of them would keep the others waiting. */
  private released(call: PendingCall, session: CallSession): void {
    if (isExclusive(call)) this.wakeLane(session.steps, 'delivery');
    this.wake(session.steps);
  }

  private wakeLane(steps: ReadonlySet<StepId>, lane: Lane): void {
    const busy = new Set<StepId>();
    for (let call = this.waiting.oldest(lane, steps, busy); call; call = this.waiting.oldest(lane, steps, busy)) {
      const session = this.pick(call);
      if (session) {
        this.waiting.delete(call);
        call.queue?.remove(call);
        this.run(call, session);
      } else {
        busy.add(call.request.step);
      }
    }
  }

  private allWaiting(): readonly PendingCall[] {
    return [...this.waiting.all(), ...this.exclusives.all(), ...this.isolation.waiting()];
  }

  private dispatch(call: PendingCall): void {
    if (isExclusive(call)) return this.dispatchExclusive(call);
    const session = this.pick(call);
    return session ? this.run(call, session) : this.wait(call);
  }

  private pick({ request: { step, lane } }: PendingCall): SessionState | undefined {
    return this.pool.pick(step, lane, this.isolation.apart.has(step));
  }

  private dispatchExclusive(call: PendingCall): void {
    if (this.exclusives.startNow(call)) return;
    const { waitMs } = call.request;
    if (waitMs <= 0) return this.expireWaiting(call);
    this.waits.add(call, waitMs);
    this.exclusives.add(call);
  }

  private run(call: PendingCall, session: SessionState): void {
    call.id = ++this.lastId;
    session.take(call);
    if (this.watcher !== undefined && call.request.sampled) {
      call.spanId = newSpanId();
      call.began = this.clock.monotonic();
    }
    this.deadlines.add(call, call.request.timeoutMs);
    session.session.send(call);
  }

  private wait(call: PendingCall): void {
    const { step, lane } = call.request;
    const waitMs = call.isRepeat ? REPEAT_MS : call.request.waitMs;
    const busy = this.pool.servers(step) > 0;
    const limit = busy ? WAITING_LIMITS.noCredit : WAITING_LIMITS.noWorker;
    if (waitMs <= 0 || (lane === 'request' && this.waiting.count(step, lane) >= limit)) {
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

  /** A delivery that its worker has not begun, because another handler blocks it, has not had its attempt. */
  private expireRunning(call: PendingCall): void {
    const { session, request } = call;
    if (request.lane === 'request' || !session) {
      timeOut(call);
      return;
    }
    this.withdraw(call, session, (what) => {
      if (call.settled || call.givenUp) return;
      if (what === 'ended') this.answers.add(call, ANSWER_MS);
      else timeOut(call);
    });
  }

  /** What is withdrawn starts elsewhere at once. */
  private withdraw(call: PendingCall, from: CallSession, told: (what: Withdrawal) => void): void {
    if (from.session.withdraw === undefined) {
      told('begun');
      return;
    }
    from.session.withdraw(call, (what) => {
      if (what === 'withdrawn' && call.givenUp) call.fail(call.givenUp);
      else if (what === 'withdrawn' && !call.settled) this.startElsewhere(call, from);
      told(what);
    });
  }

  /** The new call comes first, or the engine would look idle in between. */
  private startElsewhere(call: PendingCall, behind: CallSession): void {
    behind.behind = true;
    this.start(call.request, call.answer);
    call.drop();
  }

  /** The request of a call that may have begun, for another call that waits until it is started. */
  private replace(call: PendingCall): PendingCall {
    const again = new PendingCall(this.arrivals++, call.request, this, call.answer);
    again.isRepeat = true;
    this.running++;
    this.waits.add(again, REPEAT_MS);
    call.drop();
    if (call.session?.gone === false) call.session.giveUp(call, 'client_gone');
    return again;
  }

  private startAgain(call: PendingCall): void {
    if (call.settled) return;
    call.queue?.remove(call);
    this.dispatch(call);
  }

  private becameIdle(): void {
    const listeners = [...this.idle];
    this.idle.clear();
    for (const listener of listeners) listener();
    if (this.closed) this.closeDeadlines();
  }

  private closeDeadlines(): void {
    this.deadlines.close();
    this.answers.close();
    this.lastWords.close();
  }
}

function isExclusive({ request }: PendingCall): boolean {
  return request.exclusive === true && request.lane === 'delivery';
}

function timeOut(call: PendingCall): void {
  const { session, request } = call;
  call.fail(new StepFailure('handler_timeout', `Step "${request.step}" took longer than ${request.timeoutMs} ms`));
  session?.giveUp(call, 'timeout');
}

function giveUp(call: PendingCall, reason: 'client_gone' | 'drain'): void {
  const { session } = call;
  call.fail(cancelled(reason));
  session?.giveUp(call, reason);
}

function findCall(request: InvokeRequest, sessions: Iterable<SessionState>): PendingCall | undefined {
  for (const { calls } of sessions) {
    const call = calls.all().find((running) => running.request === request);
    if (call) return call;
  }
  return undefined;
}
