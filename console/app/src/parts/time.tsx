import { useSyncExternalStore } from 'react';
import { clockTime, everyTime, minuteTime, type Zone } from '../format/time.js';
import { taste } from '../theme/taste.js';

/** A moment in the zone that the person chose; the hover shows all forms. */
export function Time({ at, precise = true }: { readonly at: number | string; readonly precise?: boolean }) {
  const zone = useZone();
  const ms = typeof at === 'number' ? at : Date.parse(at);
  if (!Number.isFinite(ms)) return <span className="muted">unknown</span>;
  return <time dateTime={new Date(ms).toISOString()} title={everyTime(ms)}>{precise ? clockTime(ms, zone) : minuteTime(ms, zone)}</time>;
}

export function useZone(): Zone {
  return useSyncExternalStore((listener) => taste.onChange(listener), () => taste.zone);
}
