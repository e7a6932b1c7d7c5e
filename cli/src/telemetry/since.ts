import { treadleError } from '@treadle/api';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * The moment that `--since` means, in milliseconds since the epoch: `90s`, `10m`, `2h`, `1d` ago, or an ISO time.
 * @throws {USAGE} for anything else
 */
export function sinceTime(written: string | undefined, now: number): number | undefined {
  if (written === undefined) return undefined;
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|min|h|d)$/.exec(written) ?? [];
  if (amount !== undefined) return Math.round(now - Number(amount) * (UNIT_MS[unit] ?? 0));
  const time = /^\d{4}-\d\d-\d\d/.test(written) ? Date.parse(written) : Number.NaN;
  if (Number.isFinite(time)) return time;
  throw treadleError('USAGE', { message: `--since must be a span of time such as 10m or 2h, or a time such as 2026-03-01T10:00:00Z, got "${written}"` });
}
