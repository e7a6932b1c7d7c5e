import { alsoAsking, withCondition } from '../../parts/with-condition.js';
import { patternCondition } from '../logs/pattern-query.js';

/** A field that traces are often grouped by. */
export interface GroupField {
  /** As queries call it. */
  readonly by: string;
  readonly title: string;
}

export const GROUP_FIELDS: readonly GroupField[] = [
  { by: 'step', title: 'Step' }, { by: 'status', title: 'Outcome' }, { by: 'error', title: 'Error' }, { by: 'route', title: 'Route' }, { by: 'trigger', title: 'What started it' }, { by: 'topic', title: 'Topic' },
  { by: 'http.status', title: 'HTTP status' }, { by: 'name', title: 'Root' },
];

/** Queries have these with a unit. */
const DURATIONS = ['duration', 'reply'];

/** The query with the condition that the traces of a group fit; undefined where no condition means them alone. */
export function queryOfGroup(q: string, by: string, value: string): string | undefined {
  // What the engine has cut fits no longer as it is.
  if (by !== 'error' && !value.endsWith('…')) return withCondition(q, by, DURATIONS.includes(by) ? `${value}ms` : value);
  const condition = patternCondition(value, by);
  return condition && alsoAsking(q, condition);
}
