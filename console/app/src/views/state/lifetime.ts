const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `30s`, `1.5 h` or `7d`; undefined for anything else, and for less than one. */
export function lifetimeOf(text: string): number | undefined {
  const [, amount, unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)\s*$/.exec(text) ?? [];
  const ms = Math.round(Number(amount) * (UNITS[unit] ?? 0));
  return ms >= 1 ? ms : undefined;
}
