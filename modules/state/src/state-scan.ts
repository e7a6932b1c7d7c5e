import { setImmediate as turn } from 'node:timers/promises';
import type { StateItem, StateListOptions, StatePort } from '@treadle/api';

/** Most keys that one question looks at. */
export const MOST_EXAMINED = 20_000;
const PAGE = 1_000;
/** Pages of large values hold fewer keys: what is read stays below some 100 MB, never more than one page at a time. */
const MOST_PAGES = 25;

/** How far a scan came. */
export interface Scanned {
  /** Keys that were looked at. */
  readonly examined: number;
  /** Where the next scan goes on; absent at the end of the group. */
  readonly cursor?: string;
}

/**
 * Shows the keys of a group one after the other, at most `MOST_EXAMINED`; ends before the one at which `isPast` gives true, which is never the first.
 * A turn of the event loop reads one page: a store in the engine's own process waits for nothing, and everything else would wait for all of them.
 */
export async function scan(state: Pick<StatePort, 'list'>, group: string, from: Pick<StateListOptions, 'prefix' | 'cursor'>, isPast: (item: StateItem) => boolean): Promise<Scanned> {
  let [examined, cursor] = [0, from.cursor];
  for (let pages = 0; pages < MOST_PAGES && examined < MOST_EXAMINED; pages += 1) {
    if (pages > 0) await turn();
    const asked = { ...from, ...cursor !== undefined && { cursor }, limit: Math.min(PAGE, MOST_EXAMINED - examined) };
    const page = await state.list(group, asked);
    const count = page.items.findIndex(isPast);
    if (count === 0) break;
    if (count > 0) return { examined: examined + count, ...await cursorBehind(state, group, asked, page.items.slice(0, count)) };
    examined += page.items.length;
    ({ cursor } = page);
    if (cursor === undefined) return { examined };
  }
  return { examined, ...cursor !== undefined && { cursor } };
}

/**
 * Where these end. When keys have come or gone meanwhile it is before some of them, which are shown again then: none behind them is left out, as long as one of them is
 * there still.
 */
async function cursorBehind(state: Pick<StatePort, 'list'>, group: string, from: StateListOptions, shown: readonly StateItem[]): Promise<{ readonly cursor?: string }> {
  const keys = new Set(shown.map(({ key }) => key));
  for (let limit = keys.size; ;) {
    const { items, cursor } = await state.list(group, { ...from, limit });
    const last = items.map(({ key }) => keys.has(key)).lastIndexOf(true) + 1;
    if (last === items.length || limit === 1) return cursor === undefined ? {} : { cursor };
    limit = Math.max(1, last);
  }
}
