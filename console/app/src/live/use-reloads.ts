import { refresh, useApi } from '../api/use-api.js';
import { useLive } from './use-live.js';

const Q = 'message:"catalog changed"';
const MOST = 50;

/** When Steps were loaded anew, the latest first; milliseconds since the epoch. The log of the engine says so. To follow it costs the engine a look at every line. */
export function useReloads(follows = false): readonly number[] {
  const { data } = useApi('GET /logs', { q: Q, limit: MOST });
  useLive('logs', { q: Q }, { events: () => refresh('GET /logs', { q: Q }) }, follows);
  return (data?.items ?? []).map(({ timestamp }) => Date.parse(timestamp));
}

/** For who does not see the marks. */
export function reloadWords(reloads: readonly number[]): string {
  return reloads.length === 0 ? '' : `Steps were loaded ${reloads.length === 1 ? 'once' : `${reloads.length} times`}; `;
}
