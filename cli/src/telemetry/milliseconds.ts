const SECOND = 1000;
const MINUTE = 60_000;

/** A duration as people compare them: `0.35 ms`, `12.4 ms`, `3.21 s`, `2 min 5 s`. */
export function milliseconds(ms: number): string {
  if (ms < 1) return `${ms.toFixed(2)} ms`;
  if (ms < SECOND) return `${ms < 100 ? ms.toFixed(1) : Math.round(ms)} ms`;
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(2)} s`;
  return `${Math.floor(ms / MINUTE)} min ${Math.round((ms % MINUTE) / SECOND)} s`;
}
