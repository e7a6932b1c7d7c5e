import { useEffect, useState } from 'react';
import { duration } from '../format/duration.js';
import { Time, useZone } from './time.js';

const SECOND_MS = 1000;

/** A moment that is to come, and in how many seconds. */
export function Countdown({ to }: { readonly to: number }) {
  const left = useSecondsUntil(to);
  // A relative time would say the same, and would not be drawn again.
  return <span>{useZone() !== 'relative' && <Time at={to} />} <span className="muted">{left > 0 ? `in ${wholeSeconds(left)}` : 'due now'}</span></span>;
}

/** Draws again with each full second until the moment, and then no more. */
function useSecondsUntil(to: number): number {
  const [left, setLeft] = useState(() => secondsUntil(to));
  useEffect(() => {
    setLeft(secondsUntil(to));
    if (secondsUntil(to) <= 0) return undefined;
    const timer = setTimeout(() => setLeft(secondsUntil(to)), (to - Date.now()) % SECOND_MS + 1);
    return () => clearTimeout(timer);
  }, [to, left]);
  return left;
}

function secondsUntil(to: number): number {
  return Math.max(0, Math.ceil((to - Date.now()) / SECOND_MS));
}

function wholeSeconds(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : duration(seconds * SECOND_MS);
}
