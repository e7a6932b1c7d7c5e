import type { Clock, StepId, Timer, Withdrawal } from '@treadle/api';
import type { PendingCall } from '../calls/pending-call.js';
import { Repeats } from './repeats.js';
import type { SessionPool } from '../sessions/session-pool.js';
import type { SessionState } from '../sessions/session-state.js';

/** How long a Step that has harmed its process is kept apart from the others; milliseconds. */
export const APART_MS = 600_000;

/** What isolation needs of the dispatcher. */
export interface IsolationParts {
  readonly clock: Clock;
  readonly pool: SessionPool;
  /** Takes a call back that has not begun; it starts again where there is room. */
  readonly withdraw: (call: PendingCall, from: SessionState, told: (what: Withdrawal) => void) => void;
  /** Lets another call have the request of this one; it does not start yet. */
  readonly replace: (call: PendingCall) => PendingCall;
  readonly start: (call: PendingCall) => void;
  readonly tell: (message: string, steps: readonly StepId[]) => void;
}

/**
 * Steps of a language share processes. When a handler holds up or ends its process, this keeps the others from noticing: what has not
 * begun there goes elsewhere, what may run again does, and the Step at fault is kept apart.
 */
export class Isolation {
  readonly apart: KeptApart;
  private readonly repeats: Repeats;
  private readonly held = new Set<SessionState>();

  constructor(private readonly parts: IsolationParts) {
    this.apart = new KeptApart(parts.clock, () => parts.pool.mix());
    this.repeats = new Repeats(parts.clock, parts.start);
  }

  /** Calls that wait for their turn to run again. */
  waiting(): readonly PendingCall[] {
    return this.repeats.all();
  }

  /** A call that ran again is over. */
  settled(call: PendingCall): void {
    this.repeats.settled(call);
  }

  /** A handler holds up this session's process, or one did that has been given up. */
  hold(session: SessionState): void {
    session.held = true;
    this.held.add(session);
    // Its answer says that the process goes on.
    session.session.probe?.();
    session.session.relieve?.();
    this.clear(session);
  }

  /** It goes on, or is gone. */
  release(session: SessionState): void {
    session.held = false;
    this.held.delete(session);
  }

  /** A session serves more than before: it can take over from those that are held up. */
  serves(session: SessionState): void {
    for (const other of this.held) if (other !== session) this.clear(other);
  }

  /** Of the calls that a dead process had, those that run again; the others fail. */
  rescue(session: SessionState, calls: readonly PendingCall[]): ReadonlySet<PendingCall> {
    const culprit = soleStep(calls);
    if (culprit !== undefined) this.keepApart(culprit, session);
    const rescued = calls.filter((call) => mayRepeat(call) && !this.apart.has(call.request.step));
    if (rescued.length > 0) this.repeats.add(rescued.map(this.parts.replace));
    return new Set(rescued);
  }

  close(): void {
    this.apart.close();
  }

  /** Those with streams stay: nobody could say whether a handler has read of them. */
  private clear(session: SessionState): void {
    const calls = session.calls.all().filter(({ request }) => request.streams === undefined);
    const begun: PendingCall[] = [];
    const ended: PendingCall[] = [];
    let left = calls.length;
    for (const call of calls) {
      this.parts.withdraw(call, session, (what) => {
        if (what === 'begun') begun.push(call);
        else if (what === 'ended') ended.push(call);
        if (--left === 0) this.cleared(session, begun, ended);
      });
    }
  }

  /** Nothing has begun while files are loaded. What began last is most likely what runs now: most handlers work before they wait. */
  private cleared(session: SessionState, begun: readonly PendingCall[], ended: readonly PendingCall[]): void {
    const running = begun.filter((call) => !call.settled);
    const [first] = running;
    if (!session.held || first === undefined) return;
    const culprit = running.reduce((last, call) => (call.id > last.id ? call : last), first);
    session.aside = true;
    this.keepApart(culprit.request.step, session);
    for (const call of [...running, ...ended]) {
      if (call !== culprit && mayRepeat(call) && this.parts.pool.hasOther(call.request.step, session)) this.parts.start(this.parts.replace(call));
    }
  }

  private keepApart(step: StepId, session: SessionState): void {
    if (this.apart.add(step)) this.parts.tell('a Step blocks or ends its process: for 10 minutes other Steps run in another process', [step]);
    session.session.relieve?.();
  }
}

/** The one Step that can have ended its process. What runs again runs beside others that are new and above suspicion. */
function soleStep(calls: readonly PendingCall[]): StepId | undefined {
  const again = calls.filter(({ isRepeat }) => isRepeat);
  const suspects = new Set((again.length > 0 ? again : calls).map(({ request }) => request.step));
  const [step] = suspects;
  return suspects.size === 1 ? step : undefined;
}

function mayRepeat({ settled, isRepeat, request }: PendingCall): boolean {
  return !settled && !isRepeat && request.repeatable === true && request.streams === undefined;
}

/** Steps that have held up or ended their process: for a while they get one that the others avoid, where there is more than one. */
export class KeptApart {
  private readonly steps = new Map<StepId, Timer>();

  /** `onEmpty`: nobody is kept apart any more. */
  constructor(private readonly clock: Clock, private readonly onEmpty: () => void) {}

  has(step: StepId): boolean {
    return this.steps.size > 0 && this.steps.has(step);
  }

  /** From now on for its time. True when it was not kept apart before. */
  add(step: StepId): boolean {
    const before = this.steps.get(step);
    before?.cancel();
    this.steps.set(step, this.clock.after(APART_MS, () => this.end(step)));
    return before === undefined;
  }

  close(): void {
    for (const timer of this.steps.values()) timer.cancel();
    this.steps.clear();
  }

  private end(step: StepId): void {
    this.steps.delete(step);
    if (this.steps.size === 0) this.onEmpty();
  }
}
