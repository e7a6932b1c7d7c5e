import type { InvokeRequest, StepId } from '@treadle/api';
import type { SessionState } from './session-state.js';

/** Which sessions serve which Step. */
export class SessionPool {
  private readonly byStep = new Map<StepId, SessionState[]>();

  /** Sessions that take new calls of a Step. */
  servers(step: StepId): number {
    return this.byStep.get(step)?.length ?? 0;
  }

  /** The session with the fewest running calls that has credit left. */
  pick(step: StepId, lane: InvokeRequest['lane']): SessionState | undefined {
    const list = this.byStep.get(step);
    if (!list) return undefined;
    let best: SessionState | undefined;
    for (const state of list) {
      if (state.hasCredit(lane) && (best === undefined || state.calls.size < best.calls.size)) best = state;
    }
    return best;
  }

  /** Makes `state` serve exactly these Steps. */
  assign(state: SessionState, steps: readonly StepId[]): void {
    this.remove(state);
    state.steps = new Set(steps);
    for (const step of state.steps) {
      const list = this.byStep.get(step);
      if (list) list.push(state);
      else this.byStep.set(step, [state]);
    }
  }

  remove(state: SessionState): void {
    for (const step of state.steps) {
      const rest = (this.byStep.get(step) ?? []).filter((other) => other !== state);
      if (rest.length > 0) this.byStep.set(step, rest);
      else this.byStep.delete(step);
    }
    state.steps = new Set();
  }
}
