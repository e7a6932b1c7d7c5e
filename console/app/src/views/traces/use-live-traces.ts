import { useEffect, useRef, useState } from 'react';
import type { TraceEvent, TracePage, TraceSummary } from '../../api/types.generated.js';
import { call } from '../../api/client.js';
import { refresh } from '../../api/use-api.js';
import { useFurther } from '../../api/use-further.js';
import { useLive } from '../../live/use-live.js';

interface LiveTraces {
  readonly items: readonly TraceSummary[];
  /** New traces that are held back because the top of the list is not in sight. */
  readonly fresh: number;
  /** Shows them. */
  readonly take: () => void;
  readonly setEdge: (atStart: boolean) => void;
  /** Updates that were left out. */
  readonly gap: number;
  /** How many came since the page was asked for. */
  readonly came: number;
  /** Loads those that began before the last one. */
  readonly older: () => void;
}

/** Which traces come. */
interface Followed {
  readonly q: string;
  /** Default true. */
  readonly enabled?: boolean;
  /** Most traces of the list; default 5,000. */
  readonly most?: number;
  /** Most traces that come at a time. */
  readonly atATime: number;
  /** Takes what is not in `q`, which costs the engine a look at every trace. */
  readonly fits?: (trace: TraceSummary) => boolean;
  /** The range of time of the page. */
  readonly from?: string;
  readonly to?: string;
}

const MOST = 5_000;
const OLDER = 500;

/** The page with what came since. Rows in the list are kept up to date in their places; new ones enter only at the edge. */
export function useLiveTraces(page: TracePage, { q, enabled = true, most = MOST, atATime, fits = () => true, from = '', to = '' }: Followed): LiveTraces {
  const [items, setItems] = useState(page.items);
  const [held, setHeld] = useState<readonly TraceSummary[]>([]);
  const [[gap, setGap], [came, setCame]] = [useState(0), useState(0)];
  const edge = useRef(true);
  useEffect(() => {
    setItems(page.items);
    setHeld([]);
    setGap(0);
    setCame(0);
  }, [page]);
  useLive('traces', { ...q !== '' && { q }, limit: String(atATime) }, {
    events: (events) => {
      const told = events as readonly TraceEvent[];
      const left = told.reduce((sum, event) => sum + ('dropped' in event ? event.dropped : 0), 0);
      if (left > 0) setGap((before) => before + left);
      const incoming = new Map(told.flatMap((event) => ('dropped' in event || !fits(event) ? [] : [[event.traceId, event] as const])));
      const added = newOnes([...incoming.values()], items).sort((a, b) => b.startTime - a.startTime);
      const updated = items.map((trace) => incoming.get(trace.traceId) ?? trace);
      setCame((before) => before + newOnes(added, held).length);
      if (edge.current) setItems([...added, ...updated].slice(0, most));
      else {
        setItems(updated);
        setHeld((before) => [...added, ...newOnes(before, added)].slice(0, MOST));
      }
    },
    gap: (dropped) => setGap((before) => before + dropped), since: () => String(page.end), resumed: () => refresh('/traces'),
  }, enabled);
  const take = (): void => {
    if (gap > 0) refresh('/traces');
    setItems((before) => [...held, ...before].slice(0, MOST));
    setHeld([]);
  };
  const setEdge = (atStart: boolean): void => {
    edge.current = atStart;
    if (atStart && held.length > 0) take();
  };
  const older = useFurther(page, (cursor) => call('GET /traces', { q, from, to, limit: OLDER, cursor }), (more) => setItems((before) => [...before, ...newOnes(more, before)].slice(0, MOST)));
  return { items, fresh: held.length, take, setEdge, gap, came, older };
}

/** Those that are not among others. */
function newOnes(traces: readonly TraceSummary[], others: readonly TraceSummary[]): TraceSummary[] {
  const known = new Set(others.map(({ traceId }) => traceId));
  return traces.filter(({ traceId }) => !known.has(traceId));
}
