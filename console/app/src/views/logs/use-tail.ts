import { useEffect, useRef, useState } from 'react';
import type { LogEvent, LogPage, LogRecord } from '../../../../src/contract/index.js';
import { call } from '../../api/client.js';
import { useLive } from '../../live/use-live.js';

/** A line, or the mark of lines that are missing. */
export type TailRow = LogRecord | { readonly id: string; readonly missing: string };

interface Tail {
  readonly rows: readonly TailRow[];
  /** Lines that are held back because the newest edge is not in sight. */
  readonly fresh: number;
  readonly take: () => void;
  readonly setEdge: (atStart: boolean) => void;
  /** Loads older lines. */
  readonly older: () => void;
}

const MOST = 20_000;
const OLDER = 1_000;

/** The page with what comes: at once while the newest line is in sight, else held back and counted. */
export function useTail(page: LogPage, q: string, follows: boolean): Tail {
  const [rows, setRows] = useState<readonly TailRow[]>(page.items);
  const [held, setHeld] = useState<readonly TailRow[]>([]);
  const edge = useRef(true);
  const cursor = useRef(page.cursor);
  const loading = useRef(false);
  const add = (added: readonly TailRow[]): void => (edge.current ? setRows : setHeld)((before) => [...added, ...before].slice(0, MOST));
  useEffect(() => {
    setRows(page.items);
    setHeld([]);
    cursor.current = page.cursor;
  }, [page]);
  useLive('logs', q === '' ? {} : { q }, {
    events: (events) => {
      const known = newestOf(held) ?? newestOf(rows) ?? -1;
      add((events as readonly LogEvent[]).flatMap((event): TailRow[] => ('dropped' in event ? [gap(event.dropped)] : event.id > known ? [event] : [])).reverse());
    },
    gap: (dropped) => add([gap(dropped)]),
    resumed: (newEngine) => add([{ id: `resumed ${Date.now()}`, missing: newEngine ? 'the engine was started anew; its earlier log is gone' : 'the connection was lost; lines may be missing here' }]),
  }, follows);
  const take = (): void => {
    setRows((before) => [...held, ...before].slice(0, MOST));
    setHeld([]);
  };
  const setEdge = (atStart: boolean): void => {
    edge.current = atStart;
    if (atStart && held.length > 0) take();
  };
  const older = (): void => {
    if (cursor.current === undefined || loading.current) return;
    loading.current = true;
    void call<LogPage>('/logs', { query: { q, limit: OLDER, cursor: cursor.current } }).then((next) => {
      cursor.current = next.cursor;
      setRows((before) => [...before, ...next.items].slice(0, MOST));
    }).finally(() => void (loading.current = false));
  };
  return { rows, fresh: held.length, take, setEdge, older };
}

function gap(dropped: number): TailRow {
  return { id: `gap ${Date.now()} ${dropped}`, missing: `${dropped} lines came faster than they may be shown` };
}

function newestOf(rows: readonly TailRow[]): number | undefined {
  return rows.find((row): row is LogRecord => typeof row.id === 'number')?.id;
}
