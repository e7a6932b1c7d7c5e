import type { InvokeRequest, StepId, Unsubscribe } from '@treadle/api';
import type { SessionState } from './session-state.js';

/** Which sessions serve which Step. */
export class SessionPool {
  private readonly byStep = new Map<StepId, SessionState[]>();
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

  /** Of the sessions that have credit left: one that is not behind, if there is one, with the fewest running calls. */
  pick(step: StepId, lane: InvokeRequest['lane']): SessionState | undefined {
    const list = this.byStep.get(step);
    if (!list) return undefined;
    let best: SessionState | undefined;
    for (const state of list) {
      if (state.hasCredit(lane) && (best === undefined || quieter(state, best))) best = state;
    }
    return best;
  }

  /** The session with the fewest deliveries that is neither reserved nor behind. */
  pickQuiet(step: StepId): SessionState | undefined {
    const free = (this.byStep.get(step) ?? []).filter((state) => state.reservedFor === undefined && !state.behind);
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

function quieter(one: SessionState, other: SessionState): boolean {
  return one.behind === other.behind ? one.calls.size < other.calls.size : other.behind;
}
