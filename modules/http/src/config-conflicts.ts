import type { ConfigConflict } from '@treadle/api';
import { corsConflict } from './cors.js';
import type { HttpConfig } from './http.config.js';

/** Settings that contradict each other although each of them is valid. */
export function configConflicts(config: HttpConfig): readonly ConfigConflict[] {
  const conflict = config.cors && corsConflict(config.cors);
  return conflict ? [{ key: 'cors', problem: conflict, hint: 'name the origins' }] : [];
}
