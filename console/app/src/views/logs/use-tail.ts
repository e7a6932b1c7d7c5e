import { useEffect, useRef, useState } from 'react';
import type { LogEvent, LogPage } from '../../api/types.generated.js';
import { call } from '../../api/client.js';
import { useFurther } from '../../api/use-further.js';
import { live } from '../../live/live-client.js';
import { useLive } from '../../live/use-live.js';
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
/** A line that comes may be among as many of the page. */
const COMPARED = 2_000;
const STARTED_ANEW: TailRow = { id: 'started anew', missing: 'the engine was started anew here; its earlier log is gone' };

/** The page with what comes: at once while the newest line is in sight, else held back and counted. A stretch of time, and lines from the oldest on, are not followed. */
export function useTail(page: LogPage, asked: LogQuestion, onCome: () => void): Tail {
  const { q, from, to, order } = asked;
  const follows = from === '' && to === '' && order === 'desc';
  const [rows, setRows] = useState<readonly TailRow[]>(page.items);
  const [held, setHeld] = useState<readonly TailRow[]>([]);
  const edge = useRef(true);
  const add = (added: readonly TailRow[]): void => (edge.current ? setRows : setHeld)((before) => [...added, ...before].slice(0, MOST));
  const arrived = useRef(new WeakSet<TailRow>());
  useEffect(() => {
    const inPage = new Set(page.items.map(identity));
    // What came while the page was asked for is not in it.
    setRows((before) => [...before.filter((row) => arrived.current.has(row) && !inPage.has(identity(row))), ...page.items]);
    setHeld([]);
  }, [page]);
  useLive('logs', q === '' ? {} : { q }, {
    events: (events) => {
      const known = new Set([...held, ...rows].slice(0, COMPARED).map(identity));
      const added = (events as readonly LogEvent[]).flatMap((event): TailRow[] => ('dropped' in event ? [gap(event.dropped)] : known.has(identity(event)) ? [] : [event])).reverse();
      for (const row of added) arrived.current.add(row);
      add(added);
      onCome();
    },
    gap: (dropped) => {
      add([gap(dropped)]);
      onCome();
    },
    resumed: (newEngine) => void (newEngine && (arrived.current = new WeakSet())),
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

let gaps = 0;

/** Several may come at a time, with the same number. */
function gap(dropped: number): TailRow {
  gaps += 1;
  return { id: `gap ${gaps}`, missing: `${dropped} lines came faster than they may be shown` };
}

/** Numbers begin at the time of the engine's start: with a clock that was put back in between, lines of two runs may share one. */
function identity(row: TailRow): string {
  return 'missing' in row ? row.id : `${row.id} ${row.timestamp}`;
}
