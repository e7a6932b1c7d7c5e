import { useEffect, useRef, useState } from 'react';
import type { LogEvent, LogPage } from '../../api/types.generated.js';
import { call } from '../../api/client.js';
import { useFurther } from '../../api/use-further.js';
import { live } from '../../live/live-client.js';
import { useLive } from '../../live/use-live.js';
import { ArrivedLines, gapRow } from './arrived-lines.js';
import type { TailRow } from './tail-row.js';

/** What the lines of the view are asked for with. */
export interface LogQuestion {
  readonly q: string;
  readonly from: string;
  readonly to: string;
  readonly order: 'asc' | 'desc';
}

interface Tail {
  readonly rows: readonly TailRow[];
  /** Lines that are held back because the newest edge is not in sight. */
  readonly fresh: number;
  readonly take: () => void;
  readonly setEdge: (atStart: boolean) => void;
  /** Loads the lines after the last one: older ones, or later ones where the oldest is the first. */
  readonly older: () => void;
}

const MOST = 20_000;
const OLDER = 1_000;
const STARTED_ANEW: TailRow = { id: 'started anew', missing: 'the engine was started anew here; its earlier log is gone' };

/** The page with what comes: at once while the newest line is in sight, else held back and counted. A stretch of time, and lines from the oldest on, are not followed. */
export function useTail(page: LogPage, asked: LogQuestion, onCome: () => void): Tail {
  const { q, from, to, order } = asked;
  const follows = from === '' && to === '' && order === 'desc';
  const [rows, setRows] = useState<readonly TailRow[]>(page.items);
  const [held, setHeld] = useState<readonly TailRow[]>([]);
  const edge = useRef(true);
  const add = (added: readonly TailRow[]): void => (edge.current ? setRows : setHeld)((before) => [...added, ...before].slice(0, MOST));
  const arrived = useRef<ArrivedLines>(null);
  arrived.current ??= new ArrivedLines(page.items[0]?.id ?? 0);
  const known = arrived.current;
  useEffect(() => {
    setRows((before) => known.before(page.items, before));
    setHeld([]);
  }, [page]);
  const came = (added: readonly TailRow[]): void => {
    add(added);
    onCome();
  };
  useLive('logs', q === '' ? {} : { q }, {
    since: () => String(known.newest), events: (events) => came(known.take(events as readonly LogEvent[])), gap: (dropped) => came([gapRow(dropped)]),
    resumed: (newEngine) => void (newEngine && known.restart()),
  }, follows);
  const take = (): void => {
    setRows((before) => [...held, ...before].slice(0, MOST));
    setHeld([]);
  };
  const setEdge = (atStart: boolean): void => {
    edge.current = atStart;
    if (atStart && held.length > 0) take();
  };
  const older = useFurther(page, (cursor) => call('GET /logs', { ...asked, limit: OLDER, cursor }), (items) => setRows((before) => [...before, ...items].slice(0, MOST)));
  return { rows: !live.isRestarted ? rows : order === 'asc' ? [STARTED_ANEW, ...rows] : [...rows, STARTED_ANEW], fresh: held.length, take, setEdge, older };
}
