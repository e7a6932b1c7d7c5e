import type { JobSummary as Job } from '../api/types.generated.js';
import { count } from '../format/numbers.js';
import type { Tone } from '../parts/tone.js';

const VERBS: Readonly<Record<Job['action'], string>> = { redrive: 'Redrive', discard: 'Discard', delete: 'Delete' };

export const verbOf = (action: Job['action']): string => VERBS[action];

/** e.g. `Redrive 214`. */
export const jobTitle = ({ action, count: all }: Pick<Job, 'action' | 'count'>): string => `${VERBS[action]} ${count(all)}`;

/** e.g. `12 of 214 done, 1 failed`. */
export function jobProgress({ done, count: all, failed, missing }: Job): string {
  return `${count(done)} of ${count(all)} done${failed > 0 ? `, ${count(failed)} failed` : ''}${missing > 0 ? `, ${count(missing)} no longer there` : ''}`;
}

/** How many it has not come to. */
export const jobRest = ({ count: all, done, failed, missing }: Job): number => all - done - failed - missing;

export function jobTone({ state, failed }: Job): Tone {
  if (state === 'failed' || failed > 0) return 'bad';
  return state === 'done' ? 'ok' : state === 'paused' ? 'warn' : 'info';
}
