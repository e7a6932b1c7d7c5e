import { useEffect } from 'react';
import { refresh, useApi } from '../api/use-api.js';
import { live } from '../live/live-client.js';
import { MARKS, marksOf, type TimeMark } from './time-marks.js';

const MOST = 200;

/** The start of the engine, and every reload of its Steps and its configuration that the log still has, the oldest first. For all axes of time. */
export function useTimeMarks(): readonly TimeMark[] {
  const startedAt = useApi('GET /meta').data?.startedAt;
  const log = useApi('GET /logs', { ...MARKS, limit: MOST });
  useEffect(follow, []);
  return marksOf(startedAt, log.data?.items ?? []);
}

let axes = 0;
let leave = (): void => undefined;

/** One subscription for all axes that are shown. Gives what ends it with the last of them. */
function follow(): () => void {
  const anew = (): void => refresh('GET /logs', MARKS);
  axes += 1;
  if (axes === 1) leave = live.subscribe('logs', MARKS, { events: anew, resumed: anew });
  return () => {
    axes -= 1;
    if (axes === 0) leave();
  };
}
