/** Milliseconds with a fixed unit: `0.42 ms`, `96 ms`, `1.50 s`, `2 min 5 s`, `3 h 10 min`, `2 d 4 h`. */
export function duration(ms: number): string {
  if (ms < 0) return `-${duration(-ms)}`;
  if (ms < 10) return `${ms.toFixed(2)} ms`;
  if (ms < 1000) return `${ms < 100 ? ms.toFixed(1) : Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(2)} s`;
  return longDuration(Math.round(ms / 1000));
}

/** For ages, where a tenth of a second says nothing. */
export function age(ms: number): string {
  return ms < 1000 ? '<1 s' : ms < 60_000 ? `${Math.round(ms / 1000)} s` : longDuration(Math.round(ms / 1000));
}

function longDuration(seconds: number): string {
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  const hours = Math.floor(minutes / 60);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
