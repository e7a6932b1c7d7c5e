import type { InvokeRequest, StepId, Unsubscribe } from '@treadle/api';
import type { SessionState } from './session-state.js';

/** Which sessions serve which Step. */
export class SessionPool {
  private readonly byStep = new Map<StepId, SessionState[]>();
  /** All that are attached, retired ones included. */
  readonly all = new Set<SessionState>();
  private readonly listeners = new Set<(step: StepId, servers: number) => void>();

  /** Told when a Step's number of sessions becomes 0 or is no longer 0. */
  onServing(listener: (step: StepId, servers: number) => void): Unsubscribe {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Sessions that take new calls of a Step. */
  servers(step: StepId): number {
    return this.byStep.get(step)?.length ?? 0;
  }

  /** Another session than this one serves a Step and is not held up. */
  hasOther(step: StepId, than: SessionState): boolean {
    return (this.byStep.get(step) ?? []).some((state) => state !== than && !state.held);
  }

  /**
   * Of the sessions that have credit left the one with the fewest running calls, if there is one that is neither held up nor behind. Steps that are
   * kept apart go where the others do not; the first of them finds a place for that.
   */
  pick(step: StepId, lane: InvokeRequest['lane'], apart = false): SessionState | undefined {
    const list = this.byStep.get(step);
    if (!list) return undefined;
    let best: SessionState | undefined;
    for (const state of list) {
      if (state.hasCredit(lane) && (best === undefined || better(state, best, apart))) best = state;
    }
    if (apart && best !== undefined && list.length > 1 && !list.some(({ aside }) => aside)) best.aside = true;
    return best;
  }

  /** Nobody is kept apart any more. */
  mix(): void {
    for (const list of this.byStep.values()) for (const state of list) state.aside = false;
  }

  /** The session with the fewest deliveries that is neither reserved nor held up nor behind. */
  pickQuiet(step: StepId): SessionState | undefined {
    const free = (this.byStep.get(step) ?? []).filter((state) => state.reservedFor === undefined && !state.behind && !state.held);
    return free.reduce<SessionState | undefined>((best, state) => (best && best.deliveries <= state.deliveries ? best : state), undefined);
  }

  /** Makes `state` serve exactly these Steps. */
  assign(state: SessionState, steps: readonly StepId[]): void {
    const before = state.steps;
    const after = new Set(steps);
    state.steps = after;
    for (const step of before) if (!after.has(step)) this.drop(state, step);
    for (const step of after) if (!before.has(step)) this.add(state, step);
  }

  remove(state: SessionState): void {
    this.assign(state, []);
  }

  attach(state: SessionState): void {
    this.all.add(state);
  }

  detach(state: SessionState): void {
    this.all.delete(state);
    this.remove(state);
  }

  private add(state: SessionState, step: StepId): void {
    const list = this.byStep.get(step);
    if (list) {
      list.push(state);
      return;
    }
    this.byStep.set(step, [state]);
    for (const listener of this.listeners) listener(step, 1);
  }

  private drop(state: SessionState, step: StepId): void {
    const rest = (this.byStep.get(step) ?? []).filter((other) => other !== state);
    if (rest.length > 0) {
      this.byStep.set(step, rest);
      return;
    }
    this.byStep.delete(step);
    for (const listener of this.listeners) listener(step, 0);
  }
}

function better(one: SessionState, other: SessionState, apart: boolean): boolean {
  if (one.held !== other.held) return other.held;
  if (one.aside !== other.aside) return one.aside === apart;
  return one.behind === other.behind ? one.calls.size < other.calls.size : other.behind;
}
