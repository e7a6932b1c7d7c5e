import type { TraceView } from '../../api/types.generated.js';
import { useApi } from '../../api/use-api.js';
import type { Answered } from '../../parts/data-state.js';

/** More than a screen has room for: an engine answers so many at once. */
const FIRST = 500;
/** As many as an engine gives. */
const LIMIT = 20_000;

/** A trace: its first spans as soon as they are there, then all. */
export interface TraceAnswer {
  readonly answer: Answered<TraceView>;
  /** The rest is on its way. */
  readonly loads: boolean;
}

export function useTrace(id: string): TraceAnswer {
  const first = useApi('GET /traces/{id}', { id, limit: FIRST });
  const isLong = (first.data?.omitted ?? 0) > 0;
  const whole = useApi('GET /traces/{id}', { id, limit: LIMIT }, { enabled: isLong });
  if (!isLong) return { answer: first, loads: false };
  return { answer: { data: whole.data ?? first.data, error: whole.error ?? first.error, refetch: whole.refetch }, loads: whole.data === undefined && whole.error === null };
}
