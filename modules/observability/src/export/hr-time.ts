const MS_PER_SECOND = 1000;
const NS_PER_MS = 1e6;

/** Seconds and nanoseconds, as OpenTelemetry writes times. */
export type HrTime = [seconds: number, nanoseconds: number];

/** From milliseconds, with fractions. */
export function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / MS_PER_SECOND);
  // Rounding may give a whole second.
  return [seconds, Math.min(999_999_999, Math.round((ms - seconds * MS_PER_SECOND) * NS_PER_MS))];
}
