import { useEffect, useRef, useState } from 'react';
import { refresh } from '../../api/use-api.js';
import { useLive } from '../../live/use-live.js';

/** So long without a new span, and a trace counts as settled unless a message waits. */
const QUIET_MS = 1_500;
const ASK_MS = 400;

interface Seen {
  /** How many spans there are. */
  readonly spans: number;
  /** A message waits for its next attempt, or nothing is known yet. */
  readonly waits: boolean;
  /** When something of it came last, as far as is known, milliseconds since the epoch: what is long ago is quiet at once. */
  readonly since: number;
  /** Asks for more than the trace itself. */
  readonly onAsk?: () => void;
}

/** Asks again for a trace as its spans come; true when none came for a while, and false again when some do. */
export function useSettled(traceId: string, { spans, waits, since, onAsk }: Seen): boolean {
  const [quiet, setQuiet] = useState(() => Date.now() - since > QUIET_MS * 4);
  const before = useRef(spans);
  const ask = (): void => {
    refresh('/traces/{id}', { id: traceId });
    onAsk?.();
  };
  useLive('traces', { q: `trace:${traceId}` }, { events: ask });
  useEffect(() => {
    if (before.current > 0 && spans > before.current) setQuiet(false);
    before.current = spans;
  }, [spans]);
  useEffect(() => {
    // For the next attempt the live channel is waited, however long that takes.
    if (quiet) return undefined;
    const asking = setInterval(ask, ASK_MS);
    const timer = setTimeout(() => setQuiet(true), QUIET_MS);
    return () => {
      clearInterval(asking);
      clearTimeout(timer);
    };
  }, [spans, quiet, traceId]);
  return quiet && !waits;
}
