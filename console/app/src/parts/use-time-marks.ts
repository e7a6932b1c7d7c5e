import { refresh, useApi } from '../api/use-api.js';
import { useLive } from '../live/use-live.js';
import { MARKS, marksOf, type TimeMark } from './time-marks.js';

const MOST = 200;

/** The start of the engine, and every reload of its Steps and its configuration that the log still has, the oldest first. For all axes of time. `follows`: it hears of new ones, which costs the engine a look at every line of its log. */
export function useTimeMarks(follows = false): readonly TimeMark[] {
  const startedAt = useApi('GET /meta').data?.startedAt;
  const log = useApi('GET /logs', { ...MARKS, limit: MOST });
  const anew = (): void => refresh('GET /logs', MARKS);
  useLive('logs', MARKS, { events: anew, resumed: anew }, follows);
  return marksOf(startedAt, log.data?.items ?? []);
}
