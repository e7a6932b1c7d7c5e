export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? NaN;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? NaN) + upper) / 2 : upper;
}

/** (max - min) / median. */
export function spread(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / median(values);
}

/** The value that this part of all do not exceed; 0 to 1. 0 without values. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;
}
