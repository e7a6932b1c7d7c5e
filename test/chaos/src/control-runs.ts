import type { Control } from './application.js';
import { runChaos, type ChaosResult } from './chaos-run.js';

/** What the checker has to find in an engine that is wrong in this way; one of them will do. */
export const SYMPTOMS: Readonly<Record<Control, readonly string[]>> = {
  AckFirst: ['lost'], Unfenced: ['overlaps', 'duplicatedWithoutCause'], Unordered: ['orderViolations', 'overlaps'], Forgetful: ['duplicatedWithoutCause'],
};

const MOST_RUNS = 20;
const LOAD = { rate: 400, keys: 16, chains: 16 };

export interface ControlResult {
  readonly control: Control;
  /** Runs until it was caught; undefined when it was not. */
  readonly caughtAfter: number | undefined;
  readonly last: ChaosResult;
}

/** Runs short chaos on a wrong engine until the checker sees what is wrong, at most 20 times. */
export async function catchControl(control: Control, seed: number): Promise<ControlResult> {
  for (let run = 1; ; run++) {
    const last = await runChaos({ name: `control ${control}`, seed: seed + run, load: LOAD, control, engineKills: 2, workerKills: 1, betweenMs: [300, 900], quietMs: 3000 });
    const caught = SYMPTOMS[control].some((symptom) => last.faults.some((fault) => fault.startsWith(symptom)));
    if (caught || run === MOST_RUNS) return { control, caughtAfter: caught ? run : undefined, last };
  }
}
