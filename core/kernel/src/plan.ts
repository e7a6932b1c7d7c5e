import type { PlanOptions, PlanResult } from './planned.js';

/** Stages 1 to 8: from the configuration to a checked plan. */
export async function planEngine(_options: PlanOptions): Promise<PlanResult> {
  return Promise.reject(new Error('being written'));
}
