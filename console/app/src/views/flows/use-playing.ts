import { useEffect, useRef } from 'react';

/** The moment stands in the address, which browsers let change some six times a second at most. */
const MOVE_MS = 250;

/** Moves a moment on while it plays, so many milliseconds of the record in each one of the clock. */
export function usePlaying(playing: boolean, speed: number, { at, end, onMove, onEnd }: { readonly at: number; readonly end: number; readonly onMove: (at: number) => void; readonly onEnd: () => void }): void {
  const latest = useRef({ at, end, onMove, onEnd });
  latest.current = { at, end, onMove, onEnd };
  useEffect(() => {
    if (!playing) return undefined;
    let former = performance.now();
    const timer = setInterval(() => {
      const { at: from, end: last, onMove: move, onEnd: over } = latest.current;
      const now = performance.now();
      const next = Math.min(last, from + (now - former) * speed);
      former = now;
      move(next);
      if (next >= last) over();
    }, MOVE_MS);
    return () => clearInterval(timer);
  }, [playing, speed]);
}
