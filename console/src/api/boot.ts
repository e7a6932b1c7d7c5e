import { randomUUID } from 'node:crypto';
import { type Clock, wallTime } from '@treadle/api';

/** One start of the console: clients see by its id that what was kept in memory may be gone. */
export interface Boot {
  readonly id: string;
  /** ISO 8601. */
  readonly startedAt: string;
}

export function newBoot(clock: Clock): Boot {
  return { id: randomUUID(), startedAt: new Date(wallTime(clock)).toISOString() };
}
