import type { ModuleContext, Timer } from '@treadle/api';
import type { SqliteStore } from './sqlite-store.js';
import type { Row } from './store-area.js';

/** Sweeps now and then. Reads do not depend on it and the next round tries again, so a failure is no more than noted. */
export function sweepEvery(ms: number, { clock, log }: Pick<ModuleContext, 'clock' | 'log'>, sweep: () => Promise<void>): Timer {
  return clock.every(ms, () => {
    sweep().catch((error: unknown) => log.debug('sweep of the store failed', { reason: (error as Error).message }));
  });
}

/** Applies an operation, which says how many rows it found, until it finds fewer than `limit`. */
export async function applyUntilFewer(store: SqliteStore, operation: string, limit: number, row: () => Row): Promise<void> {
  for (let found: unknown = limit; found === limit;) found = await store.apply({ operation, rows: [row()] });
}
